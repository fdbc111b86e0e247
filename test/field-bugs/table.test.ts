/** docs/field-bugs.md names tests; this holds it to that. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

const ROOT = new URL('../../', import.meta.url);
const HERE = new URL('./', import.meta.url);

const read = (file: string) => readFileSync(new URL(file, ROOT), 'utf8');

/** Lines of the tables but their heads. */
const rows = read('docs/field-bugs.md')
  .split('\n')
  .filter((line) => line.startsWith('| ') && !line.startsWith('| Reports'))
  .map((line) => line.slice(2, -2).split(' | '));

function pointersIn(proof: string): readonly { readonly file: string; readonly title: string }[] {
  return [...proof.matchAll(/`([^`]+\.ts)`: \*([^*]+)\*/g)].map(([, file = '', title = '']) => ({ file, title }));
}

/** A title, or a case of a table of titles, stands in the source as a string. */
function names(source: string, title: string): boolean {
  return [`'${title}'`, `"${title}"`, `\`${title}\``].some((literal) => source.includes(literal));
}

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
    const stale = rows
      .flatMap(([, , proof = '']) => pointersIn(proof))
      .filter(({ file, title }) => !existsSync(new URL(file, ROOT)) || !names(read(file), title));
    expect(stale).toEqual([]);
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
