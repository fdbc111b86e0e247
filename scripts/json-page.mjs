/**
 * docs/json.md from schema/heddle-api.json: the fields of what `heddle ... --json` prints, in the words of the schemas. `--write` writes the page; without it the
 * page is compared, and what is missing or too much is said, with what to do.
 *
 *     node scripts/json-page.mjs [--write] [SCHEMA [PAGE]]
 */
import { shapeText } from './json-fields.mjs';
import { cell, keysOf, writeOrJudge } from './key-tables.mjs';

const INTRODUCTION = `# The fields of \`--json\`

<!-- Written by \`node scripts/json-page.mjs --write\` from schema/heddle-api.json; the words are those of the schemas. -->

Commands that ask a daemon print with \`--json\` what [the control API](api.md) answers. It can be built on:

- within one \`apiVersion\` (\`heddle show summary --json | jq .apiVersion\`) fields are added, never renamed or removed;
- every field is always there, with \`null\` where there is nothing to say, unless "may be absent" stands by it;
- names are camelCase; durations end in \`Ms\` and are milliseconds; moments are ISO 8601; addresses and prefixes are text as RFC 5952 has it; AIGP, which may have
  64 bits, is decimal text; lists are arrays, also with one entry.

\`show routes\`, \`show fib\`, \`show fabric\` and \`show dlb --prefixes\` are in the order of prefixes, which the API does not promise. \`watch --json\` prints an
[event](#event) a line. \`neighbor --json\` adds the \`command\`. Commands that ask no daemon (\`check\`, \`doctor\`, \`verify\`, \`trace\`, \`lab\`, \`sim\` and others) have JSON of
their own, which [the commands' page](cli.md) names, without this promise.
`;

const row = (name, node, isRequired) => {
  const absent = isRequired ? '' : ' (may be absent)';
  return `| \`${name}\` | ${cell(shapeText(node))}${absent} | ${cell(node.description ?? '')} |`;
};

function table(schema) {
  const rows = keysOf(schema, '').map(({ path, node, isRequired }) => row(path, node, isRequired));
  return `| field | value | meaning |\n|---|---|---|\n${rows.join('\n')}\n`;
}

/** A table, or one for each choice where there are several. */
function section(name, schema) {
  if (!schema.oneOf) return `\n## ${name}\n\n${table(schema)}`;
  const parts = schema.oneOf.map((one) => `\n\`${one.properties.kind.const}\`: ${one.description}\n\n${table(one)}`);
  return `\n## ${name}\n${parts.join('')}`;
}

function commands(paths) {
  const lines = Object.values(paths).flatMap((methods) =>
    Object.values(methods).flatMap(({ description = '', responses }) => {
      const command = /`(heddle .*?)`/.exec(description)?.[1];
      const schema = responses[200].content['application/json']?.schema;
      if (!command || !schema || schema.items?.type === 'string' || command === 'heddle api') return [];
      return [`| \`${command} --json\` | ${shapeText(schema)} |`];
    }),
  );
  return `\n| command | prints |\n|---|---|\n${lines.join('\n')}\n| \`heddle watch --json\` | [Event](#event), one a line |\n`;
}

function page({ paths, components }) {
  const sections = Object.entries(components.schemas).map(([name, schema]) => section(name, schema));
  return [INTRODUCTION, commands(paths), ...sections].join('');
}

writeOrJudge({
  script: 'scripts/json-page.mjs',
  page: 'docs/json.md',
  schema: 'schema/heddle-api.json',
  textOf: page,
});
