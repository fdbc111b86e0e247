/**
 * The whole loop on a real kernel: bursty UDP flows whose hash puts too many on one of three rate-limited links. The shares of the
 * group follow the queues, idle buckets follow the shares, and the links come out more even than by the hash alone.
 */
import { execFileSync } from 'node:child_process';
import { createSocket, type Socket } from 'node:dgram';
import { writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  createNamespace,
  deleteNamespace,
  inNamespace,
  ip,
  namespacesUnusable,
  whileInNamespace,
} from '../../../test/harness/netns.js';
import { type BalancingMode, LoadBalancer } from '../../core/dlb/load-balancer.js';
import { Fib } from '../../core/fib/fib.js';
import { parseAddress } from '../../core/net/address.js';
import { parsePrefix } from '../../core/net/prefix.js';
import { LinuxKernelTables } from './kernel-tables.js';
import { LinuxLoadMeters } from './load-meters.js';
import { SystemClock } from './system-clock.js';

const NAMESPACE = `lb-${process.pid}`;
const LINKS = [1, 2, 3];
/** Octets a second that a link takes: 8 Mbit/s. */
const RATE = 1_000_000;
const FLOWS = 12;
/** Of those, how many the hash puts on the first link. */
const CROWD = 8;
const PACKET = 1000;
/** Milliseconds of a burst and of the pause after it; all links together are offered three quarters of what they take. */
const BURST = 40;
const PAUSE = 80;
const SECONDS = 6;
const ROUNDS = 20;
const DESTINATION = '2001:db8:1::1';

const unusable = namespacesUnusable();
if (unusable) console.log(`skipped: ${unusable}`);

const here = (...parameters: string[]) => ip('-n', NAMESPACE, ...parameters);
const clock = new SystemClock();

function indexOf(link: number): number {
  return (JSON.parse(here('-j', 'link', 'show', `lb${link}`)) as { ifindex: number }[])[0]!.ifindex;
}

function makeLink(n: number): void {
  here('link', 'add', `lb${n}`, 'type', 'veth', 'peer', 'name', `lb${n}p`);
  for (const end of [`lb${n}`, `lb${n}p`]) here('link', 'set', end, 'up');
  here('neigh', 'add', `fe80::${n}`, 'lladdr', `02:00:00:00:00:0${n}`, 'dev', `lb${n}`);
  const limit = ['rate', `${RATE * 8}bit`, 'burst', '4000', 'limit', String(RATE / 10)];
  execFileSync('tc', ['-n', NAMESPACE, 'qdisc', 'add', 'dev', `lb${n}`, 'root', 'tbf', ...limit]);
}

function newSocket(): Promise<Socket> {
  return whileInNamespace(NAMESPACE, async () => {
    const socket = createSocket('udp6');
    await new Promise<void>((resolve) => socket.bind(0, '2001:db8:ffff::1', resolve));
    return socket;
  });
}

const send = (socket: Socket, octets: number) =>
  new Promise<void>((resolve) => socket.send(new Uint8Array(octets), 4791, DESTINATION, () => resolve()));

