/**
 * docs/study.md from schema/heddle-study.schema.json: every key of a study on one line, in the words of the schema, so that there is one source. `--write`
 * writes the page; without it the page is compared, and what is missing or too much is said, with what to do.
 *
 *     node scripts/study-page.mjs [--write] [SCHEMA [PAGE]]
 */
import { keysOf, section, writeOrJudge } from './key-tables.mjs';

const INTRODUCTION = `# Every key of a study

<!-- Written by \`node scripts/study-page.mjs --write\` from schema/heddle-study.schema.json; the words are those of the schema. -->

What a study is, and what comes of it: [simulator.md](simulator.md). \`heddle sim compare FILE\` names every mistake with line, column and key before anything
runs; \`heddle sim schema\` prints the schema for editors. Rates are written \`100G\`, times \`2ms\`, octets \`9MiB\` or \`400KB\`, shares \`50%\`. A key without a default (–) is
not there unless it is given. Where profiles differ, the default is that of each.
`;

/** Sections whose choices have tables of their own. */
const CHOICES = ['topology', 'workload'];

/** Descriptions are no sentences here, and end without a stop before the default. */
function withoutStop({ node, ...key }) {
  return { ...key, node: { ...node, description: node.description?.replace('. Default: ', ' Default: ') } };
}

function page(schema) {
  const all = keysOf(schema, '').map(withoutStop);
  const below = (name) => all.filter(({ path }) => [`${name}.`, `${name}[`].some((start) => path.startsWith(start)));
  const names = Object.keys(schema.properties);
  const sections = names.filter((name) => below(name).length > 0);
  const top = all.filter(({ path }) => names.includes(path));
  const tables = sections.flatMap((name) => {
    if (!CHOICES.includes(name)) return [section(`\`${name}\``, below(name))];
    const choices = Object.keys(schema.properties[name].properties).map((key) => `${name}.${key}`);
    const own = below(name).filter(({ path }) => choices.includes(path));
    const parts = choices.filter((path) => below(path).length > 0);
    return [section(`\`${name}\``, own), ...parts.map((path) => section(`\`${path}\``, below(path)))];
  });
  return [INTRODUCTION, section('The study', top), ...tables].join('');
}

writeOrJudge({
  script: 'scripts/study-page.mjs',
  page: 'docs/study.md',
  schema: 'schema/heddle-study.schema.json',
  textOf: page,
});
