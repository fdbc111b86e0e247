import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import {
  createNamespace,
  deleteNamespace,
  ip,
  namespacesUnusable,
  whileInNamespace,
} from '../../../test/harness/netns.js';
import { type Address, formatAddress, parseAddress } from '../../core/net/address.js';
import type { Stream } from '../../core/ports/transport.js';
import { TcpTransport } from './tcp-transport.js';

const LEAF = 'se-leaf';
const SPINE = 'se-spine';
const PORT = 179;
const transport = new TcpTransport();
const unusable = namespacesUnusable();
if (unusable) console.log(`skipped: ${unusable}`);

/** The link-local address, for the links skip duplicate address detection. */
function linkLocal(namespace: string, name: string): Address {
  const shown = ip('-n', namespace, '-6', 'addr', 'show', 'dev', name, 'scope', 'link');
  return parseAddress(/inet6 ([^/]+)\//.exec(shown)![1]!)!;
}

const cleanups: (() => void)[] = [];
function cleanup(): void {
  for (const undo of cleanups.splice(0)) undo();
}
afterEach(cleanup);

/** A program of plain Node in a namespace: the thread of the test can be in one at a time only. */
function plainNode(namespace: string, program: string): (() => void) & { ready: Promise<unknown> } {
  const child = spawn('ip', ['netns', 'exec', namespace, process.execPath, '-e', program]);
  return Object.assign(() => void child.kill(), { ready: once(child.stdout, 'data') });
}

describe.skipIf(unusable)('streams over link-local addresses', () => {
  beforeAll(() => {
    for (const namespace of [LEAF, SPINE]) {
      createNamespace(namespace);
      ip('netns', 'exec', namespace, 'sysctl', '-qw', 'net.ipv6.conf.default.accept_dad=0');
    }
    for (const link of ['1', '2']) {
      ip('-n', LEAF, 'link', 'add', `up${link}`, 'type', 'veth', 'peer', 'name', `down${link}`, 'netns', SPINE);
      ip('-n', LEAF, 'link', 'set', `up${link}`, 'up');
      ip('-n', SPINE, 'link', 'set', `down${link}`, 'up');
    }
  });
  afterAll(() => {
    for (const namespace of [LEAF, SPINE]) deleteNamespace(namespace);
  });

  it('name the interface they arrived on, with addresses free of zones', async () => {
    for (const link of ['1', '2']) {
      const near = linkLocal(LEAF, `up${link}`);
      const far = linkLocal(SPINE, `down${link}`);
      await whileInNamespace(SPINE, async () => {
        const arrived: Stream[] = [];
        const listener = await transport.listen(PORT, (stream) => arrived.push(stream));
        const host = `${formatAddress(far)}%up${link}`;
        const other = plainNode(LEAF, `require('node:net').connect({ host: '${host}', port: ${PORT} })`);
        cleanups.push(() => listener.close(), other);
        await expect.poll(() => arrived.length).toBe(1);
        const stream = arrived[0]!;
        expect(stream.interfaceName).toBe(`down${link}`);
        expect(formatAddress(stream.remote)).toBe(formatAddress(near));
        expect(formatAddress(stream.local)).toBe(formatAddress(far));
        stream.destroy();
      });
      cleanup();
    }
  });

  it('leave by the interface they are told', async () => {
    const listening = "console.log('ready')";
    const other = plainNode(SPINE, `require('node:net').createServer().listen(${PORT}, '::', () => ${listening})`);
    cleanups.push(other);
    await other.ready;
    for (const link of ['1', '2']) {
      const target = {
        interfaceName: `up${link}`,
        local: linkLocal(LEAF, `up${link}`),
        remote: linkLocal(SPINE, `down${link}`),
        port: PORT,
      };
      await whileInNamespace(LEAF, async () => {
        const stream = await transport.connect(target, new AbortController().signal);
        expect(stream.interfaceName).toBe(`up${link}`);
        expect(formatAddress(stream.local)).toBe(formatAddress(target.local));
        stream.destroy();
      });
    }
  });

  it('say that an address is still tentative', async () => {
    // A hundred seconds of looking for duplicates.
    const looking = ['net.ipv6.conf.up1.accept_dad=1', 'net.ipv6.conf.up1.dad_transmits=100'];
    ip('netns', 'exec', LEAF, 'sysctl', '-qw', ...looking);
    ip('-n', LEAF, 'addr', 'add', 'fe80::7/64', 'dev', 'up1');
    const target = {
      interfaceName: 'up1',
      local: parseAddress('fe80::7')!,
      remote: linkLocal(SPINE, 'down1'),
      port: PORT,
    };
    const attempt = whileInNamespace(LEAF, () => transport.connect(target, new AbortController().signal));
    await expect(attempt).rejects.toThrow('our address fe80::7%up1 is not there or not usable yet');
  });
});