describe.skipIf(unusable)('load balancing on a real kernel', () => {
  let tables: LinuxKernelTables;
  let meters: LinuxLoadMeters;
  let fib: Fib;
  let indexes: number[];
  const flows: Socket[] = [];

  beforeAll(async () => {
    createNamespace(NAMESPACE);
    // By ports too, as fabrics do.
    inNamespace(NAMESPACE, () => writeFileSync('/proc/sys/net/ipv6/fib_multipath_hash_policy', '1'));
    for (const n of LINKS) makeLink(n);
    indexes = LINKS.map(indexOf);
    here('addr', 'add', '2001:db8:ffff::1/128', 'dev', 'lo', 'nodad');
    tables = await whileInNamespace(NAMESPACE, () => LinuxKernelTables.open());
    meters = inNamespace(NAMESPACE, () => new LinuxLoadMeters());
    fib = new Fib({ tables, clock, log: { write: () => {} }, config: { buckets: 128, idleTimer: 0.02 } });
    await fib.start();
    const primary = LINKS.map((n) => ({ interfaceIndex: indexes[n - 1]!, gateway: parseAddress(`fe80::${n}`)! }));
    fib.want({ prefix: parsePrefix('2001:db8:1::/64')!, primary, fallback: [], origin: 65001 });
    await fib.flush();
    await chooseFlows();
  });

  afterAll(async () => {
    for (const socket of flows) socket.close();
    await fib?.stop({ keep: false });
    meters?.close();
    tables?.close();
    deleteNamespace(NAMESPACE);
  });

  async function sent(): Promise<number[]> {
    const { links } = await meters.read({ groups: false });
    return indexes.map((index) => links.find(({ interfaceIndex }) => interfaceIndex === index)!.octets);
  }

  /** Sockets until the first link has its crowd and the others share the rest. */
  async function chooseFlows(): Promise<void> {
    const wanted = [CROWD, (FLOWS - CROWD) / 2, (FLOWS - CROWD) / 2];
    while (flows.length < FLOWS) {
      const socket = await newSocket();
      const before = await sent();
      for (let i = 0; i < 3; i++) await send(socket, PACKET);
      const link = (await sent()).findIndex((octets, place) => octets - before[place]! >= 3 * PACKET);
      if (link >= 0 && wanted[link]! > 0) {
        wanted[link]!--;
        flows.push(socket);
      } else socket.close();
    }
  }

  /** Largest over mean of what the links were given. */
  async function imbalance(mode: BalancingMode): Promise<{ imbalance: number; moves: number }> {
    const balancer = new LoadBalancer({
      config: {
        mode,
        interval: 100,
        quality: { minimum: 20, maximum: 80, loadWeight: 50, smoothing: 0.3, queueReference: 0.02 },
        flowlet: { qualityDelta: 2, persistence: 2, settle: 2, gain: 0.6 },
        adaptive: { tolerance: 20, moves: 8, scanInterval: 1000 },
      },
      buckets: 128,
      fib,
      meters,
      speedOf: () => Number.POSITIVE_INFINITY,
      clock,
      log: { write: () => {} },
    });
    const before = await sent();
    balancer.start();
    await drive();
    const moves = balancer.groups().reduce((sum, group) => sum + group.moves, 0);
    balancer.stop();
    const given = (await sent()).map((octets, place) => octets - before[place]!);
    return { imbalance: Math.max(...given) / (given.reduce((sum, octets) => sum + octets, 0) / LINKS.length), moves };
  }

  /** Each flow in turns of its own, by the clock: a late timer sends what is due. */
  function drive(): Promise<void> {
    const rate = (0.75 * LINKS.length * RATE) / FLOWS / (BURST / (BURST + PAUSE));
    const start = clock.now();
    const due = flows.map(() => 0);
    return new Promise((resolve) => {
      const tick = (last: number): void => {
        const now = clock.now() - start;
        if (now >= SECONDS * 1000) return resolve();
        for (const [n, socket] of flows.entries()) {
          const phase = (now + (n * (BURST + PAUSE)) / FLOWS) % (BURST + PAUSE);
          if (phase >= BURST) continue;
          due[n]! += (rate * Math.min(now - last, phase)) / 1000;
          for (; due[n]! >= PACKET; due[n]! -= PACKET) void send(socket, PACKET);
        }
        clock.schedule(clock.now() + 2, () => tick(now));
      };
      tick(0);
    });
  }

  it('evens out what the hash does not', async () => {
    const hashed = await imbalance('off');
    expect(hashed.imbalance).toBeGreaterThan(1.3);
    const most = 1 + 0.6 * (hashed.imbalance - 1);
    let moves = 0;
    let least = Number.POSITIVE_INFINITY;
    // Which flows a move of shares takes along is up to the hash, and this process may have to wait for its turn: it goes on until it is even.
    for (let left = ROUNDS; left > 0 && least >= most; left--) {
      const balanced = await imbalance('flowlet');
      moves += balanced.moves;
      least = Math.min(least, balanced.imbalance);
    }
    const [before, after] = [hashed.imbalance, least].map((figure) => figure.toFixed(2));
    console.log(`largest over mean of three links: ${before} by hash, ${after} with ${moves} moves of shares`);
    expect(moves).toBeGreaterThan(0);
    expect(least).toBeLessThan(most);
  });
});
