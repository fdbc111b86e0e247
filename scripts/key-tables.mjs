/**
 * What the scripts that write pages of keys share: the keys of a JSON Schema, a line of a table for each in the words of the schema, and the judgement
 * of a page that is there already.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = new URL('..', import.meta.url);

/** All keys below a node: where they are, with the dots and \`[]\` of the page, and their schema. */
export function keysOf(node, at, entries = {}) {
  const { properties = {}, additionalProperties: values, items, anyOf = [], required = [] } = node;
  return [
    ...Object.entries(properties).flatMap(([key, child]) => {
      const path = at === '' ? key : `${at}.${key}`;
      return [{ path, node: child, isRequired: required.includes(key) }, ...keysOf(child, path, entries)];
    }),
    ...(typeof values === 'object' ? keysOf(values, `${at}.${entries[at] ?? 'NAME'}`, entries) : []),
    ...(items ? keysOf(items, `${at}[]`, entries) : []),
    ...anyOf.flatMap((choice) => keysOf(choice, at, entries)),
  ];
}

/** What a value may be, for each choice there is. */
function choicesOf(node) {
  if (node.title !== undefined) return [node.title];
  if (node.const !== undefined) return [`\`${node.const}\``];
  if (node.enum) return node.enum.map((one) => `\`${one}\``);
  if (node.anyOf) return node.anyOf.flatMap(choicesOf);
  if (node.type === 'array') return [`list of ${node.items ? valueText(node.items) : 'any'}`];
  if (node.type === 'boolean') return ['`true`', '`false`'];
  if (node.type === 'integer' || node.type === 'number') return [numberText(node)];
  return [{ string: 'text', object: 'keys', null: 'nothing' }[node.type] ?? 'any'];
}

export function valueText(node) {
  const choices = [...new Set(choicesOf(node))];
  const single = choices.filter((one) => !one.startsWith('list of ')).sort(textFirst);
  const lists = choices.filter((one) => one.startsWith('list of '));
  const ofThese = lists.length > 0 && single.length > 0;
  return [...single, ...(ofThese ? ['a list'] : lists)].join(', ');
}

const textFirst = (a, b) => Number(b === 'text') - Number(a === 'text');

function numberText({ minimum, maximum, exclusiveMinimum }) {
  const bounds = [minimum, maximum].map((one) => (Math.abs(one) >= Number.MAX_SAFE_INTEGER ? undefined : one));
  if (exclusiveMinimum !== undefined) return `number above ${exclusiveMinimum}`;
  if (bounds.every((one) => one !== undefined)) return `${bounds[0]} to ${bounds[1]}`;
  return bounds[0] === undefined ? 'number' : `number from ${bounds[0]}`;
}

/** A description ends with the default, where there is one. */
function described({ description = '', default: otherwise }) {
  const found = /^(.*?)\s*Default: (.*?)\.?$/s.exec(description);
  if (found) return { text: found[1], default: found[2] };
  return { text: description, default: typeof otherwise === 'object' ? undefined : otherwise };
}

const cell = (text) => text.replaceAll('|', '\\|').replaceAll('*', '\\*');

/** A line of a table; `pages`: where more is said of a key. */
export function row({ path, node, isRequired, spellings = [] }, pages = {}) {
  const { text, default: otherwise = isRequired ? 'required' : '–' } = described(node);
  const page = pages[path];
  const more = page ? ` [More](${page}).` : '';
  const names = [path, ...spellings.map((one) => one.slice(one.lastIndexOf('.') + 1))];
  return `| ${names.map((one) => `\`${one}\``).join(', ')} | ${valueText(node)} | ${cell(String(otherwise))} | ${cell(text)}${more} |`;
}

export function section(title, keys, pages) {
  const rows = keys.map((key) => row(key, pages)).join('\n');
  return `\n## ${title}\n\n| key | value | default | meaning |\n|---|---|---|---|\n${rows}\n`;
}

/** Lines of a table, in either page alone. */
function differences(wanted, found) {
  const rowsOf = (text) => text.split('\n').filter((line) => line.startsWith('| `'));
  const [here, there] = [new Set(rowsOf(wanted)), new Set(rowsOf(found))];
  return [
    ...[...here].filter((line) => !there.has(line)).map((line) => `the page lacks:      ${line}`),
    ...[...there].filter((line) => !here.has(line)).map((line) => `the schema has not:  ${line}`),
  ];
}

/**
 * `SCRIPT [--write] [SCHEMA [PAGE]]`: writes the page, or says on standard error what it lacks and what is too much, with exit code 1. `textOf` makes the
 * page of a schema.
 */
export function writeOrJudge({ script, page, schema, textOf }) {
  const options = process.argv.slice(2);
  const [schemaFile, pageFile] = options.filter((one) => !one.startsWith('--'));
  const target = pageFile ?? fileURLToPath(new URL(page, root));
  const source = schemaFile ?? fileURLToPath(new URL(schema, root));
  const wanted = textOf(JSON.parse(readFileSync(source, 'utf8')));
  if (options.includes('--write')) {
    writeFileSync(target, wanted);
    return;
  }
  const found = readFileSync(target, 'utf8');
  if (found === wanted) return;
  const lines = differences(wanted, found);
  const what = lines.length > 0 ? lines : ['the text around the tables, or their order, is another'];
  process.stderr.write(
    `${page} is not what the schema says:\n  ${what.join('\n  ')}\n` +
      `Add the lines that it lacks and take out the others: node ${script} --write\n`,
  );
  process.exitCode = 1;
}
