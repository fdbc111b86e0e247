/** What every script that writes a page of docs/ from what the program knows does with it: write it, or judge the page that is there. */
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = new URL('..', import.meta.url);
const options = process.argv.slice(2);

/** Names on the command line of the script. */
export function filesGiven() {
  return options.filter((one) => !one.startsWith('--'));
}

/**
 * With `--write` the page is written; without it, standard error says what it lacks and what is too much, and the exit code is 1. `page` is where it stands in
 * the repository, `pageFile` another place, `source` what it is written from.
 */
export function writeOrJudgeText({ script, page, pageFile, source, text }) {
  const target = pageFile ?? fileURLToPath(new URL(page, root));
  if (options.includes('--write')) {
    writeFileSync(target, text);
    return;
  }
  const found = readFileSync(target, 'utf8');
  if (found === text) return;
  const lines = differences(text, found, source);
  const what = lines.length > 0 ? lines : ['the text around the tables, or their order, is another'];
  process.stderr.write(
    `${page} is not what ${source} says:\n  ${what.join('\n  ')}\n` +
      `Add the lines that it lacks and take out the others: node ${script} --write\n`,
  );
  process.exitCode = 1;
}

/** Lines of a table, in either page alone. */
function differences(wanted, found, source) {
  const rowsOf = (text) => text.split('\n').filter((line) => line.startsWith('| `'));
  const [here, there] = [new Set(rowsOf(wanted)), new Set(rowsOf(found))];
  const strange = `${source} has not:`;
  return [
    ...[...here]
      .filter((line) => !there.has(line))
      .map((line) => `${'the page lacks:'.padEnd(strange.length)}  ${line}`),
    ...[...there].filter((line) => !here.has(line)).map((line) => `${strange}  ${line}`),
  ];
}
