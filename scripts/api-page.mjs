/**
 * docs/api.md from schema/heddle-api.json: every path with what it takes and gives, in the words of the OpenAPI document. `--write` writes the page; without it
 * the page is compared, and what is missing or too much is said, with what to do.
 *
 *     node scripts/api-page.mjs [--write] [SCHEMA [PAGE]]
 */
import { shapeText } from './json-fields.mjs';
import { cell, writeOrJudge } from './key-tables.mjs';

const INTRODUCTION = `# The control API

<!-- Written by \`node scripts/api-page.mjs --write\` from schema/heddle-api.json; the words are those of the document. -->

Whatever \`heddle\` shows of a daemon and tells it goes over HTTP with JSON, on a unix socket that its owner alone can open:

    curl --unix-socket /run/heddle/leaf1.sock http://heddle/summary
    curl --unix-socket /run/heddle/leaf1.sock 'http://heddle/routes?family=ipv4&limit=20'
    curl --unix-socket /run/heddle/leaf1.sock -d '{"message": "optics are replaced"}' http://heddle/neighbors/to-spine1/shutdown
    curl -N --unix-socket /run/heddle/leaf1.sock 'http://heddle/events?kinds=session'

The OpenAPI 3.1 document is \`GET /openapi.json\`, \`heddle api\`, and [in the repository](../schema/heddle-api.json). Fields are on [a page of
their own](json.md). Within one \`apiVersion\` paths and fields are added, never renamed or removed: a client passes over what it does not know. Text in a path is
percent-encoded; the slash of a prefix may stand as it is. What a daemon serves below \`/page\` is for [its page](fabric-page.md), and may be otherwise in the next version.
`;

const RULES = `
## Refusals

A refusal is JSON too, \`{ "error": "no neighbor eth9" }\`: what is wrong, a line for each reason. What is unknown is never passed over: a misspelt query parameter or
field of a body is named, with those that there are.

| status | when |
|---|---|
`;

const OTHERS = [
  ['404', 'There is no such path; the answer names those that there are.'],
  ['405', 'The path takes another method; `Allow` has it.'],
  ['408', 'The request did not come in ten seconds, its headers not in five.'],
  ['431', 'The headers are longer than 8 KiB.'],
];

const LIMITS = `
## Limits

256 clients may be connected to a listener, 32 of them to events and 32 to the page, and 4 may ask for \`/fib/diff\`; the next is told so (503). A client that takes nothing
for a minute is left, and a connection is closed after 100 requests.
Long tables are made piece by piece, only as fast as they are taken, and in each turn of the daemon's loop one piece for one client: what many ask at once comes
later, and holds up no session: with 200 clients that asked for tables of 5000 prefixes without a pause, every KEEPALIVE was less than 50 ms late on two busy cores
(\`test/scenarios/control-load.test.ts\`).
`;

const OVER_TCP = `
## Over TCP

\`control\` in the configuration opens a TCP address beside the socket, for who has a token:

    control:
      listen: "[::]:8443"                      # without tls only 127.0.0.1 and [::1]
      token-file: /etc/heddle/token            # its owner's alone: openssl rand -base64 32 > token, chmod 600 token
      tls: { certificate: /etc/heddle/leaf1.pem, key: /etc/heddle/leaf1.key }
      access: read-only                        # commands are refused here, not on the socket

    heddle show neighbors --api https://leaf1:8443 --token-file ~/.heddle-token --ca ca.pem
    curl --cacert ca.pem -H "Authorization: Bearer $(cat ~/.heddle-token)" https://leaf1:8443/summary

\`show\`, \`explain\`, \`watch\`, \`neighbor\`, \`reload\` and \`dump\` take \`--api\`. A reload reads the token and the certificate again: whoever was let in by
another token is let go, and files that cannot be used change nothing. Another address or \`access\` needs a restart. What that opens: [security.md](security.md#what-is-open).
`;

const operationsOf = (paths, method) =>
  Object.entries(paths).flatMap(([path, methods]) => (methods[method] ? [{ path, ...methods[method] }] : []));

/** `heddle show summary`, of a description that says so. */
const commandOf = ({ description = '' }) => /`(heddle .*?)`/.exec(description)?.[0] ?? '–';

const parametersOf = ({ parameters = [] }) =>
  parameters.map(({ name, in: where, description }) => `\`${where === 'path' ? `{${name}}` : name}\`: ${description}`);

function givesText({ responses }) {
  const [[type, { schema }]] = Object.entries(responses[200].content);
  if (type !== 'application/json') return `${responses[200].description.replace(/\.$/, '')}, \`${type.split(';')[0]}\``;
  return shapeText(schema, 'json.md');
}

function bodyText({ requestBody }) {
  const { properties } = requestBody.content['application/json'].schema;
  const fields = Object.entries(properties).map(([name, { description }]) => `\`${name}\`: ${description}`);
  return fields.join(' ') || '–';
}

function reading(operation) {
  const takes = parametersOf(operation).join(' ') || '–';
  const cells = [operation.summary, takes, givesText(operation), commandOf(operation)];
  return `| \`${operation.path}\` | ${cells.map(cell).join(' | ')} |`;
}

function commanding(operation) {
  const cells = [operation.summary, bodyText(operation), givesText(operation), commandOf(operation)];
  return `| \`${operation.path}\` | ${cells.map(cell).join(' | ')} |`;
}

/** Of all operations, each status with each of its reasons once. */
function refusals(operations) {
  const found = operations.flatMap(({ responses }) =>
    Object.entries(responses).flatMap(([status, { description }]) => (status === '200' ? [] : [[status, description]])),
  );
  const lines = [...found, ...OTHERS].map(([status, when]) => `| ${status} | ${cell(when)} |`);
  return [...new Set(lines)].sort().join('\n');
}

function page({ paths }) {
  const [reads, commands] = ['get', 'post'].map((method) => operationsOf(paths, method));
  return [
    INTRODUCTION,
    '\n## Asking: GET\n\n| path | what | takes | gives | command |\n|---|---|---|---|---|\n',
    reads.map(reading).join('\n'),
    '\n\n## Telling: POST\n\n',
    '`{name}` is an interface, an address, ADDRESS%INTERFACE, or a peer group. The body is JSON, or empty.\n\n',
    '| path | what | fields of the body | gives | command |\n|---|---|---|---|---|\n',
    commands.map(commanding).join('\n'),
    '\n',
    RULES,
    refusals([...reads, ...commands]),
    '\n',
    LIMITS,
    OVER_TCP,
  ].join('');
}

writeOrJudge({ script: 'scripts/api-page.mjs', page: 'docs/api.md', schema: 'schema/heddle-api.json', textOf: page });
