/** docs/field-bugs.md names tests; this holds it to that. */
import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { isStale, pointersIn, read } from '../documentation/test-pointers.js';

const HERE = new URL('./', import.meta.url);

/** Lines of the tables but their heads. */
const rows = read('docs/field-bugs.md')
  .split('\n')
  .filter((line) => line.startsWith('| ') && !line.startsWith('| Reports'))
  .map((line) => line.slice(2, -2).split(' | '));

describe('docs/field-bugs.md', () => {
  it('has three columns in each row, and a test or the reason why there is none', () => {
    expect(rows.length).toBeGreaterThan(75);
    const wrong = rows.filter((row) => {
      const proof = row[2] ?? '';
      return row.length !== 3 || (pointersIn(proof).length === 0 && !proof.startsWith('Not ours: '));
    });
    expect(wrong).toEqual([]);
  });

  it('names tests that are there', () => {
    expect(rows.flatMap(([, , proof = '']) => pointersIn(proof)).filter(isStale)).toEqual([]);
  });

  it('names every test of this folder', () => {
    const files = readdirSync(HERE).filter((name) => name.endsWith('.test.ts') && name !== 'table.test.ts');
    const titles = files.flatMap((name) => [
      ...read(`test/field-bugs/${name}`).matchAll(/^\s*(?:it\(|\]\)\()'([^']+)'/gm),
    ]);
    const pointed = new Set(rows.flatMap(([, , proof = '']) => pointersIn(proof)).map(({ title }) => title));
    expect(titles.length).toBeGreaterThan(15);
    expect(titles.map(([, title = '']) => title).filter((title) => !pointed.has(title))).toEqual([]);
  });
});
