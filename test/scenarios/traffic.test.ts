/**
 * Subflows over a fabric of namespaces, as real RoCEv2 packets: two leaves, four spines, heddle everywhere. The second host of each leaf
 * has prefixes without a colour, which go over every uplink: there hashing shows.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { uplinksOf } from '../../src/app/host/host-ports.js';
import { buildLab, raiseLinks, tearDown } from '../../src/app/lab/build.js';
import { findHost, waitHostAddresses } from '../../src/app/lab/hosts.js';
import { kernelRoutes } from '../../src/app/lab/kernel-routes.js';
import { controlSocket, type Lab, namespaceOf, PACKAGE_ROOT } from '../../src/app/lab/lab.js';
import { failLink, healLink, silenceLink } from '../../src/app/lab/links.js';
import { poll } from '../../src/app/lab/poll.js';
import { livePorts } from '../../src/app/traffic/live-ports.js';
import { runTraffic } from '../../src/app/traffic/run-traffic.js';
import { planTraffic, type TrafficQuestion } from '../../src/app/traffic/traffic-plan.js';
import { PRIMARY_METRIC } from '../../src/core/fib/types.js';
import { ROCE_PORT } from '../../src/core/wire/rocev2/entropy-port.js';
import { ControlClient } from '../../src/edge/control/client.js';
import { labUnusable, newLab } from '../harness/lab.js';
import { describeOnPlanes } from '../harness/planes.js';

const UPLINKS = [1, 2, 3, 4];
const hostSettings = (leaf: number) => `
  leaf${leaf}:
    hosts:
      to-host${leaf}-1:
        prefixes: [${UPLINKS.map((uplink) => `{ prefix: "fc00:${leaf}:1:${uplink}::/64", colour: ${uplink} }`).join()}]
      to-host${leaf}-2:
        prefixes: [${UPLINKS.map((uplink) => `{ prefix: "fc00:${leaf}:2:${uplink}::/64" }`).join()}]`;
/** The kernel's groups leave a flow where its hash has put it; of the plane's ways one does so too. */
const TOPOLOGY = `
name: hrlb-traffic
spines: 4
leaves: 2
hosts-per-leaf: 2
timers: { hold: 60 }
settings:${hostSettings(1)}${hostSettings(2)}
  spines: { ebpf: { mode: assigned-flow } }
  leaves: { ebpf: { mode: assigned-flow } }
`;
const MEGABYTE = 2 ** 20;
/** Nothing is sent again because a machine stood still. */
const TRANSPORT = { pathMtu: 1024, window: 64, ackTimeout: 20_000, retryLimit: 7 };
const PATIENCE = { timeout: 120_000, interval: 100 };

const noTshark = (() => {
  try {
    execFileSync('tshark', ['-v'], { stdio: 'ignore' });
    return undefined;
  } catch {
    return 'tshark is not installed';
  }
})();

