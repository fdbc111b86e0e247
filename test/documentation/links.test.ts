/** Every link and anchor of the README and the docs leads somewhere. */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PACKAGE_ROOT } from '../../src/app/lab/lab.js';

const script = join(PACKAGE_ROOT, 'scripts', 'docs.mjs');

function verdict(...options: readonly string[]) {
  const { stderr, status } = spawnSync(process.execPath, [script, '--check', ...options], { encoding: 'utf8' });
  return { stderr, status };
}

describe('the docs', () => {
  it('have no link that leads nowhere', () => {
    expect(verdict()).toEqual({ stderr: '', status: 0 });
  });
});

describe('a broken page', () => {
  let folder = '';
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'heddle-docs-'));
    mkdirSync(join(folder, 'docs'));
    writeFileSync(join(folder, 'docs', 'README.md'), '# Docs\n\n## Begin\n\n- [One](one.md)\n');
    writeFileSync(join(folder, 'docs', 'two.md'), '# Two\n');
    cpSync(join(PACKAGE_ROOT, 'LICENSE'), join(folder, 'LICENSE'));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  it('is named with the link or the anchor', () => {
    const links = '[a](../LICENSE) [b](none.md) [c](two.md#two) [d](two.md#three) [e](#twice-1) ![f](none.svg)';
    writeFileSync(join(folder, 'docs', 'one.md'), `# One\n\n${links}\n\n## Twice\n\n## Twice\n`);
    const { stderr, status } = verdict('--from', folder);
    expect(status).toBe(1);
    expect(stderr.trim().split('\n').slice(1)).toEqual([
      '  docs/one.md: none.md: there is no docs/none.md',
      '  docs/one.md: two.md#three: docs/two.md has no heading #three',
      '  docs/one.md: none.svg: there is no docs/none.svg',
    ]);
  });
});
