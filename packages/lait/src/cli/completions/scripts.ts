/** Shells that a completion script is written for. */
export type CompletionShell = 'bash' | 'zsh' | 'fish' | 'powershell';

/**
 * A script that asks `lait __complete -- WORDS…` for proposals. The answer is one word a line; the word `:files` stands
 * for the shell's own completion of file names.
 */
export function completionScript(shell: CompletionShell): string {
  return scripts[shell];
}

const scripts: Readonly<Record<CompletionShell, string>> = {
  bash: `# bash completion for lait
_lait() {
  local word files=0
  local words=("\${COMP_WORDS[@]:1:COMP_CWORD}")
  COMPREPLY=()
  while IFS= read -r word; do
    if [[ $word == :files ]]; then files=1; else COMPREPLY+=("$(printf '%q' "$word")"); fi
  done < <(lait __complete -- "\${words[@]}" 2>/dev/null)
  if ((files)); then
    compopt -o filenames 2>/dev/null
    while IFS= read -r word; do COMPREPLY+=("$word"); done < <(compgen -f -- "\${COMP_WORDS[COMP_CWORD]}")
  fi
}
complete -F _lait lait
`,
  zsh: `#compdef lait
# zsh completion for lait
_lait() {
  local -a proposals
  proposals=("\${(@f)$(lait __complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  if (( \${proposals[(Ie):files]} )); then
    proposals=("\${(@)proposals:#:files}")
    _files
  fi
  proposals=("\${(@)proposals:#}")
  (( \${#proposals} )) && compadd -- "\${proposals[@]}"
  return 0
}
if [[ \${funcstack[1]} == _lait ]]; then _lait "$@"; else compdef _lait lait; fi
`,
  fish: `# fish completion for lait
function __lait_complete
    set -l words (commandline -opc) (commandline -ct)
    for word in (lait __complete -- $words[2..-1] 2>/dev/null)
        if test "$word" = ":files"
            __fish_complete_path (commandline -ct)
        else
            echo $word
        end
    end
end
complete -c lait -f -a '(__lait_complete)'
`,
  powershell: `# PowerShell completion for lait
Register-ArgumentCompleter -Native -CommandName lait -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)
    $words = @($commandAst.CommandElements | Select-Object -Skip 1 | ForEach-Object { $_.ToString() })
    if ($wordToComplete -eq '') { $words += '""' }
    foreach ($word in (lait __complete -- @words 2>$null)) {
        if ($word -eq ':files') {
            [System.Management.Automation.CompletionCompleters]::CompleteFilename($wordToComplete)
        } else {
            [System.Management.Automation.CompletionResult]::new($word, $word, 'ParameterValue', $word)
        }
    }
}
`,
};
