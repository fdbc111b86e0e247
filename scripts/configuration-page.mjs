/**
 * docs/configuration.md from schema/heddle-config.schema.json: every key on one line, in the words of the schema, so that there is one
 * source. `--write` writes the page; without it the page is compared, and what is missing or too much is said, with what to do.
 *
 *     node scripts/configuration-page.mjs [--write] [SCHEMA [PAGE]]
 */
import { keysOf, row, section, writeOrJudge } from './key-tables.mjs';

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
  control: 'api.md',
};

const INTRODUCTION = `# Every key of the configuration file

<!-- Written by \`node scripts/configuration-page.mjs --write\` from schema/heddle-config.schema.json; the words are those of the schema. -->

\`heddle check FILE\` names every mistake at once, with line, column and the key that was probably meant; \`heddle check --schema\` prints the
schema for editors. A file needs \`name\`, \`role\`, \`as\`, and \`fabric\` or \`neighbors\`; everything else has a default, or is not there without
its key (–). \`INTERFACE\`, \`ADDRESS\` and \`NAME\` stand for any, \`[]\` for each entry of a list. Two spellings in one line are one key.
`;

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

/** What holds in some of the sections of sessions in the same words is told once, under the places where it holds. */
function sessionSections(topOf) {
  const places = new Map();
  for (const name of SESSIONS) {
    const entry = `${name}.${ENTRIES[name]}`;
    for (const key of topOf(name).filter(({ path }) => path.startsWith(`${entry}.`))) {
      const short = { ...key, path: key.path.slice(entry.length + 1) };
      const same = row(short, PAGES);
      places.set(same, { key: short, entries: [...(places.get(same)?.entries ?? []), `\`${entry}\``] });
    }
  }
  const groups = grouped([...places.values()], ({ entries }) => entries.join(', '));
  return [...groups].map(([title, members]) =>
    section(
      `Under ${title}`,
      members.map(({ key }) => key),
      PAGES,
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
  const all = withSpellings(keysOf(schema, '', ENTRIES).filter(isOnce));
  const topOf = (name) =>
    all.filter(({ path }) => path === name || [`${name}.`, `${name}[`].some((start) => path.startsWith(start)));
  const names = all.map(({ path }) => path).filter((path) => path in schema.properties);
  const isPlain = (name) => SESSIONS.includes(name) || topOf(name).length === 1;
  const top = names.filter(isPlain).flatMap((name) => all.filter(({ path }) => path === name));
  const rest = names.filter((name) => !isPlain(name)).map((name) => section(`\`${name}\``, topOf(name), PAGES));
  return [INTRODUCTION, section('The router', top, PAGES), ...sessionSections(topOf), ...rest].join('');
}

writeOrJudge({
  script: 'scripts/configuration-page.mjs',
  page: 'docs/configuration.md',
  schema: 'schema/heddle-config.schema.json',
  textOf: page,
});
