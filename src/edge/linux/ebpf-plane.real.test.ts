/** The plane of a router between a host and three spines, which are one namespace: packets are sent, and must arrive. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  createNamespace,
  deleteNamespace,
  inNamespace,
  ip,
  namespacesUnusable,
  whileInNamespace,
} from '../../../test/harness/netns.js';
import { Assembler } from '../../core/bpf/assembler.js';
import { R0 } from '../../core/bpf/instruction.js';
import type { EbpfPlaneOptions } from '../../core/ebpf-plane/plane-options.js';
import { GROUP_IDS, NEXT_HOP_IDS } from '../../core/fib/ownership.js';
import { parseAddress } from '../../core/net/address.js';
import { parsePrefix } from '../../core/net/prefix.js';
import type { KernelOperation, KernelTables } from '../../core/ports/kernel-tables.js';
import { BpfProgram } from './bpf/bpf-program.js';
import { removeLeftFilter } from './bpf/clsact.js';
import { LinuxPlaneTables } from './bpf/plane-tables.js';
import { BpfError } from './bpf/system-call.js';
import { LinuxEbpfPlane } from './ebpf-plane.js';
import { LinuxKernelTables } from './kernel-tables.js';
import { LinuxLinks } from './links.js';
import { MirroredTables } from './mirrored-tables.js';

const HOST = `bph-${process.pid}`;
const ROUTER = `bpr-${process.pid}`;
const SPINES = `bps-${process.pid}`;
const UPLINKS = ['up1', 'up2', 'up3'];
const ALL = ['host0', ...UPLINKS];
const DESTINATION = '2001:db8:1::1';
const PACKETS = 20;
const TC_ACT_SHOT = 2;
/** Milliseconds, on a busy machine. */
const PATIENTLY = { timeout: 120_000, interval: 10 };
const FOR_EVER = 2n ** 63n - 1n;
const OPTIONS: EbpfPlaneOptions = {
  sizes: { prefixes: 1024, classes: 64, flowsets: 256 },
  choice: { mode: 'per-packet', minimum: 20, maximum: 80, sampling: 16_000 },
  attach: 'auto',
  loadWeight: 50,
};

const unusable = namespacesUnusable();
if (unusable) console.log(`skipped: ${unusable}`);

const at = (namespace: string, ...words: string[]) => ip('-n', namespace, ...words);
interface Link {
  readonly ifname: string;
  readonly ifindex: number;
  readonly address: string;
}

const indexes = (): Map<string, number> =>
  new Map((JSON.parse(at(ROUTER, '-j', 'link', 'show')) as Link[]).map(({ ifname, ifindex }) => [ifname, ifindex]));

function forwarding(namespace: string): void {
  inNamespace(namespace, () => {
    writeFileSync('/proc/sys/net/ipv6/conf/all/forwarding', '1');
    writeFileSync('/proc/sys/net/ipv6/conf/default/accept_dad', '0');
  });
}

/** One process for many commands. */
function batch(namespace: string, ...lines: string[]): void {
  execFileSync('ip', ['-n', namespace, '-batch', '-'], {
    input: `${lines.join('\n')}\n`,
    stdio: ['pipe', 'pipe', 'pipe'],
  });
}

function build(): void {
  for (const namespace of [HOST, ROUTER, SPINES]) {
    createNamespace(namespace);
    forwarding(namespace);
  }
  const pairs = UPLINKS.map((name) => `link add ${name} type veth peer name ${name} netns ${SPINES}`);
  batch(ROUTER, `link add host0 type veth peer name eth0 netns ${HOST}`, ...pairs);
  batch(HOST, 'link set eth0 up', 'addr add 2001:db8:2::2/64 dev eth0 nodad', 'route add default via 2001:db8:2::1');
  batch(SPINES, `addr add ${DESTINATION}/128 dev lo nodad`, ...UPLINKS.map((name) => `link set ${name} up`));
  const macs = new Map(
    (JSON.parse(at(SPINES, '-j', 'link', 'show')) as Link[]).map(({ ifname, address }) => [ifname, address]),
  );
  const neighbours = UPLINKS.map((name) => `neigh replace ${gatewayOf(name)} lladdr ${macs.get(name)} dev ${name}`);
  const up = ALL.map((name) => `link set ${name} up`);
  batch(ROUTER, ...up, 'addr add 2001:db8:2::1/64 dev host0 nodad', ...neighbours);
}

