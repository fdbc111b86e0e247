/** IPv4 gateways beside IPv6 ones: the kernel's rule about them costs no prefix its route. */
import { beforeEach, expect, it } from 'vitest';
import { parseAddress } from '../net/address.js';
import { parsePrefix } from '../net/prefix.js';
import { Fib } from './fib.js';
import { MemoryKernelTables } from './memory-tables.js';
import type { FibNextHop } from './types.js';

const V6 = parsePrefix('2001:db8:1::/64')!;
const V4 = parsePrefix('10.1.0.0/16')!;
const OTHER_V4 = parsePrefix('10.2.0.0/16')!;

/** Gateways by interface: `GATEWAY@INDEX ...`. */
const via = (text: string): FibNextHop[] =>
  text.split(' ').map((way) => {
    const [gateway, index] = way.split('@');
    return { gateway: parseAddress(gateway!)!, interfaceIndex: Number(index) };
  });
const entry = (prefix: typeof V4, primary: string, fallback = '') => ({
  ...{ prefix, primary: via(primary), fallback: fallback ? via(fallback) : [], origin: 65001 },
});

let tables: MemoryKernelTables;
let fib: Fib;
let refused: string[];

beforeEach(async () => {
  tables = new MemoryKernelTables();
  refused = [];
  const clock = { now: () => 0, schedule: () => () => {}, yield: (work: () => void) => queueMicrotask(work) };
  const log = {
    write: ({ level, message }: { level: string; message: string }) => void refused.push(`${level} ${message}`),
  };
  fib = new Fib({ tables, clock, log, config: { buckets: 16, idleTimer: 1 } });
  await fib.start();
});

const gateways = (destination: string) =>
  tables.lookup(parseAddress(destination)!).map(({ gateway }) => gateway.length);

it('carries an IPv4 prefix over gateways of both families, and falls back from one to the other', async () => {
  fib.want(entry(V4, '192.0.2.7@1 fe80::2@2', '192.0.2.9@3'));
  await fib.flush();
  expect(gateways('10.1.2.3').sort()).toEqual([16, 4]);
  for (const link of [1, 2]) tables.setLink(link, false);
  expect(gateways('10.1.2.3')).toEqual([4]);
  for (const link of [1, 2]) fib.linkDown(link);
  await fib.flush();
  expect(fib.entry(V4)?.fallback).toMatchObject({ state: 'installed', nextHops: [{ interfaceIndex: 3 }] });
  expect(refused).toEqual([]);
});

it('lets a prefix go over to an IPv4 gateway while an IPv6 prefix leaves the same class', async () => {
  for (const prefix of [V6, V4, OTHER_V4]) fib.want(entry(prefix, 'fe80::1@1'));
  await fib.flush();
  fib.unwant(V6);
  for (const prefix of [V4, OTHER_V4]) fib.want(entry(prefix, '192.0.2.7@1'));
  await fib.flush();
  expect(gateways('10.1.2.3')).toEqual([4]);
  expect(gateways('2001:db8:1::1')).toEqual([]);
  for (const prefix of [V4, OTHER_V4]) fib.want(entry(prefix, 'fe80::1@1'));
  await fib.flush();
  expect(gateways('10.2.2.3')).toEqual([16]);
  expect(fib.counters.failed).toBe(0);
  expect(refused).toEqual([]);
});
