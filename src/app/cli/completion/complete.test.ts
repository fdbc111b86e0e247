import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { buildProgram } from '../program.js';
import { complete, type Wanted } from './complete.js';
import { files } from './names.js';

const program = await buildProgram();

/** Values at the end of a line, and what was asked for names. */
async function at(...words: readonly string[]) {
  const asked: Wanted[] = [];
  const known = async (wanted: Wanted) => {
    asked.push(wanted);
    return ['leaf1', 'leaf2', 'spine1'].map((value) => ({ value, description: '' }));
  };
  const values = (await complete(program, words, known)).map(({ value }) => value);
  return { values, asked };
}

describe('the end of a command line', () => {
  it('is a command, of those that are shown', async () => {
    expect((await at('re')).values).toEqual(['reload', 'replay']);
    expect((await at('comp')).values).toEqual(['completion']);
    expect((await at('show', 'route')).values).toEqual(['routes', 'route']);
  });

  it('is an option that was not given yet', async () => {
    expect((await at('show', 'fib', '--')).values).toEqual([
      ...['--json', '--socket', '--node', '--api', '--token-file', '--ca', '--diff', '--help'],
      ...['--color', '--no-pager'],
    ]);
    expect((await at('show', 'fib', '--json', '--')).values).not.toContain('--json');
    expect((await at('show', 'fib', '--no')).values).toEqual(['--node', '--no-pager']);
  });

  it('is a value, of the option or argument that comes next, which is asked for by name', async () => {
    const { values, asked } = await at('show', 'fib', '--node', 'leaf');
    expect(values).toEqual(['leaf1', 'leaf2']);
    expect(asked).toMatchObject([{ option: '--node', placeholder: 'NAME', command: 'show fib', begun: 'leaf' }]);
    expect((await at('show', 'fib', '--node=sp')).values).toEqual(['--node=spine1']);
    const second = await at('show', 'neighbors', '--node', 'leaf1', '');
    expect(second.asked).toMatchObject([{ placeholder: 'NAME', command: 'show neighbors' }]);
    expect(second.asked[0]?.options).toEqual(new Map([['node', 'leaf1']]));
    expect((await at('show', 'neighbors', 'leaf1', '')).values).toEqual([]);
  });

  it('is one of the choices where there are such', async () => {
    expect((await at('neighbor', 'to-spine1', '')).values).toEqual(['shutdown', 'enable', 'refresh', 'reset']);
    expect((await at('show', 'fib', '--color', 'a')).values).toEqual(['auto', 'always']);
    expect((await at('neighbour', 'to-spine1', 'en')).values).toEqual(['enable']);
  });

  it('is no option behind two dashes', async () => {
    expect((await at('lab', 'exec', 'leaf1', '--', '-')).values).toEqual([]);
  });
});

describe('files', () => {
  it('are those of the folder as typed, folders with a slash, hidden ones when a dot is typed', () => {
    const folder = mkdtempSync(join(tmpdir(), 'files-'));
    mkdirSync(join(folder, 'labs'));
    for (const name of ['leaf1.yaml', '.hidden']) writeFileSync(join(folder, name), '');
    const values = (begun: string) => files(begun).map(({ value }) => value);
    expect(values(`${folder}/`)).toEqual([`${folder}/labs/`, `${folder}/leaf1.yaml`]);
    expect(values(`${folder}/.`)).toContain(`${folder}/.hidden`);
  });
});
