/** docs/compliance.md claims nothing that no test shows, and leaves out no RFC that the code cites. */
import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { isStale, pointersIn, read } from './test-pointers.js';

const page = read('docs/compliance.md');

/** Sections, what, state, proof or reason. */
const rows = page
  .split('\n')
  .filter((line) => line.startsWith('| ') && !line.startsWith('| sections'))
  .map((line) => line.slice(2, -2).split(' | '));

function citedRfcs(): ReadonlySet<string> {
  const source = fileURLToPath(new URL('../../src', import.meta.url));
  const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter(
    (name) => name.endsWith('.ts') && !name.endsWith('.test.ts'),
  );
  return new Set(files.flatMap((name) => read(`src/${name}`).match(/\bRFC \d+/g) ?? []));
}

describe('docs/compliance.md', () => {
  it('says of each line done, partly or not, with a test for what is done and a reason for what is not', () => {
    expect(rows.length).toBeGreaterThan(80);
    const wrong = rows.filter(([, , state = '', proof = ''], index) => {
      if (rows[index]?.length !== 4) return true;
      if (state === 'not') return proof.length < 20 || pointersIn(proof).length > 0;
      return !['done', 'partly'].includes(state) || pointersIn(proof).length === 0;
    });
    expect(wrong).toEqual([]);
  });

  it('names tests that are there', () => {
    expect(rows.flatMap(([, , , proof = '']) => pointersIn(proof)).filter(isStale)).toEqual([]);
  });

  it('knows every RFC that the code cites', () => {
    const known = new Set(page.match(/\bRFC \d+/g));
    expect([...citedRfcs()].filter((rfc) => !known.has(rfc))).toEqual([]);
  });
});
