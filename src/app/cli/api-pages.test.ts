/** The OpenAPI document in the repository, docs/api.md and docs/json.md are what the server has; every `heddle show` has its resource. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Command } from 'commander';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { COMMANDS } from '../../edge/control/commands.js';
import { openApiDocument } from '../../edge/control/openapi.js';
import { RESOURCES } from '../../edge/control/resources.js';
import { buildProgram } from './program.js';

const root = new URL('../../../', import.meta.url);
const read = (name: string) => readFileSync(new URL(name, root), 'utf8');
const written = JSON.stringify(openApiDocument());

it('schema/heddle-api.json is the document: `npm run setup && node bin/heddle api > schema/heddle-api.json` after each change', () => {
  expect(JSON.parse(read('schema/heddle-api.json'))).toEqual(JSON.parse(written));
});

describe.each([
  ['api-page.mjs', 'docs/api.md', '| `/summary` |'],
  ['json-page.mjs', 'docs/json.md', '| `routerId` |'],
])('%s', (name, page, line) => {
  let folder = '';
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'heddle-api-page-'));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  function verdict(text: string): string {
    const files = [join(folder, 'schema.json'), join(folder, 'page.md')] as const;
    writeFileSync(files[0], written);
    writeFileSync(files[1], text);
    const script = fileURLToPath(new URL(`scripts/${name}`, root));
    return spawnSync(process.execPath, [script, ...files], { encoding: 'utf8' }).stderr;
  }

  it(`says that ${page} is as it is written: \`node scripts/${name} --write\` after each change`, () => {
    expect(verdict(read(page))).toBe('');
  });

  it('says what a page lacks, and how to write it', () => {
    const said = verdict(read(page).replaceAll(line, '| `tea` |'));
    expect(said).toContain(`the page lacks:      ${line}`);
    expect(said).toContain(`node scripts/${name} --write`);
  });
});

describe('the lists of the control API', () => {
  const show = async () => (await buildProgram('show')).commands.find((one) => one.name() === 'show');
  const commandsOf = (command: Command): Command[] =>
    command.commands.length === 0 ? [command] : command.commands.flatMap(commandsOf);
  /** `show fib --diff` without what is typed in its place. */
  const shown = RESOURCES.flatMap((one) => (one.shown ? [one.shown.replace(/ [A-Z]+$/, '')] : []));

  it('have a resource for every show, and for the options that ask for something else', async () => {
    const commands = commandsOf((await show()) ?? expect.fail('no show'));
    expect(commands.length).toBeGreaterThan(9);
    expect(commands.map((one) => `show ${one.name()}`).filter((one) => !shown.includes(one))).toEqual([]);
    const asking = commands.flatMap((one) =>
      one.options
        .filter(({ long }) => ['--diff', '--prefixes'].includes(long ?? ''))
        .map(({ long }) => `show ${one.name()} ${long}`),
    );
    expect(asking.filter((one) => !shown.includes(one))).toEqual([]);
    expect(asking).toHaveLength(2);
  });

  it('name no path twice, and no command that there is not', async () => {
    const paths = [...RESOURCES, ...COMMANDS].map(({ path }) => path);
    expect(new Set(paths).size).toBe(paths.length);
    const program = await buildProgram();
    const typed = [...shown, ...COMMANDS.map((one) => one.typed)].map((text) => text.split(' ')[0]);
    expect(typed.filter((name) => !program.commands.some((one) => one.name() === name))).toEqual([]);
  });
});
