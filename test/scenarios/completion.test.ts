/** The scripts of `heddle completion` in the shells themselves. */
import { execFileSync, spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const BIN = fileURLToPath(new URL('../../bin', import.meta.url));

/** Words of the answer; `script` sees heddle in its path. */
function answerOf(shell: string, words: readonly string[]): string[] {
  const env = { ...process.env, PATH: `${BIN}:${process.env.PATH}` };
  return execFileSync(shell, words, { env, encoding: 'utf8' }).split('\n').filter(Boolean);
}

/** As readline calls it. */
function inBash(line: string): string[] {
  const script = `source <(heddle completion bash)
    COMP_LINE=$1; COMP_POINT=\${#1}; COMP_WORDS=(heddle); _heddle
    (( \${#COMPREPLY[@]} )) && printf '%s\\n' "\${COMPREPLY[@]}"; :`;
  return answerOf('bash', ['-c', script, 'bash', line]);
}

function missing(shell: string): boolean {
  const absent = spawnSync(shell, ['-c', ':']).error !== undefined;
  if (absent) console.log(`skipped: there is no ${shell} here`);
  return absent;
}

describe('completion', () => {
  it('in bash has commands, choices, and values behind a colon or an equals sign', () => {
    expect(inBash('heddle sho')).toEqual(['show']);
    expect(inBash('heddle show routes --family=ipv')).toEqual(['ipv4', 'ipv6']);
    expect(inBash('heddle completion ')).toEqual(['bash', 'zsh', 'fish']);
  });

  it.skipIf(missing('fish'))('in fish has commands and choices with what they are for', () => {
    const ask = (line: string) =>
      answerOf('fish', ['--no-config', '-c', 'heddle completion fish | source; complete -C $argv[1]', line]);
    expect(ask('heddle sho')).toEqual(['show\task a running daemon']);
    expect(ask('heddle show routes --family ')).toEqual(['ipv4', 'ipv6']);
  });

  it.skipIf(missing('zsh'))('in zsh has commands, on a terminal', () => {
    const script = `zmodload zsh/zpty
      zpty z 'PS1="ready> " TERM=dumb zsh -f -i'
      zpty -w z 'autoload -U compinit && compinit -u -D && source <(heddle completion zsh) && bindkey "^I" complete-word && echo don""e'
      zpty -r -m z x '*done*'; zpty -w -n z $'heddle show rou\\t'
      zpty -r -m z y '*rou*te*'; print -r -- $y; zpty -d z`;
    const [seen = ''] = answerOf('zsh', ['-f', '-c', script]).slice(-1);
    expect(seen.replaceAll('\u0007', '')).toContain('heddle show route');
  });
});
