import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { chooseSocket } from './socket-choice.js';

let directory: string;
const servers: Server[] = [];

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'heddle-run-'));
});

afterEach(async () => {
  for (const server of servers.splice(0)) await new Promise((resolve) => server.close(resolve));
  rmSync(directory, { recursive: true });
});

async function daemon(name: string): Promise<void> {
  const server = createServer();
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(join(directory, `${name}.sock`), resolve));
}

it('prefers --socket and --node, then the environment, then the only daemon', async () => {
  await daemon('leaf1');
  writeFileSync(join(directory, 'notes.txt'), '');
  expect(chooseSocket({ socket: '/x.sock' }, '/env.sock', directory)).toBe('/x.sock');
  expect(chooseSocket({ node: 'leaf9' }, '/env.sock', directory)).toBe(join(directory, 'leaf9.sock'));
  expect(chooseSocket({}, '/env.sock', directory)).toBe('/env.sock');
  expect(chooseSocket({}, '', directory)).toBe(join(directory, 'leaf1.sock'));
});

it('lists the daemons when there are several', async () => {
  await daemon('spine1');
  await daemon('leaf1');
  expect(() => chooseSocket({}, '', directory)).toThrow(
    expect.objectContaining({
      message: `several daemons in ${directory}: choose one with --node (leaf1, spine1)`,
      exitCode: 2,
    }),
  );
});

it.each([
  ['an empty directory', ''],
  ['no directory', 'missing'],
])('says when there is none: %s', (_, below) => {
  const place = join(directory, below);
  expect(() => chooseSocket({}, '', place)).toThrow(
    expect.objectContaining({ message: expect.stringContaining(`no daemon in ${place} `), exitCode: 1 }),
  );
});

it('refuses both ways to name a daemon', () => {
  expect(() => chooseSocket({ socket: '/x', node: 'y' }, '', directory)).toThrow(
    expect.objectContaining({ message: '--socket and --node both name a daemon: give one', exitCode: 2 }),
  );
});
