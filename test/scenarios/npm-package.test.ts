/** The npm package installed into an empty folder, as somebody without a clone does it, with the native packages compiled there. */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'heddle-npm-'));
  const pack = ['pack', '--json', '--ignore-scripts', '--pack-destination', folder];
  const [{ filename }] = JSON.parse(execFileSync('npm', pack, { encoding: 'utf8', stdio: ['ignore', 'pipe', 2] }));
  writeFileSync(join(folder, 'package.json'), '{ "private": true }\n');
  const install = [
    'install',
    join(folder, filename),
    '--no-audit',
    '--no-fund',
    '--prefer-offline',
    '--loglevel=error',
  ];
  execFileSync('npm', install, { cwd: folder, stdio: ['ignore', 2, 2] });
});
afterAll(() => rmSync(folder, { recursive: true }));

function heddle(...words: string[]): { status: number | null; output: string } {
  const options = { cwd: folder, encoding: 'utf8' } as const;
  const { status, stdout, stderr } = spawnSync('npx', ['--no-install', 'heddle', ...words], options);
  return { status, output: `${stdout}${stderr}` };
}

it('helps, checks, exports and simulates', () => {
  expect(heddle('--help')).toEqual({ status: 0, output: expect.stringContaining('Usage: heddle') });
  const example = join('node_modules', 'heddle', 'examples', 'leaf1.yaml');
  expect(heddle('check', example)).toEqual({ status: 0, output: expect.stringContaining('ok: leaf leaf1') });
  expect(heddle('lab', 'export', '--out', 'clab').status).toBe(0);
  expect(existsSync(join(folder, 'clab', 'demo.clab.yml'))).toBe(true);
  expect(heddle('sim', 'studies')).toEqual({ status: 0, output: expect.stringContaining('permutation') });
});

it('has the native packages, which the daemon needs', () => {
  expect(heddle('doctor').output).toMatch(/ok +packages +native packages load: netlink, raw-socket, koffi/);
});
