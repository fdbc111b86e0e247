/** docs/cli.md is what the commands say of themselves. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Command } from 'commander';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildProgram } from './program.js';

const root = new URL('../../../', import.meta.url);
const script = fileURLToPath(new URL('scripts/cli-page.mjs', root));
const committed = readFileSync(new URL('docs/cli.md', root), 'utf8');

function namesBelow(command: Command, above: string): string[] {
  const name = `${above}${command.name()}`;
  return [name, ...command.commands.flatMap((child) => namesBelow(child, `${name} `))];
}

describe('docs/cli.md', () => {
  let folder = '';
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'heddle-cli-page-'));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  /** What the script says of a page; the commands are those of the build. */
  function verdict(page: string): string {
    const file = join(folder, 'page.md');
    writeFileSync(file, page);
    return spawnSync(process.execPath, [script, file], { encoding: 'utf8' }).stderr;
  }

  it('is written from the commands: run `npm run setup && node scripts/cli-page.mjs --write` after each change of one', () => {
    expect(verdict(committed)).toBe('');
  });

  it('has a heading for every command', async () => {
    const program = await buildProgram();
    const hidden = program.commands.filter((one) => !program.createHelp().visibleCommands(program).includes(one));
    const named = program.commands.filter((one) => !hidden.includes(one)).flatMap((one) => namesBelow(one, 'heddle '));
    const headings = committed.split('\n').flatMap((line) => /^#+ (heddle .+)$/.exec(line)?.[1] ?? []);
    expect(headings).toEqual(named);
  });

  it('is refused when it lacks an option or tells of one that is not there, with the line', () => {
    const line = /^\| `--silent` .*$/m.exec(committed)?.[0] ?? '';
    const said = verdict(committed.replace(line, line.replace('--silent', '--quiet')));
    expect(said).toContain(`the page lacks:            ${line}`);
    expect(said).toContain('the command line has not:  | `--quiet`');
    expect(said).toContain('node scripts/cli-page.mjs --write');
  });

  it('tells of no place on the machine that wrote it', () => {
    expect(committed).not.toContain(fileURLToPath(root));
  });
});
