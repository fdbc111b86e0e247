/** promtool, of the Debian package prometheus. */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Why it cannot be run; `undefined` when it can. */
export function promtoolUnusable(): string | undefined {
  try {
    execFileSync('promtool', ['--version'], { stdio: 'ignore' });
    return undefined;
  } catch {
    return 'no promtool: apt-get install prometheus';
  }
}

/** What it says, with the files in a folder that is the working one; `ok` when it exits with 0. */
export function promtool(
  words: readonly string[],
  files: Readonly<Record<string, string>>,
  input = '',
): { readonly ok: boolean; readonly said: string } {
  const directory = mkdtempSync(join(tmpdir(), 'heddle-promtool-'));
  try {
    for (const [name, text] of Object.entries(files)) writeFileSync(join(directory, name), text);
    const { status, stdout, stderr } = spawnSync('promtool', words, { cwd: directory, input, encoding: 'utf8' });
    return { ok: status === 0, said: `${stdout}${stderr}` };
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}
