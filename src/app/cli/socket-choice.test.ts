import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { chooseDaemon, chooseSocket } from './socket-choice.js';

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

describe('--api', () => {
  const token = () => {
    const file = join(directory, 'token');
    writeFileSync(file, 'correct-horse-battery-staple\n', { mode: 0o600 });
    return file;
  };

  it('names a daemon with its token', () => {
    const { name, options, isSecure } = chooseDaemon({ api: 'https://[2001:db8::1]:8443', tokenFile: token() });
    expect({ name, isSecure }).toEqual({ name: 'https://[2001:db8::1]:8443', isSecure: true });
    const headers = { authorization: 'Bearer correct-horse-battery-staple' };
    expect(options).toMatchObject({ host: '2001:db8::1', port: '8443', headers, minVersion: 'TLSv1.2' });
    expect(chooseDaemon({ api: 'http://127.0.0.1:80/', tokenFile: token() })).toMatchObject({ isSecure: false });
    expect(chooseDaemon({ socket: '/x.sock' })).toMatchObject({ name: '/x.sock' });
  });

  it.each([
    [{ api: 'https://leaf1' }, '--api needs --token-file'],
    [{ api: 'https://leaf1', socket: '/x' }, '--api and --socket both name a daemon: give one'],
    [{ api: 'https://leaf1', node: 'x' }, '--api and --node both name a daemon: give one'],
    [{ tokenFile: '/x' }, '--token-file goes with --api'],
    [{ ca: '/x' }, '--ca goes with --api'],
    [{ api: 'leaf1:8443', tokenFile: '/x' }, '--api leaf1:8443: expected https://HOST:PORT, or http:// on loopback'],
    [{ api: 'https://leaf1/x', tokenFile: '/x' }, '--api https://leaf1/x: expected https://HOST:PORT'],
    [{ api: 'http://leaf1', tokenFile: '/x' }, '--api http://leaf1: the token could be read on its way'],
    [{ api: 'http://[::1]', tokenFile: '/x', ca: '/x' }, '--ca goes with https://'],
    [{ api: 'https://leaf1', tokenFile: '/nowhere' }, '--token-file /nowhere: cannot be read (ENOENT)'],
    [{ api: 'https://leaf1', tokenFile: '/nowhere', ca: '/nowhere/ca' }, '--ca /nowhere/ca: cannot be read (ENOENT)'],
  ])('is refused: %j', (options, words) => {
    expect(() => chooseDaemon(options)).toThrow(words);
  });
});
