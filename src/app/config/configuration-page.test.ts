import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { configJsonSchema } from './parse-config.js';
import { describedKeys } from './undescribed-keys.fixture.js';

const script = fileURLToPath(new URL('../../../scripts/configuration-page.mjs', import.meta.url));
const committed = readFileSync(new URL('../../../docs/configuration.md', import.meta.url), 'utf8');
const written = JSON.stringify(configJsonSchema());

describe('docs/configuration.md', () => {
  let folder = '';
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'heddle-page-'));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  /** What the script says of a page and a schema. */
  function verdict(schema: string, page: string): string {
    const files = [join(folder, 'schema.json'), join(folder, 'page.md')] as const;
    writeFileSync(files[0], schema);
    writeFileSync(files[1], page);
    return spawnSync(process.execPath, [script, ...files], { encoding: 'utf8' }).stderr;
  }

  it('is written from the schema: run `node scripts/configuration-page.mjs --write` after each change of a key', () => {
    expect(verdict(written, committed)).toBe('');
  });

  it('names every key of the schema', () => {
    const last = describedKeys(configJsonSchema()).keys.map((path) => path.slice(path.lastIndexOf('.') + 1));
    const missing = [...new Set(last)].filter((key) => !new RegExp(`[\`.]${key}\``).test(committed));
    expect(missing).toEqual([]);
  });

  it('is refused when the schema has a key that it lacks, with the line to add and how', () => {
    const more = written.replaceAll(
      '"fqdn":',
      '"new-key":{"type":"boolean","description":"New. Default: true."},"fqdn":',
    );
    const said = verdict(more, committed);
    expect(said).toContain('the page lacks:      | `capabilities.new-key` | `true`, `false` | true | New. |');
    expect(said).toContain('node scripts/configuration-page.mjs --write');
  });

  it('is refused when it names a key that the schema does not have', () => {
    const line = '| `timers.tea` | 1 to 5 | 4 | Minutes. |';
    const page = committed.replace('| `timers.hold` |', `${line}\n| \`timers.hold\` |`);
    expect(verdict(written, page)).toContain(`the schema has not:  ${line}`);
  });

  it('comes out of the script as it is judged', () => {
    const files = [join(folder, 'schema.json'), join(folder, 'fresh.md')] as const;
    writeFileSync(files[0], written);
    execFileSync(process.execPath, [script, '--write', ...files]);
    expect(readFileSync(files[1], 'utf8')).toBe(committed);
  });
});
