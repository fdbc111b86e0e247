/** TCP-AO on this kernel: refused in words where it has none, used between two namespaces where it has. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { namespacesUnusable, whileInNamespace } from '../../../test/harness/netns.js';
import type { AuthenticationKey, Stream } from '../../core/ports/transport.js';
import { LeafSpinePair } from './leaf-spine-pair.fixture.js';
import { TcpTransport } from './tcp-transport.js';

const LEAF = 'rm-ao-leaf';
const SPINE = 'rm-ao-spine';
const pair = new LeafSpinePair(LEAF, SPINE);
const PORT = 179;
const KEY: AuthenticationKey = { sendId: 7, receiveId: 9, algorithm: 'hmac-sha-1-96', password: 'let me in' };
const MIRRORED: AuthenticationKey = { ...KEY, sendId: 9, receiveId: 7 };
const NONE = 'the kernel has no TCP-AO (RFC 5925): Linux 6.7 or newer has it, where CONFIG_TCP_AO is set';

const unusable = namespacesUnusable();
if (unusable) console.log(`skipped: ${unusable}`);
const obstacle = unusable ? undefined : new TcpTransport().obstacle(KEY);

const cleanups: (() => void)[] = [];
afterEach(() => {
  for (const undo of cleanups.splice(0)) undo();
});

describe.skipIf(unusable)('TCP-AO', () => {
  const ends = () => pair.ends();

  beforeAll(() => pair.make());
  afterAll(() => pair.remove());

  /** A spine that listens with its key, and what it accepted. */
  async function spine(key: AuthenticationKey | undefined): Promise<{ transport: TcpTransport; streams: Stream[] }> {
    const transport = new TcpTransport();
    const streams: Stream[] = [];
    const listener = await whileInNamespace(SPINE, () => transport.listen(PORT, (stream) => streams.push(stream)));
    cleanups.push(() => listener.close());
    if (key) protect(transport, key);
    return { transport, streams };
  }

  const protect = (transport: TcpTransport, key: AuthenticationKey) =>
    transport.protect({ interfaceName: 'downlink', remote: ends().leaf }, { gtsm: 'off', authenticationKey: key });

  async function leaf(key: AuthenticationKey | undefined, patience = 120_000): Promise<Stream> {
    const transport = new TcpTransport();
    const { leaf: local, spine: remote } = ends();
    if (key) transport.protect({ interfaceName: 'uplink', remote }, { gtsm: 'off', authenticationKey: key });
    const target = { interfaceName: 'uplink', local, remote, port: PORT };
    const stream = await whileInNamespace(LEAF, () => transport.connect(target, AbortSignal.timeout(patience)));
    stream.start({ data: () => {}, drain: () => {}, closed: () => {} });
    cleanups.push(() => stream.destroy());
    return stream;
  }

  // A kernel is of one kind: the other case is no test that was left out.
  const [withoutIt, withIt] = obstacle === undefined ? [undefined, it] : [it, undefined];

  withoutIt?.('is refused in words by a kernel without it, on either end', async () => {
    expect(obstacle).toBe(NONE);
    const { transport, streams } = await spine(undefined);
    expect(() => protect(transport, KEY)).toThrow(NONE);
    await expect(leaf(KEY)).rejects.toThrow(NONE);
    expect(streams).toEqual([]);
  });

  withIt?.('lets in who has the key, and nobody else', async () => {
    const { streams } = await spine(MIRRORED);
    const near = await leaf(KEY);
    await expect.poll(() => streams.length).toBe(1);
    let text = '';
    streams[0]!.start({
      data: (bytes) => {
        text += new TextDecoder().decode(bytes);
      },
      drain: () => {},
      closed: () => {},
    });
    near.write(new TextEncoder().encode('hello'));
    await expect.poll(() => text).toBe('hello');
    for (const other of [{ ...KEY, password: 'let me out' }, { ...KEY, sendId: 8 }, undefined]) {
      await expect(leaf(other, 1500)).rejects.toThrow();
    }
    expect(streams).toHaveLength(1);
  });
});
