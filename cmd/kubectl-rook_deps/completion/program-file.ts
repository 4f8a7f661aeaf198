/** The program that kubectl looks for on PATH to complete the words after `kubectl rook-deps`. */
export interface CompletionProgram {
  readonly name: string;
  readonly text: string;
}

/**
 * Calls the plugin itself, not kubectl again, which would take as long as the plugin. Both are on PATH, or kubectl
 * would not have found them. Programs that give credentials inherit both streams, and must neither write over the
 * command line nor wait for an answer.
 */
export function completionProgram(os: string): CompletionProgram {
  return os === 'windows' || os === 'win32'
    ? { name: 'kubectl_complete-rook_deps.cmd', text: '@kubectl-rook_deps.exe __complete %* 2>nul <nul\r\n' }
    : {
        name: 'kubectl_complete-rook_deps',
        text: '#!/bin/sh\nexec kubectl-rook_deps __complete "$@" 2>/dev/null </dev/null\n',
      };
}
