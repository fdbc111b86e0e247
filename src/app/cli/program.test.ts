import type { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { buildProgram } from './program.js';

/** The command and all below it, each with the words that lead to it. */
function tree(command: Command, above: readonly string[] = []): [string, Command][] {
  const words = [...above, command.name()];
  return [[words.join(' '), command], ...command.commands.flatMap((child) => tree(child, words))];
}

function helpOf(command: Command): string {
  let text = '';
  command.configureOutput({
    writeOut: (piece) => {
      text += piece;
    },
  });
  command.outputHelp();
  return text;
}

/** Those that answer nothing: they run, write files of formats of their own, pass on what others say, or say that it is done. */
const JSON_FREE = new Set(
  [
    ...['run', 'demo', 'demo rlb', 'dump mrt', 'tech-support', 'completion', 'complete', 'ui', 'api'],
    ...['lab up', 'lab down', 'lab fail', 'lab heal', 'lab exec', 'lab export', 'lab ui', 'sim flows', 'sim schema'],
  ].map((words) => `heddle ${words}`),
);

const program = await buildProgram();

describe('--help', () => {
  it.each(tree(program))('%s shows what it is for and examples of its own', (words, command) => {
    const help = helpOf(command);
    const shown = help.slice(help.indexOf('\nExamples:\n'));
    expect(command.description()).not.toBe('');
    expect(shown).toContain(words);
  });

  it.each(tree(program).filter(([words, { commands }]) => commands.length === 0 && !JSON_FREE.has(words)))(
    '%s answers in JSON where that is asked for',
    (_words, command) => {
      expect(command.options.map(({ long }) => long)).toContain('--json');
    },
  );

  it('knows the commands of every file', () => {
    expect(tree(program).map(([words]) => words)).toEqual(
      expect.arrayContaining(['heddle lab down', 'heddle policy test', 'heddle dump mrt', 'heddle show route']),
    );
  });

  it.each(tree(program))('%s describes every option and argument', (_words, command) => {
    const undescribed = [...command.options, ...command.registeredArguments].filter(({ description }) => !description);
    expect(undescribed.map((one) => one.name())).toEqual([]);
  });
});
