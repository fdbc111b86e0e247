/** Hop limits and MD5 signatures between two namespaces. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { ip, namespacesUnusable, whileInNamespace } from '../../../test/harness/netns.js';
import { formatAddress } from '../../core/net/address.js';
import type { Protection, Stream } from '../../core/ports/transport.js';
import { LeafSpinePair } from './leaf-spine-pair.fixture.js';
import { TcpTransport } from './tcp-transport.js';

const LEAF = 'op-leaf';
const SPINE = 'op-spine';
const pair = new LeafSpinePair(LEAF, SPINE);
const PORT = 179;
const unusable = namespacesUnusable();
if (unusable) console.log(`skipped: ${unusable}`);

const cleanups: (() => void)[] = [];
afterEach(() => {
  for (const undo of cleanups.splice(0)) undo();
});

/** What a stream gets, as text, and why it ended. */
function heard(stream: Stream): { text: string; end?: string } {
  const state: { text: string; end?: string } = { text: '' };
  stream.start({
    data: (bytes) => {
      state.text += new TextDecoder().decode(bytes);
    },
    drain: () => {},
    closed: (error) => {
      state.end = error?.message ?? 'closed';
    },
  });
  cleanups.push(() => stream.destroy());
  return state;
}

describe.skipIf(unusable)('protected streams', () => {
  const ends = () => pair.ends();

  /** A spine that listens, with what it asks of the leaf. */
  async function spine(protection?: Protection): Promise<Stream[]> {
    const transport = new TcpTransport();
    const streams: Stream[] = [];
    if (protection) transport.protect({ interfaceName: 'downlink', remote: ends().leaf }, protection);
    const listener = await whileInNamespace(SPINE, () => transport.listen(PORT, (stream) => streams.push(stream)));
    cleanups.push(() => listener.close());
    return streams;
  }

  /** Milliseconds until an attempt that gets no answer is given up. */
  const UNANSWERED = 1500;
  const PATIENCE = 120_000;

  function leaf(protection?: Protection, patience = PATIENCE): Promise<Stream> {
    const transport = new TcpTransport();
    const { leaf: local, spine: remote } = ends();
    if (protection) transport.protect({ interfaceName: 'uplink', remote }, protection);
    const target = { interfaceName: 'uplink', local, remote, port: PORT };
    return whileInNamespace(LEAF, () => transport.connect(target, AbortSignal.timeout(patience)));
  }

  beforeAll(() => pair.make());
  afterAll(() => pair.remove());

  it('carry data where both ends have the password', async () => {
    const protection: Protection = { gtsm: 'auto', password: 'let me in' };
    const accepted = await spine(protection);
    const near = await leaf(protection);
    await expect.poll(() => accepted.length).toBe(1);
    const far = heard(accepted[0]!);
    near.write(new TextEncoder().encode('hello'));
    await expect.poll(() => far.text).toBe('hello');
  });

  it.each([
    ['another password', { gtsm: 'auto', password: 'let me out' }],
    ['no password', undefined],
  ] as const)('do not come about with %s', async (_, protection) => {
    const accepted = await spine({ gtsm: 'auto', password: 'let me in' });
    await expect(leaf(protection, UNANSWERED)).rejects.toThrow();
    expect(accepted).toEqual([]);
  });

  it('need no password any more once it is taken back', async () => {
    const transport = new TcpTransport();
    const peer = { interfaceName: 'downlink', remote: ends().leaf };
    const accepted: Stream[] = [];
    const listener = await whileInNamespace(SPINE, () => transport.listen(PORT, (stream) => accepted.push(stream)));
    cleanups.push(() => listener.close());
    transport.protect(peer, { gtsm: 'auto', password: 'let me in' });
    transport.protect(peer, undefined);
    heard(await leaf());
    await expect.poll(() => accepted.length).toBe(1);
    heard(accepted[0]!);
  });

  it('send hop limit 255 both ways', async () => {
    const accepted = await spine();
    const near = await leaf();
    const nearHeard = heard(near);
    await expect.poll(() => accepted.length).toBe(1);
    const [far] = accepted;
    const farHeard = heard(far!);
    near.write(new TextEncoder().encode('a'));
    far!.write(new TextEncoder().encode('b'));
    await expect.poll(() => farHeard.text + nearHeard.text).toBe('ab');
    expect([near.hopLimit, far!.hopLimit]).toEqual([255, 255]);
  });

  it('take nothing less from a neighbour that began with 255', async () => {
    const accepted = await spine();
    setHopLimit(255);
    cleanups.push(() => setHopLimit(64), plainNeighbour());
    await whileInNamespace(SPINE, () => expect.poll(() => accepted.length).toBe(1));
    const state = heard(accepted[0]!);
    await expect.poll(() => state.text.length).toBeGreaterThan(1);
    setHopLimit(254);
    // What came before may still be read; the neighbour would send ten times in that long.
    let before = -1;
    const isSilent = async () => {
      before = state.text.length;
      await sleep(500);
      return state.text.length === before;
    };
    await expect.poll(isSilent).toBe(true);
    setHopLimit(255);
    await expect.poll(() => state.text.length).toBeGreaterThan(before);
  });

  /** Of packets from the leaf's sockets that ask for none. */
  function setHopLimit(limit: number): void {
    ip(
      '-n',
      LEAF,
      '-6',
      'route',
      'replace',
      'fe80::/64',
      'dev',
      'uplink',
      'proto',
      'kernel',
      'metric',
      '256',
      'hoplimit',
      String(limit),
    );
  }

  /** A neighbour that speaks with the kernel's own hop limit, as FRR and BIRD do without ttl security (there it is 1). */
  function plainNeighbour(): () => void {
    const { spine: to } = ends();
    const program = `const s = require('net').connect(${PORT}, '${formatAddress(to)}%uplink');
      s.on('error', () => {}); s.on('connect', () => setInterval(() => s.write('x'), 50));`;
    const child = spawn('ip', ['netns', 'exec', LEAF, process.execPath, '-e', program]);
    return () => void child.kill();
  }

  it.each([
    ['auto', /^x/, undefined],
    ['off', /^x/, undefined],
    ['require', /^$/, 'its packets arrive with hop limit 64, not 255 (GTSM)'],
  ] as const)('with gtsm %s and a neighbour that sends 64', async (gtsm, text, end) => {
    const accepted = await spine({ gtsm });
    cleanups.push(plainNeighbour());
    // The stream's interface gets its name when it is accepted, from the namespace of this thread.
    await whileInNamespace(SPINE, () => expect.poll(() => accepted.length).toBe(1));
    const state = heard(accepted[0]!);
    await expect.poll(() => state.text || state.end).toBeTruthy();
    expect(accepted[0]!.hopLimit).toBe(64);
    expect(state.text).toMatch(text);
    if (end) expect(state.end).toContain(end);
  });

  it('carry the signature from the SYN on', async (context) => {
    // SYN and SYN-ACK alone: an earlier connection may still be saying goodbye.
    const handshake = ['tcp', 'port', '179', 'and', 'ip6[53] & 2 != 0'];
    const program = ['tcpdump', '-n', '-l', '-c', '2', '-i', 'downlink', ...handshake];
    const capture = spawn('ip', ['netns', 'exec', SPINE, ...program]);
    if (!(await started(capture))) return context.skip('no tcpdump here');
    let seen = '';
    capture.stdout!.on('data', (text) => {
      seen += text;
    });
    const ended = once(capture, 'close');
    const protection: Protection = { gtsm: 'auto', password: 'let me in' };
    await spine(protection);
    heard(await leaf(protection));
    await ended;
    const lines = seen.trim().split('\n');
    expect(lines).toHaveLength(2);
    for (const line of lines) expect(line).toContain('md5');
  });
});

function started(capture: ReturnType<typeof spawn>): Promise<boolean> {
  return new Promise((resolve) => {
    capture.once('exit', () => resolve(false));
    capture.stderr!.on('data', (text) => {
      if (String(text).includes('listening')) resolve(true);
    });
  });
}
