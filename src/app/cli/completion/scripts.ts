/**
 * What a shell is told of completion: for every TAB it runs `heddle complete -- WORDS`, which answers a line for each candidate, value and description
 * with a tab between. A value that ends in a slash goes on.
 */

export const SHELLS = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof SHELLS)[number];

/** Words are cut at blanks here: bash cuts at colons too, of which addresses are full, and puts back only what is behind the last one. */
const BASH = `# bash completion of heddle
_heddle() {
  local line=\${COMP_LINE:0:COMP_POINT} words candidate
  read -ra words <<< "$line"
  [[ $line == *[[:blank:]] ]] && words+=("")
  local word=\${words[-1]} kept=""
  [[ $COMP_WORDBREAKS == *:* && $word == *:* ]] && kept=\${word%"\${word##*:}"}
  [[ $COMP_WORDBREAKS == *=* && $word == --*=* && $kept != *=* ]] && kept=\${word%"\${word#*=}"}
  COMPREPLY=()
  while IFS=$'\\t' read -r candidate _; do
    COMPREPLY+=("\${candidate#"$kept"}")
  done < <("\${COMP_WORDS[0]}" complete -- "\${words[@]:1}" 2>/dev/null)
  [[ \${#COMPREPLY[@]} -eq 1 && \${COMPREPLY[0]} == */ ]] && compopt -o nospace
}
complete -F _heddle heddle
`;

const ZSH = `#compdef heddle
# zsh completion of heddle
_heddle() {
  local -a lines plain going
  local line value
  lines=("\${(@f)$(_call_program heddle "\${(q)words[1]}" complete -- "\${(@q)words[2,CURRENT]}" 2>/dev/null)}")
  for line in $lines; do
    value=\${\${line%%$'\\t'*}//:/\\\\:}
    if [[ $value == */ ]]; then going+=("$value"); else plain+=("$value:\${line#*$'\\t'}"); fi
  done
  (( $#plain )) && _describe heddle plain
  (( $#going )) && _describe heddle going -S ''
}
if [[ $funcstack[1] == _heddle ]]; then _heddle "$@"; else compdef _heddle heddle; fi
`;

const FISH = `# fish completion of heddle
function __heddle_complete
    set -l words (commandline -opc) (commandline -ct)
    $words[1] complete -- $words[2..-1] 2>/dev/null
end
complete -c heddle -f -a '(__heddle_complete)'
`;

export const SCRIPTS: Readonly<Record<Shell, string>> = { bash: BASH, zsh: ZSH, fish: FISH };
