/** bin/heddle before anything is built. */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../../', import.meta.url));

let directory: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'heddle-bin-'));
  cpSync(join(root, 'bin'), join(directory, 'bin'), { recursive: true });
  cpSync(join(root, 'package.json'), join(directory, 'package.json'));
});

afterEach(() => {
  rmSync(directory, { recursive: true });
});

it('says what to do first', () => {
  const { status, stderr } = spawnSync(process.execPath, [join(directory, 'bin/heddle'), 'show', 'summary']);
  expect(String(stderr)).toBe('heddle: not built yet: run npm run setup first\n');
  expect(status).toBe(1);
});
