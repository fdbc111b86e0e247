/**
 * docs/configuration.md from schema/heddle-config.schema.json: every key on one line, in the words of the schema, so that there is one
 * source. `--write` writes the page; without it the page is compared, and what is missing or too much is said, with what to do.
 *
 *     node scripts/configuration-page.mjs [--write] [SCHEMA [PAGE]]
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = new URL('..', import.meta.url);

/** Names of what a mapping has any number of. */
const ENTRIES = {
  fabric: 'INTERFACE',
  hosts: 'INTERFACE',
  neighbors: 'ADDRESS',
  neighbours: 'ADDRESS',
  'peer-groups': 'NAME',
  'prefix-lists': 'NAME',
  'community-lists': 'NAME',
  policies: 'NAME',
};

/** Sections whose keys are told once where they are the same. */
const SESSIONS = ['fabric', 'neighbors', 'peer-groups'];

/** Another spelling of a whole section. */
const SPELLINGS = { neighbours: 'neighbors' };

/** Where more is said of a key at the top of the file. */
const PAGES = {
  dpf: 'dpf.md',
  'graceful-restart': 'graceful-restart.md',
  'hold-down': 'operations.md',
  'wait-for-convergence': 'operations.md',
  neighbors: 'neighbors.md',
  'peer-groups': 'neighbors.md',
  policies: 'policy.md',
  'prefix-lists': 'policy.md',
  'community-lists': 'policy.md',
  'link-bandwidth': 'multipath.md',
  'next-next-hop': 'multipath.md',
  fib: 'fib.md',
  'load-balancing': 'load-balancing.md',
};

const INTRODUCTION = `# Every key of the configuration file

<!-- Written by \`node scripts/configuration-page.mjs --write\` from schema/heddle-config.schema.json; the words are those of the schema. -->

\`heddle check FILE\` names every mistake at once, with line, column and the key that was probably meant; \`heddle check --schema\` prints the
schema for editors. A file needs \`name\`, \`role\`, \`as\`, and \`fabric\` or \`neighbors\`; everything else has a default, or is not there without
its key (–). \`INTERFACE\`, \`ADDRESS\` and \`NAME\` stand for any, \`[]\` for each entry of a list. Two spellings in one line are one key.
`;

/** All keys below a node: where they are, with the dots and \`[]\` of the page, and their schema. */
function keysOf(node, at) {
  const { properties = {}, additionalProperties: values, items, anyOf = [], required = [] } = node;
  return [
    ...Object.entries(properties).flatMap(([key, child]) => {
      const path = at === '' ? key : `${at}.${key}`;
      return [{ path, node: child, isRequired: required.includes(key) }, ...keysOf(child, path)];
    }),
    ...(typeof values === 'object' ? keysOf(values, `${at}.${ENTRIES[at] ?? 'NAME'}`) : []),
    ...(items ? keysOf(items, `${at}[]`) : []),
    ...anyOf.flatMap((choice) => keysOf(choice, at)),
  ];
}

/** What a value may be, for each choice there is. */
function choicesOf(node) {
  if (node.const !== undefined) return [`\`${node.const}\``];
  if (node.enum) return node.enum.map((one) => `\`${one}\``);
  if (node.anyOf) return node.anyOf.flatMap(choicesOf);
  if (node.type === 'array') return [`list of ${node.items ? valueText(node.items) : 'any'}`];
  if (node.type === 'boolean') return ['`true`', '`false`'];
  if (node.type === 'integer' || node.type === 'number') return [numberText(node)];
  return [{ string: 'text', object: 'keys', null: 'nothing' }[node.type] ?? 'any'];
}

