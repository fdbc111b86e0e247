/** `heddle completion SHELL`: the script that a shell reads; and `heddle complete`, which that script asks for every TAB. */
import { Argument, type Command } from 'commander';
import { type Candidate, complete } from '../completion/complete.js';
import { names } from '../completion/names.js';
import { SCRIPTS, SHELLS, type Shell } from '../completion/scripts.js';
import { examples } from '../examples.js';
import { print } from '../terminal.js';

const HOW = `
Commands, options and their values are completed, and names: of daemons, neighbors, prefixes, labs, nodes and links that are there.
${examples(
  'source <(heddle completion bash)                                        in this bash; in ~/.bashrc, in every one',
  'source <(heddle completion zsh)                                         the same for zsh, behind compinit',
  'heddle completion fish > ~/.config/fish/completions/heddle.fish         for fish',
)}`;

export function register(program: Command): void {
  program
    .command('completion')
    .description('the script that lets a shell complete commands and names')
    .addArgument(new Argument('<SHELL>', 'the shell').choices(SHELLS))
    .addHelpText('after', HOW)
    .action((shell: Shell) => print(SCRIPTS[shell].trimEnd().split('\n')));
  program
    .command('complete', { hidden: true })
    .description('what may stand at the end of a command line; for the scripts of `heddle completion`')
    .argument('[WORDS...]', 'words after heddle, the one at the cursor being the last')
    .addHelpText('after', examples('heddle complete -- show ro'))
    .action(async (words: readonly string[]) => print((await complete(program, words, names)).map(line)));
}

/** Descriptions are of one line each, and have no tab. */
function line({ value, description }: Candidate): string {
  return description === '' ? value : `${value}\t${description}`;
}