describeOnPlanes('traffic', labUnusable({ peers: false }), (plane) => {
  let lab: Lab;

  /** Of both leaves to the other one: one uplink for each prefix with a colour, all four for each without. */
  async function routed(): Promise<boolean> {
    const ways = await Promise.all(
      [1, 2].map(async (leaf) => {
        const routes = await kernelRoutes(lab, `leaf${leaf}`);
        return UPLINKS.flatMap((uplink) =>
          [1, 2].map((host) => {
            const prefix = `fc00:${3 - leaf}:${host}:${uplink}::/64`;
            const found = routes.find((route) => route.prefix === prefix && route.metric === PRIMARY_METRIC);
            return found?.interfaces.length === (host === 1 ? 1 : UPLINKS.length);
          }),
        );
      }),
    );
    return ways.flat().every((right) => right);
  }

  beforeAll(async () => {
    lab = await newLab(TOPOLOGY, plane);
    await buildLab(lab);
    await raiseLinks(lab);
    expect(await poll(routed, PATIENCE)).toBe(true);
    expect(await waitHostAddresses(lab, PATIENCE.timeout)).toEqual([]);
  });

  afterAll(async () => {
    if (lab !== undefined) expect((await tearDown(lab)).strangers).toEqual([]);
  });

  const scenario = (name: string, body: () => Promise<void>, reason?: string): void => {
    it(name, async (context) => {
      if (reason !== undefined) return context.skip(reason);
      await body();
    });
  };

  async function question(hosts: readonly string[], changes: Partial<TrafficQuestion> = {}): Promise<TrafficQuestion> {
    const uplinks = uplinksOf(lab.plan);
    const found = await livePorts(lab, { hosts: hosts.map((name) => findHost(lab, name)), uplinks }, PATIENCE.timeout);
    expect(found.flatMap(({ problems }) => problems)).toEqual([]);
    const defaults = {
      pattern: 'send',
      queuePairs: 4,
      rlb: true,
      octets: MEGABYTE,
      seed: 3,
      transport: TRANSPORT,
    } as const;
    return { ...defaults, ports: found.map(({ port }) => port), uplinks, ...changes };
  }

  /** Packets that a leaf has sent, by uplink. */
  function sent(leaf: string): Map<string, number> {
    const output = execFileSync('ip', ['-n', namespaceOf(lab, leaf), '-j', '-s', 'link', 'show'], { encoding: 'utf8' });
    const links: { ifname: string; stats64: { tx: { packets: number } } }[] = JSON.parse(output);
    return new Map(
      links.filter(({ ifname }) => /spine/.test(ifname)).map((link) => [link.ifname, link.stats64.tx.packets]),
    );
  }

  async function carried(leaf: string, work: () => Promise<unknown>): Promise<Record<string, number>> {
    const before = sent(leaf);
    await work();
    return Object.fromEntries([...sent(leaf)].map(([name, packets]) => [name, packets - before.get(name)!]));
  }

  /** Packets by uplink of leaf1, as its kernel says where it would send those of host1-2. */
  function placement(asked: TrafficQuestion): Record<string, number> {
    const packets: Record<string, number> = Object.fromEntries(UPLINKS.map((uplink) => [`to-spine${uplink}`, 0]));
    const { subflows } = planTraffic(asked);
    for (const { sourceAddress, destinationAddress, sourcePort } of subflows) {
      const flow = `from ${sourceAddress} iif to-host1-2 ipproto udp sport ${sourcePort} dport ${ROCE_PORT}`.split(' ');
      const where = ['-n', namespaceOf(lab, 'leaf1'), '-j', '-6', 'route', 'get', destinationAddress, ...flow];
      const [route]: { dev: string }[] = JSON.parse(execFileSync('ip', where, { encoding: 'utf8' }));
      packets[route!.dev]! += asked.octets / asked.transport.pathMtu / subflows.length;
    }
    return packets;
  }

  function heddle(...parameters: string[]) {
    const child = spawn(join(PACKAGE_ROOT, 'bin', 'heddle'), ['traffic', '--lab', lab.name, ...parameters]);
    return ended(child);
  }

  function ended(child: ChildProcess): Promise<{ status: number | null; out: string; err: string }> {
    let [out, err] = ['', ''];
    child.stdout?.on('data', (text) => (out += text));
    child.stderr?.on('data', (text) => (err += text));
    return new Promise((resolve) => child.on('close', (status) => resolve({ status, out, err })));
  }

  scenario('with addresses of their own, each uplink carries a quarter', async () => {
    const asked = await question(['host1-1', 'host2-1'], { octets: 4 * MEGABYTE });
    const shares = await carried('leaf1', async () => {
      const report = await runTraffic(lab, asked);
      expect(report).toMatchObject({ verified: true, failures: [], warnings: [] });
      expect(report.subflows.map(({ uplink, octets, lost }) => [uplink, octets, lost])).toEqual(
        UPLINKS.map((uplink) => [`spine${uplink}`, MEGABYTE, 0]),
      );
    });
    // One subflow each, and the chatter of control planes and acknowledgements beside it, which is less than another.
    for (const packets of Object.values(shares)) expect(Math.floor(packets / 1024)).toBe(1);
  });

  const onOneAddress = () =>
    // A window that a receiver has room for, however late it reads.
    question(['host1-2', 'host2-2'], {
      ...{ rlb: false, queuePairs: 6, seed: 5, octets: 3 * MEGABYTE },
      transport: { ...TRANSPORT, window: 16 },
    });
  /** Packets of one of its subflows: what else goes over a link is less. */
  const subflowOf = ({ octets, transport, queuePairs }: TrafficQuestion) => octets / transport.pathMtu / queuePairs;

  /** The kernel may deal its buckets anew while the lab settles: what it says before must hold after. */
  async function expectHashed(): Promise<void> {
    const asked = await onOneAddress();
    for (let tries = 0; ; tries++) {
      const expected = placement(asked);
      const report = await carried('leaf1', async () =>
        expect(await runTraffic(lab, asked)).toMatchObject({ verified: true }),
      );
      if (tries < 30 && JSON.stringify(placement(asked)) !== JSON.stringify(expected)) continue;
      const subflow = subflowOf(asked);
      const whole = (packets: number) => Math.floor(packets / subflow);
      for (const [name, packets] of Object.entries(expected)) expect(whole(report[name]!), name).toBe(whole(packets));
      break;
    }
  }

  /** Packets that the leaf's plane has left to the kernel while its daemon waited for its turn: their hash decides. */
  async function stale(): Promise<number> {
    const { plane: seen } = await new ControlClient(controlSocket(lab, 'leaf1')).dlb();
    return seen?.leftToKernel.find(({ reason }) => reason === 'stale')?.packets ?? 0;
  }

  /** Every flow as a whole. */
  async function expectAssigned(): Promise<void> {
    const asked = await onOneAddress();
    for (let tries = 0; ; tries++) {
      const before = await stale();
      const report = await carried('leaf1', async () =>
        expect(await runTraffic(lab, asked)).toMatchObject({ verified: true }),
      );
      if (tries < 30 && (await stale()) > before) continue;
      const flow = subflowOf(asked);
      const flows = Object.values(report).map((packets) => Math.floor(packets / flow));
      expect(flows.reduce((sum, one) => sum + one, 0)).toBe(asked.queuePairs);
      for (const packets of Object.values(report)) expect(packets % flow).toBeLessThan(flow / 2);
      break;
    }
  }

  scenario(
    plane === 'kernel'
      ? 'on one address they go where the hash of their ports puts them'
      : 'on one address each is given a link, and keeps it',
    plane === 'kernel' ? expectHashed : expectAssigned,
  );

  scenario('four hosts add up in a ring, and exchange blocks', async () => {
    const hosts = ['host1-1', 'host2-1', 'host1-2', 'host2-2'];
    const ring = await runTraffic(lab, await question(hosts, { pattern: 'all-reduce', octets: MEGABYTE / 4 + 12 }));
    expect(ring).toMatchObject({ verified: true, failures: [] });
    expect(ring.subflows).toHaveLength(16);
    expect(ring.busBandwidth / ring.algorithmBandwidth).toBeCloseTo(1.5);
    const all = await runTraffic(lab, await question(hosts, { pattern: 'all-to-all', octets: MEGABYTE / 4 }));
    expect(all).toMatchObject({ verified: true, failures: [] });
    expect(all.subflows).toHaveLength(48);
  });

  scenario(
    'tshark reads a subflow as RoCEv2, without complaint',
    async () => {
      const folder = mkdtempSync(join(tmpdir(), 'heddle-traffic-'));
      try {
        const file = join(folder, 'spine2.pcap');
        const bounds = ['-c', '500', '-a', 'duration:600'];
        const capture = spawn('ip', [
          ...[
            'netns',
            'exec',
            namespaceOf(lab, 'leaf1'),
            'tshark',
            '-i',
            'to-spine2',
            '-f',
            'udp port 4791',
            '-w',
            file,
          ],
          ...bounds,
        ]);
        const over = ended(capture);
        // Begun when the interface is open.
        expect(await poll(() => existsSync(file) && statSync(file).size > 0, PATIENCE)).toBe(true);
        await runTraffic(lab, await question(['host1-1', 'host2-1'], { octets: 2 * MEGABYTE }));
        await over;
        const fields = ['ipv6.dst', 'udp.dstport', 'infiniband.bth.opcode', '_ws.malformed', '_ws.expert'].flatMap(
          (field) => ['-e', field],
        );
        const rows = execFileSync('tshark', ['-r', file, '-o', 'udp.check_checksum:FALSE', '-T', 'fields', ...fields], {
          encoding: 'utf8',
          stdio: ['ignore', 'pipe', 'ignore'],
        })
          .replace(/\n$/, '')
          .split('\n')
          .map((line) => line.split('\t'));
        expect(rows).toHaveLength(500);
        expect(rows.filter((row) => row[3] || row[4])).toEqual([]);
        expect(new Set(rows.map((row) => row[1]))).toEqual(new Set(['4791']));
        expect(rows.every(([destination]) => /^fc00:[12]:1:2:/.test(destination!))).toBe(true);
        expect(new Set(rows.map((row) => Number(row[2])))).toEqual(new Set([0x06, 0x07, 0x11]));
      } finally {
        rmSync(folder, { recursive: true });
      }
    },
    noTshark,
  );

  scenario('an uplink that fails on the way is survived, and every octet is right', async () => {
    const pace = 1000;
    const asked = await question(['host1-1', 'host2-1'], {
      octets: 4 * MEGABYTE,
      transport: { ...TRANSPORT, ackTimeout: 5000, pace },
    });
    let failed: Promise<unknown> | undefined;
    try {
      const report = await runTraffic(lab, asked, {
        onProgress: (octets) => {
          if (octets > 0) failed ??= failLink(lab, 'leaf1:spine3');
        },
      });
      await failed;
      expect(failed).toBeDefined();
      expect(report).toMatchObject({ verified: true, failures: [] });
      const [one, , , ...rest] = report.subflows.map(({ retransmitted }) => retransmitted);
      expect([one, ...rest]).toEqual([0, 0]);
    } finally {
      await healLink(lab, 'leaf1:spine3');
    }
    expect(await poll(routed, PATIENCE)).toBe(true);
  });

  // What hosts do is theirs, whoever forwards.
  if (plane === 'ebpf') return () => lab;

  scenario('a packet with a wrong CRC is counted and named, and not taken', async () => {
    const asked = await question(['host1-1', 'host2-1'], { transport: { ...TRANSPORT, pace: 50 } });
    const { sourceAddress, destinationAddress, destinationQp } = planTraffic(asked).subflows[1]!;
    const number = destinationQp.toString(16).padStart(8, '0');
    const packet = `0740ffff${number}00000000${'00'.repeat(64)}deadbeef`;
    const script = `const s = require('dgram').createSocket('udp6');
      s.bind(0, '${sourceAddress}', () => console.log('ready'));
      process.stdin.once('end', () =>
        s.send(Buffer.from('${packet}', 'hex'), ${ROCE_PORT}, '${destinationAddress}', () => s.close())).resume();`;
    const forger = spawn('ip', ['netns', 'exec', namespaceOf(lab, 'host1-1'), process.execPath, '-e', script]);
    const forged = ended(forger);
    await once(forger.stdout, 'data');
    // In the first of the five seconds that it takes.
    const report = await runTraffic(lab, asked, { onProgress: () => forger.stdin.end() });
    await forged;
    expect(report.verified).toBe(true);
    expect(report.subflows.map(({ icrcErrors }) => icrcErrors)).toEqual([0, 1, 0, 0]);
    expect(report.warnings).toEqual([expect.stringMatching(/^host1-1 -> host2-1 queue pair 2 .*wrong invariant CRC/)]);
  });

  scenario('a receiver that does not answer is named in bounded time', async () => {
    await silenceLink(lab, 'leaf2:host2-1');
    try {
      const { status, err, out } = await heddle(
        'host1-1',
        'host2-1',
        '--size',
        '1M',
        '--ack-timeout',
        '60',
        '--retries',
        '2',
      );
      expect(status).toBe(1);
      expect(out).toContain('not completed');
      expect(err).toMatch(/host1-1 -> host2-1 queue pair \d .*spine\d\): no answer to PSN \d+ after 2 retries/);
    } finally {
      await healLink(lab, 'leaf2:host2-1');
    }
  });

  scenario('what cannot be sent is named before anything is', async () => {
    const [wide, many] = await Promise.all([
      heddle('host1-1', 'host2-1', '--mtu', '4096'),
      heddle('host1-1', 'host2-1', '--qps', '5'),
    ]);
    expect(wide).toMatchObject({
      status: 1,
      err: expect.stringContaining('do not fit through leaf1/to-spine1 (MTU 1500)'),
    });
    expect(wide.err).toContain('use --mtu 1024');
    expect(many).toMatchObject({ status: 2, err: expect.stringContaining('use --qps 4 or fewer, or --no-rlb') });
    const host = ['-n', namespaceOf(lab, 'host2-1')];
    const deaf = [
      'netns',
      'exec',
      namespaceOf(lab, 'host2-1'),
      'sh',
      '-c',
      'echo 0 >/proc/sys/net/ipv6/conf/eth0/accept_ra',
    ];
    execFileSync('ip', deaf);
    execFileSync('ip', [...host, '-6', 'addr', 'flush', 'dev', 'eth0', 'scope', 'global']);
    const without = await heddle('host1-1', 'host2-1', '--size', '4K');
    expect(without.status).toBe(1);
    expect(without.err).toMatch(/host2-1: has no address in fc00:2:1:[1-4]::\/64/);
  });

  return () => lab;
});
