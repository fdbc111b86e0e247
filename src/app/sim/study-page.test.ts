/** docs/study.md and the schema that editors read are what the study file has. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { describedKeys } from '../config/undescribed-keys.fixture.js';
import { studyJsonSchema } from './read-study.js';

const root = new URL('../../../', import.meta.url);
const fileOf = (name: string) => fileURLToPath(new URL(name, root));
const committed = readFileSync(fileOf('docs/study.md'), 'utf8');
const schema: unknown = JSON.parse(readFileSync(fileOf('schema/heddle-study.schema.json'), 'utf8'));
const written = JSON.stringify(studyJsonSchema());

describe('the schema of a study', () => {
  it('is committed as it is generated: `heddle sim schema` after each change of a key', () => {
    expect(schema).toEqual(JSON.parse(written));
  });

  it('says of every key what it is', () => {
    const { keys, undescribed } = describedKeys(studyJsonSchema());
    expect(undescribed).toEqual([]);
    expect(keys).toEqual(
      expect.arrayContaining(['transport.dcqcn.cnp-interval', 'switches.pfc.watchdog.action', 'failures[].loss']),
    );
  });

  it('is one that editors take, and takes every study that comes along', () => {
    const validate = new Ajv2020({ allErrors: true, strict: false }).compile(schema as object);
    for (const name of readdirSync(fileOf('studies')).filter((file) => file.endsWith('.yaml'))) {
      const study: unknown = parse(readFileSync(join(fileOf('studies'), name), 'utf8'));
      expect(validate(study), `${name}: ${JSON.stringify(validate.errors)}`).toBe(true);
    }
    expect(validate({ name: 'one', topology: {}, workload: {}, schemes: ['ecmp'], sedes: 3 })).toBe(false);
  });
});

describe('docs/study.md', () => {
  let folder = '';
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'heddle-study-page-'));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  function verdict(schemaText: string): string {
    const files = [join(folder, 'schema.json'), join(folder, 'page.md')] as const;
    writeFileSync(files[0], schemaText);
    writeFileSync(files[1], committed);
    return spawnSync(process.execPath, [fileOf('scripts/study-page.mjs'), ...files], { encoding: 'utf8' }).stderr;
  }

  it('is written from the schema: run `node scripts/study-page.mjs --write` after each change of a key', () => {
    expect(verdict(written)).toBe('');
  });

  it('is refused when it lacks a key, with the line to add', () => {
    const more = written.replace('"profile":', '"new-key":{"type":"boolean","description":"new"},"profile":');
    expect(verdict(more)).toContain('the page lacks:      | `new-key` | `true`, `false` | – | new |');
  });
});
