/** What the scripts that write pages of keys share: the keys of a JSON Schema, and a line of a table for each in the words of the schema. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { filesGiven, writeOrJudgeText } from './generated-page.mjs';

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

export const cell = (text) => text.replaceAll('|', '\\|').replaceAll('*', '\\*');

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

/** `SCRIPT [--write] [SCHEMA [PAGE]]`: what `generated-page.mjs` says, of the page that `textOf` makes of a schema. */
export function writeOrJudge({ script, page, schema, textOf }) {
  const [schemaFile, pageFile] = filesGiven();
  const source = schemaFile ?? fileURLToPath(new URL(schema, root));
  writeOrJudgeText({
    script,
    page,
    pageFile,
    source: 'the schema',
    text: textOf(JSON.parse(readFileSync(source, 'utf8'))),
  });
}