function valueText(node) {
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
function described({ description = '' }) {
  const found = /^(.*?)\s*Default: (.*?)\.?$/s.exec(description);
  return found ? { text: found[1], default: found[2] } : { text: description, default: undefined };
}

/** Another spelling of the key before it says no more than that. */
function withSpellings(keys) {
  const spellingOf = ({ path, node }) => {
    const [, name] = /^As ([a-z-]+)\.$/.exec(node.description ?? '') ?? [];
    return SPELLINGS[path] ?? (name && path.slice(0, path.lastIndexOf('.') + 1) + name);
  };
  return keys
    .filter((key) => spellingOf(key) === undefined)
    .map((key) => ({ ...key, spellings: keys.filter((one) => spellingOf(one) === key.path).map(({ path }) => path) }));
}

const cell = (text) => text.replaceAll('|', '\\|').replaceAll('*', '\\*');

function row({ path, node, isRequired, spellings }) {
  const { text, default: otherwise = isRequired ? 'required' : '–' } = described(node);
  const page = PAGES[path];
  const more = page ? ` [More](${page}).` : '';
  const names = [path, ...spellings.map((one) => one.slice(one.lastIndexOf('.') + 1))];
  return `| ${names.map((one) => `\`${one}\``).join(', ')} | ${valueText(node)} | ${cell(otherwise)} | ${cell(text)}${more} |`;
}

function section(title, keys) {
  const rows = keys.map(row).join('\n');
  return `\n## ${title}\n\n| key | value | default | meaning |\n|---|---|---|---|\n${rows}\n`;
}

/** What holds in some of the sections of sessions in the same words is told once, under the places where it holds. */
function sessionSections(topOf) {
  const places = new Map();
  for (const name of SESSIONS) {
    const entry = `${name}.${ENTRIES[name]}`;
    for (const key of topOf(name).filter(({ path }) => path.startsWith(`${entry}.`))) {
      const short = { ...key, path: key.path.slice(entry.length + 1) };
      const same = row(short);
      places.set(same, { key: short, entries: [...(places.get(same)?.entries ?? []), `\`${entry}\``] });
    }
  }
  const groups = grouped([...places.values()], ({ entries }) => entries.join(', '));
  return [...groups].map(([title, members]) =>
    section(
      `Under ${title}`,
      members.map(({ key }) => key),
    ),
  );
}

function grouped(values, nameOf) {
  const groups = new Map();
  for (const value of values) groups.set(nameOf(value), [...(groups.get(nameOf(value)) ?? []), value]);
  return groups;
}

function page(schema) {
  const isOnce = ({ path }) => !Object.keys(SPELLINGS).some((name) => path.startsWith(`${name}.`));
  const all = withSpellings(keysOf(schema, '').filter(isOnce));
  const topOf = (name) =>
    all.filter(({ path }) => path === name || [`${name}.`, `${name}[`].some((start) => path.startsWith(start)));
  const names = all.map(({ path }) => path).filter((path) => path in schema.properties);
  const isPlain = (name) => SESSIONS.includes(name) || topOf(name).length === 1;
  const top = names.filter(isPlain).flatMap((name) => all.filter(({ path }) => path === name));
  const rest = names.filter((name) => !isPlain(name)).map((name) => section(`\`${name}\``, topOf(name)));
  return [INTRODUCTION, section('The router', top), ...sessionSections(topOf), ...rest].join('');
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

const options = process.argv.slice(2);
const [schemaFile, pageFile] = options.filter((one) => !one.startsWith('--'));
const target = pageFile ?? fileURLToPath(new URL('docs/configuration.md', root));
const source = schemaFile ?? fileURLToPath(new URL('schema/heddle-config.schema.json', root));
const wanted = page(JSON.parse(readFileSync(source, 'utf8')));
if (options.includes('--write')) writeFileSync(target, wanted);
else {
  const found = readFileSync(target, 'utf8');
  if (found !== wanted) {
    const lines = differences(wanted, found);
    const what = lines.length > 0 ? lines : ['the text around the tables, or their order, is another'];
    process.stderr.write(
      `docs/configuration.md is not what the schema says:\n  ${what.join('\n  ')}\n` +
        'Add the lines that it lacks and take out the others: node scripts/configuration-page.mjs --write\n',
    );
    process.exitCode = 1;
  }
}