const gatewayOf = (name: string) => `fe80::${name.slice(-1)}`;

function nextHop(n: number, index: ReadonlyMap<string, number>): KernelOperation {
  const name = UPLINKS[n]!;
  return {
    ...{ kind: 'set-next-hop', id: NEXT_HOP_IDS + n + 1, interfaceIndex: index.get(name)! },
    ...{ gateway: parseAddress(gatewayOf(name))!, replace: false },
  };
}

const group = (n: number, ...members: number[]): KernelOperation => ({
  ...{ kind: 'set-group', id: GROUP_IDS + n, members: members.map((m) => ({ id: NEXT_HOP_IDS + m + 1, weight: 1 })) },
  replace: false,
});

const routeOf = (metric: number) => ({ prefix: parsePrefix('2001:db8:1::/64')!, metric });

const withoutRoute = (operation: KernelOperation): KernelOperation =>
  operation.kind === 'set-route'
    ? { kind: 'delete-route', prefix: operation.prefix, metric: operation.metric }
    : operation;

const route = (metric: number, n: number, replace = false): KernelOperation => ({
  ...{ kind: 'set-route', ...routeOf(metric), nextHop: GROUP_IDS + n, replace },
});

describe.skipIf(unusable)('the eBPF plane of a router', () => {
  let links: LinuxLinks;
  let plane: LinuxEbpfPlane;
  let tables: KernelTables;
  let receiver: Socket;
  let sender: Socket;
  let received: number;
  let rounds = 0;
  const children: ChildProcess[] = [];
  let index: ReadonlyMap<string, number>;
  const failures: string[] = [];
  const warnings: string[] = [];

  const openPlane = (options = OPTIONS) =>
    whileInNamespace(ROUTER, () =>
      LinuxEbpfPlane.open({
        options,
        links,
        isWanted: (name) => ALL.includes(name),
        failed: (why) => failures.push(why),
        warn: (line) => warnings.push(line),
      }),
    );

  async function attachedPlane(options = OPTIONS): Promise<LinuxEbpfPlane> {
    const opened = await openPlane(options);
    inNamespace(ROUTER, () => opened.attach());
    return opened;
  }

  const openTables = async () =>
    new MirroredTables(await whileInNamespace(ROUTER, () => LinuxKernelTables.open()), (work) => plane.told(work));

  beforeEach(async () => {
    build();
    index = indexes();
    links = await whileInNamespace(ROUTER, () => LinuxLinks.open());
    plane = await attachedPlane();
    tables = await openTables();
    expect(await tables.apply([...UPLINKS.map((_, n) => nextHop(n, index)), group(1, 0), group(2, 1, 2)])).toEqual([]);
    expect(await tables.apply([route(20, 1), route(30, 2)])).toEqual([]);
    receiver = await socketAt(SPINES, DESTINATION);
    sender = await socketAt(HOST, '2001:db8:2::2');
    received = 0;
    receiver.on('message', () => received++);
  });

  afterEach(() => {
    for (const child of children.splice(0)) child.kill('SIGKILL');
    for (const closable of [receiver, sender, tables, plane, links]) closable?.close();
    for (const namespace of [HOST, ROUTER, SPINES]) deleteNamespace(namespace);
    expect([...failures.splice(0), ...warnings.splice(0)]).toEqual([]);
  });

  function socketAt(namespace: string, address: string): Promise<Socket> {
    return whileInNamespace(namespace, async () => {
      const socket = createSocket('udp6').bind(0, address);
      await once(socket, 'listening');
      return socket;
    });
  }

  /** Sends so many, which must all arrive, and says how many went out by which uplink through the plane. */
  async function exchange(packets = PACKETS): Promise<Record<string, number>> {
    const before = byUplink();
    const expected = received + packets;
    // However long this process has waited for ip(8).
    plane.told((mirror) => mirror.aliveUntil(FOR_EVER));
    for (let i = 0; i < packets; i++) sender.send(`packet ${i}`, receiver.address().port, DESTINATION);
    await expect.poll(() => received).toBe(expected);
    const after = byUplink();
    return Object.fromEntries(Object.keys(after).map((name) => [name, after[name]! - (before[name] ?? 0)]));
  }

  const send = (name: string) => sender.send(name, receiver.address().port, DESTINATION);

  /** Sends so many, which must all arrive. */
  async function arrive(packets: number): Promise<void> {
    const name = `round ${++rounds}`;
    let count = 0;
    receiver.on('message', (message) => {
      if (String(message) === name) count++;
    });
    for (let i = 0; i < packets; i++) send(name);
    await expect.poll(() => count, PATIENTLY).toBe(packets);
  }

  /** However many are lost on a link that fails. */
  async function oneArrives(): Promise<void> {
    const before = received;
    const next = () => {
      if (received === before) send('are you there?');
      return received > before;
    };
    await expect.poll(next, PATIENTLY).toBe(true);
  }

  /** Packets that the kernel of the router has forwarded itself. */
  const forwardedByKernel = (): string | undefined =>
    inNamespace(ROUTER, () =>
      /^Ip6OutForwDatagrams\s+(\d+)/m.exec(readFileSync('/proc/thread-self/net/snmp6', 'utf8')),
    )?.[1];

  /** The plane in a process that is stopped. When it goes on, it does nothing but say what it has sent. */
  async function stoppedPlane(given: EbpfPlaneOptions = OPTIONS) {
    const script = `
      import { readSync, writeSync } from 'node:fs';
      import { LinuxEbpfPlane } from './dist/edge/linux/ebpf-plane.js';
      import { LinuxKernelTables } from './dist/edge/linux/kernel-tables.js';
      import { LinuxLinks } from './dist/edge/linux/links.js';
      const failed = (why) => { throw new Error(why); };
      const links = await LinuxLinks.open();
      const names = new Map((await links.list()).map(({ index, name }) => [index, name]));
      const isWanted = (name) => ${JSON.stringify(ALL)}.includes(name);
      const options = ${JSON.stringify(given)};
      const plane = await LinuxEbpfPlane.open({ options, links, isWanted, failed, warn: failed });
      await plane.learn(await LinuxKernelTables.open());
      plane.attach();
      plane.told((mirror) => mirror.aliveUntil(${FOR_EVER}n));
      writeSync(1, 'ready');
      readSync(0, new Uint8Array(1));
      const ports = plane.ports().map(({ interfaceIndex, usable, packets }) =>
        ({ name: names.get(interfaceIndex), usable, packets: Number(packets) }));
      writeSync(1, JSON.stringify(ports));`;
    const node = [process.execPath, '--input-type=module', '-e', script];
    const child = spawn('ip', ['netns', 'exec', ROUTER, ...node], { stdio: ['pipe', 'pipe', 'inherit'] });
    children.push(child);
    const said = async (): Promise<string> => String((await once(child.stdout, 'data'))[0]);
    expect(await said()).toBe('ready');
    child.kill('SIGSTOP');
    await expect.poll(() => /\) (.)/.exec(readFileSync(`/proc/${child.pid}/stat`, 'latin1'))?.[1], PATIENTLY).toBe('T');
    return {
      async goOn(): Promise<readonly { name: string; usable: boolean; packets: number }[]> {
        const last = said();
        child.kill('SIGCONT');
        child.stdin.write('\n');
        return JSON.parse(await last);
      },
      async kill(): Promise<void> {
        const gone = once(child, 'exit');
        child.kill('SIGKILL');
        await gone;
      },
    };
  }

  function byUplink(): Record<string, number> {
    const names = new Map([...index].map(([name, interfaceIndex]) => [interfaceIndex, name]));
    return Object.fromEntries(
      plane.ports().map(({ interfaceIndex, packets }) => [names.get(interfaceIndex) ?? 'gone', Number(packets)]),
    );
  }

  /** As the daemon is: all that opens something, or reacts, does so in the router's namespace. */
  const inRouter = (name: string, test: () => Promise<void>) => it(name, () => whileInNamespace(ROUTER, test));

  inRouter('forwards by the primary, and by the others in turn once that has lost its carrier', async () => {
    expect(plane.attachments().map(({ how }) => how)).toEqual(['tc', 'tc', 'tc', 'tc']);
    expect(await exchange()).toEqual({ up1: PACKETS, up2: 0, up3: 0 });
    at(SPINES, 'link', 'set', 'up1', 'down');
    await expect.poll(() => plane.ports().length).toBe(2);
    expect(await exchange()).toEqual({ up2: PACKETS / 2, up3: PACKETS / 2 });
  });

  inRouter('forwards by it again once it was found up after the loss', async () => {
    const state = () => plane.ports().map(({ usable }) => usable);
    at(SPINES, 'link', 'set', 'up1', 'down');
    await expect.poll(state).toEqual([true, true]);
    at(SPINES, 'link', 'set', 'up1', 'up');
    const again = () => tables.apply([nextHop(0, index), group(1, 0), route(20, 1)]);
    // The kernel takes no next hop over a link that it does not know to be up.
    await expect.poll(async () => (await again()).length, PATIENTLY).toBe(0);
    await expect.poll(state, PATIENTLY).toEqual([true, true, true]);
    expect(await exchange()).toEqual({ up1: PACKETS, up2: 0, up3: 0 });
  });

  inRouter('takes a link that is lost out of use while its process is stopped', async () => {
    plane.close();
    const stopped = await stoppedPlane();
    const byKernel = forwardedByKernel();
    await arrive(PACKETS);
    at(SPINES, 'link', 'set', 'up1', 'down');
    await oneArrives();
    await arrive(PACKETS);
    at(ROUTER, 'link', 'set', 'up2', 'down');
    await oneArrives();
    await arrive(PACKETS);
    expect(forwardedByKernel()).toBe(byKernel);
    const ports = await stopped.goOn();
    expect(ports.map(({ name, usable }) => [name, usable])).toEqual([
      ['up1', false],
      ['up2', false],
      ['up3', true],
    ]);
    for (const [place, least] of [PACKETS, PACKETS / 2, (PACKETS * 3) / 2].entries())
      expect(ports[place]!.packets).toBeGreaterThanOrEqual(least);
  });

  inRouter('says why where the kernel has no program for links, and hears of them itself', async () => {
    plane.close();
    const refused = vi.spyOn(LinuxPlaneTables.prototype, 'loadLinkWatch').mockImplementation(() => {
      throw new BpfError('EPERM', 'the kernel refuses the program heddle_links');
    });
    plane = await attachedPlane();
    refused.mockRestore();
    await plane.learn(tables);
    const [line] = warnings.splice(0);
    expect(line).toMatch(/^the eBPF plane hears of links that fail when heddle does, not in the kernel: .*EPERM/);
    expect(plane.unwatched).toBe(line);
    expect(await exchange()).toEqual({ up1: PACKETS, up2: 0, up3: 0 });
    at(SPINES, 'link', 'set', 'up1', 'down');
    await expect.poll(() => plane.ports().length).toBe(2);
    expect(await exchange()).toEqual({ up2: PACKETS / 2, up3: PACKETS / 2 });
  });

  inRouter('counts packets of a prefix, and tells once of a flowset that moves', async () => {
    const counted = () => [...plane.prefixCounts()].map(({ packets, fallback }) => [Number(packets), Number(fallback)]);
    const choice = { ...OPTIONS.choice, mode: 'assigned-flow' } as const;
    await exchange();
    expect(counted()).toEqual([[PACKETS, 0]]);
    for (const closable of [tables, plane]) closable.close();
    plane = await attachedPlane({ ...OPTIONS, choice });
    tables = await openTables();
    await tables.dump('everything');
    expect(
      await tables.apply([{ kind: 'delete-route', ...routeOf(20) }, group(3, 0, 1, 2), route(30, 3, true)]),
    ).toEqual([]);
    const [first] = Object.entries(await exchange()).filter(([, packets]) => packets === PACKETS);
    expect(counted()).toEqual([[PACKETS, PACKETS]]);
    expect(plane.takeMoves()).toEqual([]);
    at(SPINES, 'link', 'set', first![0], 'down');
    await expect.poll(() => plane.ports().length).toBe(2);
    const [second] = Object.entries(await exchange()).filter(([, packets]) => packets === PACKETS);
    const moves = plane.takeMoves();
    const places = moves.map(({ from, to }) => [from, to].map((port) => plane.port(port)?.interfaceIndex));
    expect(places).toEqual([[index.get(first![0]), index.get(second![0])]]);
    expect(
      plane
        .ports()
        .map(({ moves, risks }) => Number(moves * 10n + risks))
        .sort(),
    ).toEqual([0, 11]);
    expect(plane.takeMoves()).toEqual([]);
  });

  inRouter('leaves packets to the kernel while a neighbour is not known, and takes them again', async () => {
    at(ROUTER, 'neigh', 'del', gatewayOf('up1'), 'dev', 'up1');
    await expect.poll(() => plane.ports()[0]?.resolved).toBe(false);
    // The kernel has a gateway of the same address in the spines' namespace to ask.
    at(SPINES, 'addr', 'add', `${gatewayOf('up1')}/64`, 'dev', 'up1', 'nodad');
    expect(await exchange()).toMatchObject({ up1: expect.any(Number) });
    expect(plane.passed().get('unresolved')).toBeGreaterThan(0n);
    await expect.poll(() => plane.ports()[0]?.resolved).toBe(true);
    expect(await exchange()).toEqual({ up1: PACKETS, up2: 0, up3: 0 });
  });

  inRouter('knows what others have: a longer route of theirs goes the kernel’s way', async () => {
    at(ROUTER, '-6', 'route', 'add', `${DESTINATION}/128`, 'via', gatewayOf('up3'), 'dev', 'up3');
    await expect.poll(async () => (await exchange(1)).up1).toBe(0);
    expect(plane.passed().get('other-route')).toBeGreaterThan(0n);
    at(ROUTER, '-6', 'route', 'del', `${DESTINATION}/128`);
    await expect.poll(async () => (await exchange(1)).up1).toBe(1);
  });

  inRouter('goes to an interface that is made again under its name', async () => {
    at(ROUTER, 'link', 'del', 'host0');
    await expect.poll(() => plane.attachments().length).toBe(3);
    at(ROUTER, 'link', 'add', 'host0', 'type', 'veth', 'peer', 'name', 'eth0', 'netns', HOST);
    at(ROUTER, 'link', 'set', 'host0', 'up');
    await expect.poll(() => plane.attachments().length).toBe(4);
  });

  inRouter('leaves nothing behind, and the kernel forwards on', async () => {
    await exchange(1);
    plane.close();
    expect(plane.running).toBe(false);
    const expected = received + PACKETS;
    for (let i = 0; i < PACKETS; i++) sender.send('by the kernel', receiver.address().port, DESTINATION);
    await expect.poll(() => received).toBe(expected);
    const next = await attachedPlane();
    expect(next.attachments()).toHaveLength(4);
    next.close();
  });

  const CLSACT: EbpfPlaneOptions = { ...OPTIONS, attach: 'clsact' };
  const tc = (...words: string[]) =>
    execFileSync('ip', ['netns', 'exec', ROUTER, 'tc', ...words], { encoding: 'utf8' });
  const filtersAt = (name: string) => tc('filter', 'show', 'dev', name, 'ingress');
  const disciplineAt = (name: string) => tc('qdisc', 'show', 'dev', name, 'clsact');

  inRouter('stands as a filter of clsact, with those of others, and leaves theirs', async () => {
    plane.close();
    tc('qdisc', 'add', 'dev', 'up1', 'clsact');
    const others = [
      'dev',
      'host0',
      'egress',
      'protocol',
      'all',
      'pref',
      '7',
      'u32',
      'match',
      'u32',
      '0',
      '0',
      'flowid',
      '1:1',
    ];
    plane = await openPlane(CLSACT);
    await plane.learn(tables);
    inNamespace(ROUTER, () => plane.attach());
    tc('filter', 'add', ...others);
    expect(plane.attachments().map(({ how }) => how)).toEqual(['clsact', 'clsact', 'clsact', 'clsact']);
    expect(filtersAt('host0')).toContain('heddle_plane');
    const byKernel = forwardedByKernel();
    expect(await exchange()).toEqual({ up1: PACKETS, up2: 0, up3: 0 });
    plane.balance({ choice: { ...OPTIONS.choice, mode: 'assigned-flow' } });
    expect(await exchange()).toEqual({ up1: PACKETS, up2: 0, up3: 0 });
    expect(forwardedByKernel()).toBe(byKernel);
    plane.close();
    expect(['host0', 'up1', 'up2'].map((name) => [filtersAt(name), disciplineAt(name) !== ''])).toEqual([
      ['', true],
      ['', true],
      ['', false],
    ]);
  });

  inRouter('leaves packets to a filter that stands behind it', async () => {
    const itself = await socketAt(ROUTER, '2001:db8:2::1');
    let heard = 0;
    itself.on('message', () => heard++);
    const isHeard = () => {
      sender.send('for the router', itself.address().port, '2001:db8:2::1');
      return heard > 0;
    };
    await expect.poll(isHeard, PATIENTLY).toBe(true);
    const drop = BpfProgram.load(new Assembler('drop').move(R0, TC_ACT_SHOT).exit().program(), 'tc', () => 0);
    const behind = inNamespace(ROUTER, () => drop.attach(index.get('host0')!, 'clsact'));
    await exchange(1);
    heard = 0;
    for (let i = 0; i < PACKETS; i++) isHeard();
    // In their order: what was sent before has been dropped when these are there.
    expect(await exchange()).toEqual({ up1: PACKETS, up2: 0, up3: 0 });
    expect(heard).toBe(0);
    behind.close();
    drop.close();
    await expect.poll(isHeard, PATIENTLY).toBe(true);
    itself.close();
  });

  inRouter('has left a filter when it was killed in clsact, which forwards nothing and is removed', async () => {
    plane.close();
    const stopped = await stoppedPlane(CLSACT);
    await stopped.kill();
    expect(filtersAt('host0')).toContain('heddle_plane');
    expect([...index.values()].map(removeLeftFilter)).toEqual([...index.keys()].map((name) => ALL.includes(name)));
    expect(ALL.map(filtersAt)).toEqual(['', '', '', '']);
    await arrive(PACKETS);
  });

  inRouter('is refused in one line where another program stands, and leaves nothing then', async () => {
    plane.close();
    const other = BpfProgram.load(new Assembler('pass').move(R0, 2).exit().program(), 'xdp', () => 0);
    const ifindex = index.get('up2')!;
    const attachment = inNamespace(ROUTER, () => other.attach(ifindex, 'native'));
    expect((await attachedPlane({ ...OPTIONS, attach: 'native' })).running).toBe(false);
    expect(failures.splice(0)).toEqual(['another program is on the interface up2 already (native)']);
    expect(at(ROUTER, 'link', 'show', 'up1')).not.toContain('xdp');
    attachment.close();
    other.close();
  });

  inRouter('is refused by name where that of another heddle stands, which forwards on', async () => {
    const other = await attachedPlane();
    expect(other.running).toBe(false);
    expect(failures.splice(0)).toEqual(['the eBPF plane of another heddle is on the interface host0 already']);
    expect(await exchange()).toEqual({ up1: PACKETS, up2: 0, up3: 0 });
  });

  inRouter('follows a neighbour to another link address', async () => {
    const moved = '02:00:00:00:12:34';
    at(SPINES, 'link', 'set', 'up1', 'address', moved);
    at(ROUTER, 'neigh', 'replace', gatewayOf('up1'), 'lladdr', moved, 'dev', 'up1');
    const before = received;
    // To the one that it had nobody listens any more.
    await expect
      .poll(() => {
        if (received === before) sender.send('are you there?', receiver.address().port, DESTINATION);
        return received > before;
      })
      .toBe(true);
    expect(await exchange()).toEqual({ up1: PACKETS, up2: 0, up3: 0 });
  });

  inRouter('balances another way from the next packet on, and counts on', async () => {
    await exchange();
    plane.balance({ choice: { ...OPTIONS.choice, mode: 'assigned-flow' } });
    expect(await exchange()).toEqual({ up1: PACKETS, up2: 0, up3: 0 });
    at(SPINES, 'link', 'set', 'up1', 'down');
    await expect.poll(() => plane.ports().length).toBe(2);
    // One flow, where the mode before would take both in turn.
    expect(Object.values(await exchange()).sort()).toEqual([0, PACKETS]);
  });

  inRouter('gives way to one with other tables, in its places, while packets come in', async () => {
    const stop = new AbortController();
    const sending = (async () => {
      let sent = 0;
      for (; !stop.signal.aborted; sent++) {
        sender.send('on the way', receiver.address().port, DESTINATION);
        await nextTurn();
      }
      return sent;
    })();
    const before = plane;
    const next = await openPlane({ ...OPTIONS, sizes: { ...OPTIONS.sizes, flowsets: 512 } });
    await next.learn(tables);
    plane = next;
    inNamespace(ROUTER, () => next.attach(before));
    expect([before.attachments(), next.attachments().length]).toEqual([[], 4]);
    before.close();
    await expect.poll(() => byUplink().up1).toBeGreaterThan(PACKETS);
    stop.abort();
    const sent = await sending;
    await expect.poll(() => received).toBe(sent);
  });

  inRouter('leaves what it has no room for to the kernel, and says so once', async () => {
    const many = Array.from(
      { length: 1100 },
      (_, n): KernelOperation => ({
        ...{ kind: 'set-route', prefix: parsePrefix(`2001:db8:f:${n.toString(16)}::/64`)!, metric: 20 },
        ...{ nextHop: GROUP_IDS + 1, replace: false },
      }),
    );
    expect(await tables.apply(many)).toEqual([]);
    const full = 'the eBPF plane is full: what is beyond 1024 prefixes (ebpf: prefixes) goes by the kernel';
    expect([plane.running, plane.full(), warnings.splice(0)]).toEqual([true, full, [full]]);
    expect(await exchange()).toEqual({ up1: PACKETS, up2: 0, up3: 0 });
    expect(await tables.apply(many.slice(0, 200).map(withoutRoute))).toEqual([]);
    expect(plane.full()).toBeUndefined();
  });
});
