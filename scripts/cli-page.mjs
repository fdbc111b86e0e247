/**
 * docs/cli.md from the commands themselves: what each is for, its arguments, options, defaults and examples, in the words of `--help`, so that there is one source.
 * It reads the build: `npm run setup` first. `--write` writes the page; without it the page is compared.
 *
 *     node scripts/cli-page.mjs [--write] [PAGE]
 */
import { buildProgram } from '../dist/app/cli/program.js';
import { filesGiven, writeOrJudgeText } from './generated-page.mjs';
import { cell } from './key-tables.mjs';

const INTRODUCTION = `# Every command

<!-- Written by \`node scripts/cli-page.mjs --write\` from the commands; the words are those of \`--help\`. -->

\`heddle COMMAND --help\` says the same on a terminal, and \`source <(heddle completion bash)\` completes it (zsh and fish, too). What a command asks a daemon, it
asks over a unix socket: that which \`--socket\` names, or \`HEDDLE_SOCKET\`, or the only one in \`/run/heddle\`.

## Exit codes

| exit code | meaning |
|---|---|
| \`0\` | done |
| \`1\` | failed; one line on standard error says what, where and why |
| \`2\` | wrong command line or configuration file: nothing was tried |

A command that ends otherwise says so below. \`HEDDLE_DEBUG=1\` adds a stack trace to errors.
`;

/** Told at the top of the page. */
const SAME_EVERYWHERE = /^Exit codes: 0 done, 1 failed, 2 wrong command line or configuration file\.$/;

/** What a command's help has behind its options, as lines. */
function linesAfter(command) {
  let text = '';
  command.configureOutput({
    writeOut: (piece) => {
      text += piece;
    },
  });
  command.outputHelp();
  return text.slice(command.helpInformation().length).split('\n');
}

/** Indented lines are examples; others are sentences. */
function after(command) {
  const lines = linesAfter(command).filter(
    (line) => line !== '' && line !== 'Examples:' && !SAME_EVERYWHERE.test(line),
  );
  const examples = lines.filter((line) => line.startsWith('  ')).map((line) => line.slice(2));
  const sentences = lines.filter((line) => !line.startsWith('  '));
  return [
    ...(sentences.length > 0 ? [`\n${sentences.map(asText).join('\n')}\n`] : []),
    `\n\`\`\`sh\n${examples.join('\n')}\n\`\`\`\n`,
  ].join('');
}

const asText = (line) => cell(line).replaceAll('<', '&lt;');

function defaultOf({ defaultValue, defaultValueDescription }, isRequired) {
  if (isRequired) return 'required';
  if (defaultValueDescription !== undefined) return defaultValueDescription;
  if (defaultValue === undefined || defaultValue === false || defaultValue.length === 0) return '–';
  return `\`${defaultValue}\``;
}

function meaningOf({ description, argChoices }) {
  const choices = argChoices ? ` (${argChoices.map((one) => `\`${one}\``).join(', ')})` : '';
  return asText(description) + choices;
}

const row = (name, one, isRequired) =>
  `| \`${name.replaceAll('|', '\\|')}\` | ${defaultOf(one, isRequired)} | ${meaningOf(one)} |`;

function table(command) {
  const rows = [
    ...command.registeredArguments.map((one) => row(argumentText(one), one, one.required)),
    ...command.options.filter(({ hidden }) => !hidden).map((one) => row(one.flags, one, one.mandatory)),
  ];
  return rows.length === 0 ? '' : `\n| argument or option | default | meaning |\n|---|---|---|\n${rows.join('\n')}\n`;
}

const argumentText = (one) => {
  const text = `${one.name()}${one.variadic ? '...' : ''}`;
  return one.required ? text : `[${text}]`;
};

/** A command and all below it; `words` lead to it. */
function sections(command, words) {
  const named = [...words, command.name()];
  const level = '#'.repeat(Math.min(named.length, 4));
  const aliases = command.aliases().map((one) => `\`${one}\``);
  const also = aliases.length > 0 ? ` Also: ${aliases.join(', ')}.` : '';
  return [
    `\n${level} ${named.join(' ')}\n\n${sentence(command.description())}${also}\n${table(command)}${after(command)}`,
    ...shown(command).flatMap((child) => sections(child, named)),
  ].join('');
}

const shown = (command) => command.commands.filter(({ _hidden }) => !_hidden);

const sentence = (text) => `${asText(text[0].toUpperCase() + text.slice(1)).replace(/\.?$/, '')}.`;

function contents(program) {
  const line = (command) => {
    const anchor = `heddle-${command.name()}`;
    return `- [\`heddle ${command.name()}\`](#${anchor}): ${asText(command.description())}`;
  };
  return `\n${shown(program).map(line).join('\n')}\n`;
}

const program = await buildProgram();
const text = [
  INTRODUCTION,
  '\n## The commands\n',
  contents(program),
  ...shown(program).map((command) => sections(command, [program.name()])),
].join('');
writeOrJudgeText({
  script: 'scripts/cli-page.mjs',
  page: 'docs/cli.md',
  pageFile: filesGiven()[0],
  source: 'the command line',
  text,
});
