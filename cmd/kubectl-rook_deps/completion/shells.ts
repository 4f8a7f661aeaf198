/** The program by its own name: words after `kubectl` are completed by kubectl itself, see `program-file.ts`. */
const CALL = 'kubectl-rook_deps __complete';

const BASH = `# bash completion for kubectl-rook_deps
_kubectl_rook_deps() {
  local word line value joined=0 count=0 directive=0
  local -a words
  # Bash takes --flag=value and a:b for several words.
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD}"; do
    if [[ $count -gt 0 && ( $word == [=:] || $joined -eq 1 ) ]]; then
      words[count-1]+=$word
    else
      words[count]=$word
      count=$((count + 1))
    fi
    if [[ $word == [=:] ]]; then joined=1; else joined=0; fi
  done
  local typed=\${words[count-1]}
  case $typed in --*=*) typed=\${typed#*=} ;; esac
  local before=\${typed%"\${typed##*:}"}
  COMPREPLY=()
  while IFS= read -r line; do
    case $line in
      :[0-9]*) directive=\${line#:} ;;
      ?*)
        value=\${line%%$'\\t'*}
        COMPREPLY+=("\${value#"$before"}")
        ;;
    esac
  done < <(${CALL} "\${words[@]}" 2>/dev/null </dev/null)
  if type compopt >/dev/null 2>&1; then
    if ((directive & 2)); then compopt -o nospace; fi
    if ((directive & 4)); then compopt +o default; fi
    if ((directive & 16)); then compopt +o default -o dirnames; fi
  fi
}
complete -o default -F _kubectl_rook_deps kubectl-rook_deps`;

const ZSH = `#compdef kubectl-rook_deps
_kubectl_rook_deps() {
  local line value directive=0
  local -a candidates options
  for line in "\${(@f)$(${CALL} "\${(@Q)words[2,CURRENT]}" 2>/dev/null </dev/null)}"; do
    if [[ $line == :<-> ]]; then
      directive=\${line#:}
    elif [[ -n $line ]]; then
      value=\${line%%$'\\t'*}
      if [[ $line == *$'\\t'* ]]; then
        candidates+=("\${value//:/\\\\:}:\${line#*$'\\t'}")
      else
        candidates+=("\${value//:/\\\\:}")
      fi
    fi
  done
  if [[ \${words[CURRENT]} == --*=* ]]; then compset -P '*='; fi
  if ((directive & 2)); then options+=(-S ''); fi
  if ((directive & 16)); then
    _files -/
  elif ((\${#candidates})); then
    _describe 'kubectl rook-deps' candidates "\${options[@]}"
  elif ! ((directive & 4)); then
    _files
  fi
}
if [[ \${funcstack[1]} == _kubectl_rook_deps ]]; then
  _kubectl_rook_deps
else
  compdef _kubectl_rook_deps kubectl-rook_deps
fi`;

const FISH = `# fish completion for kubectl-rook_deps
function __kubectl_rook_deps_complete
    set -l before (commandline -opc)
    set -l typed (commandline -ct)
    set -l prefix (string match -r -- '^--[^=]+=' "$typed")
    set -l lines (${CALL} $before[2..-1] "$typed" 2>/dev/null </dev/null)
    set -l directive (string replace : '' -- $lines[-1])
    for line in $lines[1..-2]
        echo "$prefix$line"
    end
    if test (math "bitand($directive, 16)") -ne 0
        __fish_complete_directories "$typed"
    else if test (math "bitand($directive, 4)") -eq 0
        __fish_complete_path (string replace -- "$prefix" '' "$typed") | string replace -r '^' -- "$prefix"
    end
end
complete -c kubectl-rook_deps -f -a '(__kubectl_rook_deps_complete)'`;

const POWERSHELL = `# PowerShell completion for kubectl-rook_deps
Register-ArgumentCompleter -Native -CommandName 'kubectl-rook_deps' -ScriptBlock {
  param($wordToComplete, $commandAst, $cursorPosition)
  $words = @($commandAst.CommandElements | Select-Object -Skip 1 |
    Where-Object { $_.Extent.StartOffset -lt $cursorPosition } | ForEach-Object { $_.ToString() })
  if ($wordToComplete -eq '') {
    # Before 7.3, an empty word was dropped on its way to a program.
    if ($PSVersionTable.PSVersion -lt [version]'7.3') { $words += '""' } else { $words += '' }
  }
  $prefix = if ($wordToComplete -match '^(--[^=]+=)') { $Matches[1] } else { '' }
  ${CALL} @words 2>$null | Where-Object { $_ -ne '' -and $_ -notmatch '^:\\d+$' } | ForEach-Object {
    $value, $description = $_ -split "\`t", 2
    if (-not $description) { $description = $value }
    [System.Management.Automation.CompletionResult]::new("$prefix$value", $value, 'ParameterValue', $description)
  }
}`;

/** What each shell has to be told. */
export const SHELL_SCRIPTS: Readonly<Record<string, string>> = {
  bash: BASH,
  zsh: ZSH,
  fish: FISH,
  powershell: POWERSHELL,
};
