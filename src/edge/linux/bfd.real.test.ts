import { createSocket } from 'node:dgram';
import { existsSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import {
  createNamespace,
  deleteNamespace,
  inNamespace,
  ip,
  namespacesUnusable,
  whileInNamespace,
} from '../../../test/harness/netns.js';
import { type Address, formatAddress, parseAddress } from '../../core/net/address.js';
import type { BfdChange, BfdSession, BfdTarget } from '../../core/ports/bfd.js';
import { BFD_STATES, encodeBfdControlPacket } from '../../core/wire/bfd.js';
import { LinuxBfdSessions } from './bfd-sessions.js';

const A = 'bf-a';
const B = 'bf-b';
const FAST = { interval: 50, multiplier: 3 };
/** With it a machine that stands still for less than four seconds fails no path. */
const PATIENT = { interval: 500, multiplier: 9 };
/** Milliseconds: longer than such a path takes to fail. */
const BUSY = 6000;
const PROGRAM = new URL('../../../dist/edge/linux/bfd-worker.js', import.meta.url);
const unusable = namespacesUnusable() ?? (existsSync(PROGRAM) ? undefined : 'heddle is not built: npm run setup');
if (unusable) console.log(`skipped: ${unusable}`);

interface End {
  readonly namespace: string;
  readonly sessions: LinuxBfdSessions;
  readonly changes: BfdChange[];
  readonly failures: string[];
  session: BfdSession;
}

describe.skipIf(unusable)('BFD on a veth pair', () => {
  const ends: End[] = [];

  beforeAll(() => {
    for (const name of [A, B]) createNamespace(name);
    ip('link', 'add', 'x0', 'netns', A, 'type', 'veth', 'peer', 'name', 'x0', 'netns', B);
    for (const name of [A, B]) {
      const dad = `/proc/sys/net/ipv6/conf/x0/accept_dad`;
      ip('netns', 'exec', name, 'sh', '-c', `echo 0 > ${dad}`);
      ip('-n', name, 'link', 'set', 'x0', 'up');
    }
  });
  afterEach(async () => {
    for (const { sessions } of ends.splice(0)) await sessions.close();
  });
  afterAll(() => {
    for (const name of [A, B]) deleteNamespace(name);
  });

  function addressOf(namespace: string): Address {
    const shown = ip('-n', namespace, '-6', 'addr', 'show', 'dev', 'x0', 'scope', 'link');
    return parseAddress(/inet6 (\S+)\//.exec(shown)![1]!)!;
  }

  function targetOf(namespace: string): BfdTarget {
    const [link]: [{ ifindex: number }] = JSON.parse(ip('-n', namespace, '-j', 'link', 'show', 'x0'));
    const other = namespace === A ? B : A;
    return {
      interfaceName: 'x0',
      interfaceIndex: link.ifindex,
      local: addressOf(namespace),
      remote: addressOf(other),
    };
  }

  /** A thread stays in the namespace in which it is started. */
  function open(namespace: string, pace = FAST): End {
    const sessions = new LinuxBfdSessions(PROGRAM);
    const changes: End['changes'] = [];
    const failures: string[] = [];
    const handlers = {
      changed: (change: BfdChange) => void changes.push(change),
      failed: (reason: string) => void failures.push(reason),
    };
    const target = targetOf(namespace);
    const session = inNamespace(namespace, () => sessions.open(target, pace, handlers));
    const end = { namespace, sessions, changes, failures, session };
    ends.push(end);
    return end;
  }

  async function bothUp(pace = FAST): Promise<[End, End]> {
    const pair: [End, End] = [open(A, pace), open(B, pace)];
    await expect.poll(() => pair.map(({ changes }) => changes.at(-1)?.to)).toEqual(['Up', 'Up']);
    return pair;
  }

  it('holds while the thread that asked for it is busy for longer than a path takes to fail', async () => {
    const pair = await bothUp(PATIENT);
    const received = () => pair.map(({ session }) => session.status()?.packets.received ?? 0);
    const { interval, multiplier } = PATIENT;
    await expect.poll(() => pair.map(({ session }) => session.status()?.detectionTime)).toEqual([4500, 4500]);
    const before = received();
    const until = performance.now() + BUSY;
    while (performance.now() < until);
    await expect.poll(() => received().map((count, end) => count > before[end]!)).toEqual([true, true]);
    for (const { changes, session } of pair) {
      expect(changes.map(({ to }) => to).at(-1)).toBe('Up');
      expect(changes.filter(({ pathFailed }) => pathFailed)).toEqual([]);
      const times = { transmitInterval: interval, detectionTime: interval * multiplier };
      expect(session.status()).toMatchObject({ state: 'Up', ...times, failures: 0 });
    }
  });

  it('finds a link that swallows everything, and comes back with it', async () => {
    const [a] = await bothUp();
    ip(
      'netns',
      'exec',
      B,
      'tc',
      'qdisc',
      'add',
      'dev',
      'x0',
      'root',
      'tbf',
      'rate',
      '1kbit',
      'burst',
      '10',
      'limit',
      '10',
    );
    await expect
      .poll(() => a.changes.at(-1))
      .toMatchObject({ to: 'Down', pathFailed: true, diagnostic: 'Control Detection Time Expired' });
    ip('netns', 'exec', B, 'tc', 'qdisc', 'del', 'dev', 'x0', 'root');
    await expect.poll(() => a.changes.at(-1)?.to).toBe('Up');
  });

  it('does not take the other end for broken when that stops on purpose', async () => {
    const [a, b] = await bothUp(PATIENT);
    await b.sessions.close();
    await expect.poll(() => a.changes.at(-1)).toMatchObject({ to: 'Down', remote: 'AdminDown', pathFailed: false });
  });

  it('believes a packet only when it came with hop limit 255', async () => {
    const [, b] = await bothUp(PATIENT);
    const received = () => b.session.status()?.packets.received ?? 0;
    const before = received();
    await forge(64);
    await expect.poll(received).toBeGreaterThan(before + 5);
    expect(b.changes.at(-1)?.to).toBe('Up');
    await forge(255);
    await expect
      .poll(() => b.changes.find(({ to }) => to === 'Down')?.diagnostic)
      .toBe('Neighbor Signaled Session Down');
  });

  it('says who has the port when it is taken', async () => {
    const other = createSocket({ type: 'udp6', ipv6Only: true });
    await whileInNamespace(A, () => new Promise<void>((resolve) => other.bind(3784, () => resolve())));
    const a = open(A);
    await expect
      .poll(() => a.failures)
      .toEqual(['UDP port 3784 cannot be had on x0: another program has the port (bfdd?)']);
    expect(a.session.status()?.state).not.toBe('Up');
    other.close();
  });

  /** A Down packet as from A, which ends B's session if it is believed. */
  async function forge(hopLimit: number): Promise<void> {
    const socket = createSocket({ type: 'udp6' });
    const local = formatAddress(addressOf(A));
    await whileInNamespace(
      A,
      () => new Promise<void>((resolve) => socket.bind({ address: `${local}%x0`, port: 0 }, () => resolve())),
    );
    socket.setTTL(hopLimit);
    const packet = encodeBfdControlPacket({
      version: 1,
      diagnostic: 0,
      state: BFD_STATES.indexOf('Down'),
      poll: false,
      final: false,
      controlPlaneIndependent: false,
      authenticationPresent: false,
      demand: false,
      multipoint: false,
      detectMultiplier: 3,
      myDiscriminator: 99,
      yourDiscriminator: 0,
      desiredMinTxInterval: 1_000_000,
      requiredMinRxInterval: 50_000,
      requiredMinEchoRxInterval: 0,
    });
    const remote = `${formatAddress(addressOf(B))}%${targetOf(A).interfaceIndex}`;
    await new Promise<void>((resolve, reject) =>
      socket.send(packet, 3784, remote, (error) => (error ? reject(error) : resolve())),
    );
    socket.close();
  }
});
