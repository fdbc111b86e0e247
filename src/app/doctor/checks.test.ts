/** Checks of what no test can bring about on the machine that it runs on: old kernels, clocks, what others allow. */
import { expect, it } from 'vitest';
import { checkMemlock, checkMonotonicClock, checkSynchronised } from './host-checks.js';
import { checkEbpf, checkIpv6, checkNextHops, checkSigning, checkVersion } from './kernel-checks.js';
import { checkPort, listenersOn } from './neighbour-checks.js';

const EVEN = { monotonic: [0, 200], wall: [1000, 1200] } as const;

it.each([
  ['6.12.1-generic', 'ok'],
  ['5.13.0', 'ok'],
  ['5.4.0-42', 'warning'],
  ['4.19.0', 'problem'],
])('Linux %s: %s', (release, status) => {
  expect(checkVersion(release).status).toBe(status);
});

it.each([
  [
    { ...EVEN, wall: [1000, 61_200] as const },
    'tsc',
    'warning',
    'the time of day jumped by 60000 ms while it was looked at',
  ],
  [
    { ...EVEN, wall: [1000, 700] as const },
    'tsc',
    'warning',
    'the time of day jumped by -500 ms while it was looked at',
  ],
  [{ ...EVEN, monotonic: [5, 0] as const }, 'tsc', 'problem', 'the monotonic clock ran backwards'],
  [EVEN, 'acpi_pm', 'warning', 'the clock source is acpi_pm'],
  [EVEN, 'tsc', 'ok', 'it runs evenly, from tsc'],
  [EVEN, undefined, 'ok', 'it runs evenly'],
])('clock %j from %s', (looks, source, status, found) => {
  expect(checkMonotonicClock(looks, source)).toMatchObject({ status, found });
});

it.each([
  [{ synchronised: true, maximalError: 12_345 }, 'ok', 'the time of day is kept right, to 12.3 ms at worst'],
  [{ synchronised: false, maximalError: 16_000_000 }, 'warning', 'nobody keeps the time of day right'],
  [undefined, 'warning', 'whether the time of day is kept right cannot be told here'],
])('time of day %j', (clock, status, found) => {
  expect(checkSynchronised(clock)).toMatchObject({ status, found });
});

it.each([
  ['65536', true, '5.10.0', 'warning'],
  ['unlimited', true, '5.10.0', 'ok'],
  ['65536', true, '5.11.0', 'ok'],
  ['65536', false, '5.10.0', 'ok'],
])('locked memory %s, plane %s, Linux %s: %s', (limit, plane, kernel, status) => {
  const limits = `Max locked memory         ${limit}              ${limit}              bytes\n`;
  expect(checkMemlock(limits, { plane, kernel }).status).toBe(status);
});

it('knows a kernel without IPv6 from one where it is off', () => {
  expect(checkIpv6(undefined)).toMatchObject({ status: 'problem', found: 'this kernel has no IPv6' });
  expect(checkIpv6(1)).toMatchObject({ status: 'problem', found: 'IPv6 is off on all interfaces' });
});

it('takes no resilient groups for a warning, no next-hop objects for a problem', () => {
  const tables = { routes: new Map(), neighbours: [] };
  expect(checkNextHops({ ...tables, resilientObstacle: 'EOPNOTSUPP' }).status).toBe('warning');
  expect(checkNextHops({ ...tables, nextHopObstacle: 'EOPNOTSUPP' }).status).toBe('problem');
});

it('asks for signatures only where a session uses them', () => {
  const statuses = checkSigning({ md5: 'no MD5', ao: 'no AO' }, undefined).map(({ status }) => status);
  expect(statuses).toEqual(['ok', 'ok']);
});

it('says where an eBPF plane could stand', () => {
  const state = { bpf: undefined, tcx: 'it has no tcx (EINVAL; Linux 6.6 has)', btf: false };
  expect(checkEbpf(state, true)).toMatchObject({
    status: 'ok',
    found: 'bpf(2) with clsact and XDP; it has no tcx (EINVAL; Linux 6.6 has); no BTF (programs of ours need none)',
  });
  const refused = { ...state, bpf: 'bpf(2) is not permitted to this process' };
  expect([checkEbpf(refused, true).status, checkEbpf(refused, false).status]).toEqual(['warning', 'ok']);
});

it('reads who listens from the tables of the kernel', () => {
  const head = '  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n';
  const line = (port: string, state: string, inode: number) =>
    `   0: 00000000:${port} 00000000:0000 ${state} 00000000:00000000 00:00000000 00000000     0        0 ${inode} 1 0 100\n`;
  const table = head + line('00B3', '0A', 7) + line('00B3', '01', 8) + line('0050', '0A', 9);
  expect(listenersOn([table, head], 179)).toEqual(['7']);
});

it('does not take the daemon itself for another one', () => {
  const use = { port: 179, listeners: 2, owners: [{ pid: 7, name: 'node' }] };
  expect(checkPort(use, 7).status).toBe('ok');
  expect(checkPort(use, 8).status).toBe('problem');
  expect(checkPort({ ...use, owners: [] }, undefined)).toMatchObject({
    status: 'problem',
    found: 'TCP port 179 is taken by a process that this user may not look at',
  });
});
