/**
 * Shell completion. The scripts know no command and no option: they ask the command itself, by `__complete`, each time. What it
 * answers is told in complete.ts. Pure.
 */
export type Shell = 'bash' | 'zsh' | 'fish';

export function completionScript(shell: Shell): string {
  return scripts[shell];
}

const scripts: Readonly<Record<Shell, string>> = {
  bash: `_kurator() {
  local answer line
  answer=$(kurator __complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null) || return
  COMPREPLY=()
  while IFS= read -r line; do
    [[ -n $line ]] && COMPREPLY+=("\${line%%$'\\t'*}")
  done <<< "\${answer%:*}"
  case "\${answer##*:}" in
    0) compopt -o default 2>/dev/null ;;
    16) compopt -o filenames 2>/dev/null
      while IFS= read -r line; do COMPREPLY+=("$line"); done < <(compgen -d -- "\${COMP_WORDS[COMP_CWORD]}") ;;
  esac
}
complete -F _kurator kurator`,

  zsh: `#compdef kurator
_kurator() {
  local answer line
  local -a entries
  answer=$(kurator __complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null) || return
  for line in "\${(@f)\${answer%:*}}"; do
    [[ -n $line ]] && entries+=("\${\${line//:/\\\\:}/$'\\t'/:}")
  done
  (( $#entries )) && _describe kurator entries
  case "\${answer##*:}" in
    (0) _files ;;
    (16) _files -/ ;;
  esac
}
if [ "$funcstack[1]" = _kurator ]; then _kurator "$@"; else compdef _kurator kurator; fi`,

  fish: `function __kurator_complete
  set -l answer (kurator __complete -- (commandline -opc)[2..-1] (commandline -ct) 2>/dev/null)
  or return
  test (count $answer) -gt 1; and printf '%s\\n' $answer[1..-2]
  switch $answer[-1]
    case :0
      __fish_complete_path (commandline -ct)
    case :16
      __fish_complete_directories (commandline -ct)
  end
end
complete -c kurator -f -a '(__kurator_complete)'`,
};
