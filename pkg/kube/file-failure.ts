const WORDS: Readonly<Record<string, string>> = {
  ENOENT: 'no such file or directory',
  EACCES: 'permission denied',
  EPERM: 'operation not permitted',
  EISDIR: 'is a directory',
  ENOTDIR: 'not a directory',
  ELOOP: 'too many levels of symbolic links',
  ENAMETOOLONG: 'file name too long',
};

/** A failed file operation in the words kubectl prints: `open ca.crt: no such file or directory`. */
export function fileFailure(error: unknown, path: string, operation = 'open'): string {
  const code = errorCode(error);
  const words = WORDS[code ?? ''] ?? (error instanceof Error ? error.message : String(error));
  // A directory opens without complaint; it is the reading that fails.
  return `${code === 'EISDIR' ? 'read' : operation} ${path}: ${words}`;
}

/** The `code` that Node puts on system errors. */
export function errorCode(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}
