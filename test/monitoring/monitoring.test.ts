/** What a monitoring station and a recording hear of a leaf between two spines, on virtual time. */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseConfig } from '../../src/app/config/parse-config.js';
import { updateContents } from '../../src/app/replay/update-contents.js';
import { parseAddress } from '../../src/core/net/address.js';
import { formatPrefix, parsePrefix } from '../../src/core/net/prefix.js';
import type { CollectorStream } from '../../src/core/ports/collectors.js';
import type { StreamHandlers } from '../../src/core/ports/transport.js';
import type { SpeakerConfig } from '../../src/core/speaker/config.js';
import { BmpStation, type BmpStationConfig } from '../../src/core/speaker/monitoring/bmp-station.js';
import { MrtUpdates } from '../../src/core/speaker/monitoring/mrt-updates.js';
import { HEADER_OCTETS } from '../../src/core/wire/bgp/message.js';
import { concat } from '../../src/core/wire/bgp/octets.js';
import { decodeOpen } from '../../src/core/wire/bgp/open.js';
import { readMrt } from '../../src/core/wire/mrt/read-mrt.js';
import { VirtualFabric } from '../../src/simulator/virtual-fabric.js';
import { type BmpRecord, readBmp } from '../harness/bmp-reader.js';
import { CaptureBuilder } from '../replay/capture-builder.js';

const SECOND = 1000;
const LOC_RIB = 3;

function config(text: string): SpeakerConfig {
  const parsed = parseConfig(text);
  if (parsed.config === undefined) throw new Error(JSON.stringify(parsed.problems));
  return parsed.config.speaker;
}

/** `session` is more of the entry of every fabric interface. */
const LEAF = (leaf: number, session: string) =>
  `{ name: leaf${leaf}, role: leaf, as: ${65100 + leaf}, router-id: 10.1.0.${leaf}, ` +
  `fabric: { to-spine1: { colour: 1, ${session} }, to-spine2: { colour: 2, ${session} } }, ` +
  `advertise: [{ prefix: "fc00:${leaf}:1:1::/64", colour: 1 }, { prefix: "192.0.${leaf}.0/24", colour: 2 }] }`;
const SPINE = (spine: number, session: string) =>
  `{ name: spine${spine}, role: spine, as: ${4_200_000_000 + spine}, router-id: 10.0.0.${spine}, ` +
  `fabric: { to-leaf1: { ${session} }, to-leaf2: { ${session} } } }`;
/** Path identifiers in both directions. */
const ADD_PATH = 'add-path: { receive: true, send: all }';
const BOTH_WAYS = { onLeaf: ADD_PATH, onSpine: ADD_PATH };
/** Those that the spines give to the prefix of IPv6 and of IPv4 of leaf 2, and leaf 1 to its own. */
const PATH_IDS = { ofSpines: [2, 4], ofLeaf: [1, 2] };
const REACHED = ['ipv6_prefix', 'ipv4_prefix'];

/** A station that takes what it is given, as long as it is not told to stall. */
class Station {
  readonly received: Uint8Array[] = [];
  streams = 0;
  stalled = false;
  private waiting = 0;
  private handlers: StreamHandlers | undefined;

  connect(): Promise<CollectorStream> {
    this.streams++;
    this.waiting = 0;
    const station = this;
    return Promise.resolve({
      start: (handlers) => {
        this.handlers = handlers;
      },
      get pending() {
        return station.waiting;
      },
      write: (bytes) => {
        this.received.push(bytes);
        if (this.stalled) this.waiting += bytes.length;
        return !this.stalled;
      },
      end: () => {},
      destroy: () => {},
    });
  }

  lose(): void {
    this.handlers!.closed(new Error('ECONNRESET'));
  }

  /** What came since the last call. */
  take(): BmpRecord[] {
    return readBmp(concat(this.received.splice(0)));
  }
}

async function monitored(changes: Partial<BmpStationConfig> = {}, { onLeaf = '', onSpine = '' } = {}) {
  const spines = [1, 2].map((n) => config(SPINE(n, onSpine)));
  const leaves = [1, 2].map((n) => config(LEAF(n, onLeaf)));
  const wires = [1, 2].flatMap((leaf) =>
    [1, 2].map((spine) => ({
      a: { node: `leaf${leaf}`, interface: `to-spine${spine}` },
      b: { node: `spine${spine}`, interface: `to-leaf${leaf}` },
    })),
  );
  const routers = [...spines, ...leaves].map((of) => ({ name: of.name, config: of }));
  const log = { write: () => {} };
  const fabric = new VirtualFabric({ routers, hosts: [], wires }, { seed: 1, delay: 0.01, log: () => log });
  const { clock } = fabric;
  const station = new Station();
  const now = () => 1_700_000_000_000_000 + Math.round(clock.now() * 1000);
  const bmp = new BmpStation(
    { host: 'station', port: 11019, routes: ['adj-rib-in', 'loc-rib'], statistics: 0, ...changes },
    { clock, log, random: { next: () => 0 }, collectors: station, now, description: 'heddle under test' },
  );
  const records: Uint8Array[] = [];
  const recorder = new MrtUpdates(65101, { append: (record) => records.push(record) }, now);
  const node = fabric.node('leaf1');
  node.watchers = [bmp, recorder];
  await fabric.start();
  bmp.start(node.speaker!.config, node.speaker!.engine);
  fabric.raiseLinks();
  await clock.runUntil(3 * SECOND);
  return { fabric, clock, station, bmp, records, speaker: node.speaker! };
}

/** `announced`/`withdrawn` prefixes that route monitoring of one table told, last word first. */
function routesTold(records: readonly BmpRecord[], peerType: number): Map<string, boolean> {
  const told = new Map<string, boolean>();
  for (const { type, peerType: of, peerAs, payload } of records) {
    if (type !== 'routes' || of !== peerType) continue;
    const context = { fourOctetAs: true, addPath: [], externalPeer: true, aigp: true };
    const contents = updateContents(payload.subarray(HEADER_OCTETS), context);
    if (contents.kind === 'error') throw new Error(contents.reason);
    for (const list of contents.withdrawn) {
      for (const { prefix } of list.routes) told.set(`${peerAs} ${formatPrefix(prefix)}`, false);
    }
    for (const list of contents.announced) {
      for (const { prefix } of list.routes) told.set(`${peerAs} ${formatPrefix(prefix)}`, true);
    }
  }
  return told;
}

function present(told: ReadonlyMap<string, boolean>): string[] {
  return [...told]
    .filter(([, there]) => there)
    .map(([route]) => route)
    .sort();
}

const IN = ['192.0.2.0/24', 'fc00:2:1:1::/64'];
const RECEIVED = [4_200_000_001, 4_200_000_002].flatMap((as) => IN.map((prefix) => `${as} ${prefix}`)).sort();
const CHOSEN = [...IN, '192.0.1.0/24', 'fc00:1:1:1::/64'].map((prefix) => `65101 ${prefix}`).sort();

describe('a monitoring station', () => {
  it('hears first who we are, then of every session with both OPENs as they were, then of the routes', async () => {
    const { station, fabric } = await monitored();
    const records = station.take();
    expect(records[0]!.type).toBe('initiation');
    const ups = records.filter(({ type }) => type === 'up');
    expect(ups.map(({ peerType, peerAs }) => [peerType, peerAs])).toEqual([
      [LOC_RIB, 65101],
      [0, 4_200_000_001],
      [0, 4_200_000_002],
    ]);
    const [, spine] = ups;
    const sent = spine!.payload.subarray(20);
    const length = (sent[16]! << 8) | sent[17]!;
    expect(decodeOpen(sent.subarray(HEADER_OCTETS, length))).toMatchObject({ asn: 65101 });
    expect(decodeOpen(sent.subarray(length + HEADER_OCTETS))).toMatchObject({ asn: 4_200_000_001, asField: 23456 });
    expect(present(routesTold(records, 0))).toEqual(RECEIVED);
    expect(present(routesTold(records, LOC_RIB))).toEqual(CHOSEN);
    await fabric.stop();
  });

  it('hears of a withdrawn route once from every table that lost it', async () => {
    const { station, fabric, clock } = await monitored();
    station.take();
    fabric.node('leaf2').speaker!.engine.withdraw(parsePrefix('fc00:2:1:1::/64')!);
    await clock.runUntil(4 * SECOND);
    const records = station.take();
    expect([...routesTold(records, 0)].sort()).toEqual([
      ['4200000001 fc00:2:1:1::/64', false],
      ['4200000002 fc00:2:1:1::/64', false],
    ]);
    expect([...routesTold(records, LOC_RIB)]).toEqual([['65101 fc00:2:1:1::/64', false]]);
  });

  it('hears why a session ended: a link that died, and our own shutdown with its NOTIFICATION', async () => {
    const { station, fabric, clock, bmp } = await monitored();
    station.take();
    fabric.fail('leaf1', 'spine2');
    await clock.runUntil(4 * SECOND);
    const [down, ...others] = station.take().filter(({ type }) => type === 'down');
    expect(others).toEqual([]);
    expect([down!.peerAs, down!.payload[0]]).toEqual([4_200_000_002, 2]);
    await fabric.stop();
    bmp.stop();
    const last = station.take();
    const shutdown = last.find(({ type }) => type === 'down')!;
    expect([shutdown.peerAs, shutdown.payload[0]]).toEqual([4_200_000_001, 1]);
    expect([...shutdown.payload.subarray(1 + 16, 1 + 21)]).toEqual([0, 21, 3, 6, 2]);
    expect(last.at(-1)!.type).toBe('termination');
  });

  it('hears that the peer closed with a NOTIFICATION', async () => {
    const { station, fabric, clock } = await monitored();
    station.take();
    const stopping = fabric.node('spine1').speaker!.stop();
    await clock.runUntil(6 * SECOND);
    await stopping;
    const [down] = station.take().filter(({ type }) => type === 'down');
    expect([down!.peerAs, down!.payload[0], down!.payload[1 + HEADER_OCTETS]]).toEqual([4_200_000_001, 3, 6]);
  });

  it('is told everything again when it comes back', async () => {
    const { station, clock, bmp } = await monitored();
    station.take();
    station.lose();
    expect(bmp.link.up).toBe(false);
    await clock.runUntil(6 * SECOND);
    const records = station.take();
    expect(station.streams).toBe(2);
    expect(records[0]!.type).toBe('initiation');
    expect(present(routesTold(records, 0))).toEqual(RECEIVED);
    expect(present(routesTold(records, LOC_RIB))).toEqual(CHOSEN);
    // RFC 7854 section 5: an End-of-RIB for each table and family, after its routes.
    expect(records.slice(-6).every(({ type, payload }) => type === 'routes' && payload.length <= 30)).toBe(true);
  });

  it('that reads too slowly is cut off, and holds no more than its share of memory', async () => {
    const { station, clock, speaker, bmp } = await monitored();
    station.stalled = true;
    station.take();
    const rib = speaker.engine.rib;
    for (let i = 0; i < 3000; i++) {
      const prefix = { address: Uint8Array.of(10, i >> 8, i, 0), length: 24 };
      rib.originate(prefix, { origin: 0, asPath: [], largeCommunities: new Array(20).fill([i, 2, 3]) });
    }
    while (rib.decide(() => false));
    await clock.runUntil(4 * SECOND);
    const waiting = station.received.reduce((sum, bytes) => sum + bytes.length, 0);
    // One slice went out before the first refusal; the rest waits in the RIB, not in memory.
    expect(waiting).toBeLessThan(100_000);
    for (let i = 0; i < 20 && bmp.link.overruns === 0; i++) bmp.link.send(new Uint8Array(1024 * 1024));
    expect(bmp.link.overruns).toBe(1);
    station.stalled = false;
    station.received.length = 0;
    await clock.runUntil(10 * SECOND);
    expect(present(routesTold(station.take(), LOC_RIB))).toHaveLength(3004);
  });

  it('gets only the tables it is to have, and statistics when it asked for them', async () => {
    const { station, clock } = await monitored({ routes: ['loc-rib'], statistics: 10 });
    await clock.runUntil(11 * SECOND);
    const records = station.take();
    expect(routesTold(records, 0).size).toBe(0);
    expect(present(routesTold(records, LOC_RIB))).toEqual(CHOSEN);
    const statistics = records.filter(({ type }) => type === 'statistics');
    expect(statistics.map(({ peerAs, payload }) => [peerAs, payload[5], payload[15]])).toEqual([
      [4_200_000_001, 7, 2],
      [4_200_000_002, 7, 2],
      [65101, 8, 4],
    ]);
  });
});

/** Route monitoring of an Adj-RIB-Out (RFC 8671 section 4): O flag, and L flag for what is behind policy. */
const outRoutes = (records: readonly BmpRecord[], flags: number) =>
  records.filter((record) => record.type === 'routes' && (record.flags & 0x50) === flags);
const PRE = 0x10;
const POST = 0x50;

describe('a station that is told what goes out (RFC 8671)', () => {
  const own = ['192.0.1.0/24', 'fc00:1:1:1::/64'];
  const toSpines = [4_200_000_001, 4_200_000_002].flatMap((as) => own.map((prefix) => `${as} ${prefix}`)).sort();

  it('gets the very UPDATEs of each session, End-of-RIB and withdrawals among them', async () => {
    const { station, speaker, clock } = await monitored({ routes: ['adj-rib-out'] });
    const records = station.take();
    expect(outRoutes(records, POST)).toEqual(records.filter(({ type }) => type === 'routes'));
    expect(present(routesTold(outRoutes(records, POST), 0))).toEqual(toSpines);
    expect(records.filter(({ type, payload }) => type === 'routes' && payload.length <= 30).length).toBeGreaterThan(1);
    speaker.engine.withdraw(parsePrefix('fc00:1:1:1::/64')!);
    await clock.runUntil(4 * SECOND);
    expect([...routesTold(outRoutes(station.take(), POST), 0)].sort()).toEqual([
      ['4200000001 fc00:1:1:1::/64', false],
      ['4200000002 fc00:1:1:1::/64', false],
    ]);
  });

  it('gets the same, with our next hop, when it comes late', async () => {
    const { station, clock } = await monitored({ routes: ['adj-rib-out'] });
    const contents = (records: readonly BmpRecord[]) =>
      [...new Set(outRoutes(records, POST).map(({ peerAs, payload }) => `${peerAs} ${payload.toString()}`))].sort();
    const first = contents(station.take());
    station.lose();
    await clock.runUntil(6 * SECOND);
    expect(contents(station.take())).toEqual(first);
  });

  it('gets before policy all that is chosen, but to nobody what came from it', async () => {
    const { station, fabric, clock } = await monitored({ routes: ['adj-rib-out-pre-policy'] });
    const records = station.take();
    expect(outRoutes(records, PRE)).toEqual(records.filter(({ type }) => type === 'routes'));
    const told = present(routesTold(records, 0));
    for (const route of toSpines) expect(told).toContain(route);
    // Each route of leaf 2 is chosen over one spine: the other one could be told.
    for (const prefix of IN) expect(told.filter((route) => route.endsWith(prefix))).toHaveLength(1);
    fabric.node('leaf2').speaker!.engine.withdraw(parsePrefix('fc00:2:1:1::/64')!);
    await clock.runUntil(4 * SECOND);
    expect(present(routesTold([...records, ...station.take()], 0))).toEqual(
      told.filter((route) => !route.endsWith('fc00:2:1:1::/64')),
    );
  });

  it('gets the number of routes that each neighbour is told', async () => {
    const { station, clock } = await monitored({ routes: ['adj-rib-out'], statistics: 10 });
    await clock.runUntil(11 * SECOND);
    const statistics = station.take().filter(({ type }) => type === 'statistics');
    expect(statistics.map(({ peerAs, payload }) => [peerAs, payload[3], payload[5], payload[17], payload[27]])).toEqual(
      [
        [4_200_000_001, 2, 7, 15, 2],
        [4_200_000_002, 2, 7, 15, 2],
      ],
    );
  });
});

describe('a recording', () => {
  it('holds OPENs, UPDATEs and changes of state, in order, with the AS of the peer once it is known', async () => {
    const { records, fabric } = await monitored();
    await fabric.stop();
    const { items, problems } = readMrt(concat(records));
    expect(problems).toEqual([]);
    const states = items.flatMap(({ content }) =>
      content.kind === 'state-change' && content.session.interfaceIndex === 1 ? [content.to] : [],
    );
    expect(states.slice(-4)).toEqual(['open-sent', 'open-confirm', 'established', 'idle']);
    const messages = items.flatMap(({ content }) => (content.kind === 'message' ? [content] : []));
    expect(new Set(messages.map(({ session }) => session.peerAs))).toEqual(new Set([4_200_000_001, 4_200_000_002]));
    expect(new Set(messages.map(({ message }) => message[18]))).toEqual(new Set([1, 2]));
    expect(messages.every(({ session }) => session.localAs === 65101)).toBe(true);
    const times = items.map(({ time }) => time);
    expect(times).toEqual([...times].sort((a, b) => a - b));
  });

  it('has the AS by which we go on the session', async () => {
    const { records } = await monitored({}, { onLeaf: 'local-as: 65555' });
    const { items } = readMrt(concat(records));
    const sessions = items.flatMap(({ content }) => ('session' in content ? [content.session] : []));
    expect(new Set(sessions.map(({ localAs }) => localAs))).toEqual(new Set([65555]));
    expect(items.some(({ content }) => content.kind === 'state-change' && content.to === 'established')).toBe(true);
  });
});

const tools = ['tshark', 'bgpdump'].filter((tool) => spawnSync(tool, ['-h']).error !== undefined);
if (tools.length > 0) console.log(`skipped: ${tools.join(' and ')} not installed`);

describe.skipIf(tools.length > 0)('independent readers', () => {
  function inFile<T>(name: string, octets: Uint8Array, work: (file: string) => T): T {
    const folder = mkdtempSync(join(tmpdir(), 'heddle-monitoring-'));
    try {
      const file = join(folder, name);
      writeFileSync(file, octets);
      return work(file);
    } finally {
      rmSync(folder, { recursive: true });
    }
  }

  /** One row a message. */
  function tsharkRows(messages: readonly Uint8Array[], fields: readonly string[], filter: string): string[][] {
    const capture = new CaptureBuilder();
    const session = capture.connect(parseAddress('fe80::1')!, parseAddress('fe80::2')!);
    for (const bytes of messages) session.send('client', bytes);
    const named = fields.flatMap((field) => ['-e', field]);
    const text = inFile('bmp.pcap', capture.bytes, (file) =>
      execFileSync('tshark', ['-r', file, '-d', 'tcp.port==179,bmp', '-Y', filter, '-T', 'fields', ...named], {
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'ignore'],
        maxBuffer: 2 ** 26,
      }),
    );
    return text
      .replace(/\n$/, '')
      .split('\n')
      .map((line) => line.split('\t'));
  }

  it('tshark dissects a whole BMP session without complaint, and sees what was meant', async () => {
    const routes = ['adj-rib-in', 'adj-rib-out-pre-policy', 'adj-rib-out', 'loc-rib'] as const;
    const { station, fabric, bmp, clock } = await monitored({ statistics: 2, routes });
    fabric.fail('leaf1', 'spine2');
    await clock.runUntil(5 * SECOND);
    await fabric.stop();
    bmp.stop();
    const flags = ['bmp.peer.flags.adj_rib_out', 'bmp.peer.flags.post_policy'];
    const named = ['bmp.type', 'bmp.peer.type', 'bmp.peer.asn', 'bmp.peer.id', 'bmp.peer.down.reason', '_ws.expert'];
    const rows = tsharkRows(station.received, [...named, ...flags], 'bmp');
    const expected = readBmp(concat(station.received));
    const number = { routes: '0', statistics: '1', down: '2', up: '3', initiation: '4', termination: '5' };
    expect(rows.map(([type]) => type)).toEqual(expected.map(({ type }) => number[type]));
    const bit = (set: boolean, { peerType }: BmpRecord) => (peerType === 0 ? (set ? '1' : '0') : '');
    expect(rows.map((row) => row[6] ?? '')).toEqual(expected.map((record) => bit((record.flags & 0x10) !== 0, record)));
    expect(rows.map((row) => row[7] ?? '')).toEqual(expected.map((record) => bit((record.flags & 0x40) !== 0, record)));
    expect(rows.map(([, , asn]) => Number(asn || 0))).toEqual(expected.map(({ peerAs }) => peerAs));
    // The capture is made up: nobody acknowledges, and no window is open.
    const complaints = rows.flatMap((row) => row.slice(5, 6)).filter((text) => /Malformed|Error|bgp/i.test(text));
    expect(complaints).toEqual([]);
  });

  it('tshark reads path identifiers on a session that has them (RFC 7911), and the prefixes behind them', async () => {
    const { station } = await monitored({ routes: ['adj-rib-in', 'adj-rib-out'] }, BOTH_WAYS);
    const flag = 'bmp.peer.flags.adj_rib_out';
    const fields = ['bmp.peer.asn', flag, 'bgp.nlri_path_id', ...REACHED.map((field) => `bgp.mp_reach_nlri_${field}`)];
    const rows = tsharkRows(station.received, fields, 'bmp.type == 0');
    const told = (out: string) =>
      rows
        .filter(([, of, pathId]) => of === out && pathId !== '')
        .map(([asn, , ...route]) => [asn, ...route].join(' '));
    const routes = (leaf: number, ids: readonly number[]) =>
      [4_200_000_001, 4_200_000_002].flatMap((as) => [
        `${as} ${ids[0]} fc00:${leaf}:1:1:: `,
        `${as} ${ids[1]}  192.0.${leaf}.0`,
      ]);
    expect(told('0').sort()).toEqual(routes(2, PATH_IDS.ofSpines).sort());
    expect(told('1').sort()).toEqual(routes(1, PATH_IDS.ofLeaf).sort());
  });

  /** The fields of each route that is announced. */
  function bgpdumpRows(records: readonly Uint8Array[]): string[][] {
    const text = inFile('updates.mrt', concat(records), (file) =>
      execFileSync('bgpdump', ['-m', file], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }),
    );
    const rows = text.split('\n').map((line) => line.split('|'));
    return rows.filter(([, , kind]) => kind === 'A');
  }

  it('bgpdump reads the recorded updates', async () => {
    const { records } = await monitored();
    const routes = bgpdumpRows(records).map((fields) => `${fields[4]} ${fields[5]}`);
    expect([...new Set(routes)].sort()).toEqual(RECEIVED);
  });

  it('bgpdump reads the recorded updates of sessions with path identifiers (RFC 8050)', async () => {
    const { records } = await monitored({}, BOTH_WAYS);
    const routes = bgpdumpRows(records).map(([form, , , , as, prefix, pathId]) => `${form} ${as} ${prefix} ${pathId}`);
    const [ipv6, ipv4] = PATH_IDS.ofSpines;
    const due = RECEIVED.map((route) => `BGP4MP_ET_AP ${route} ${route.includes(':') ? ipv6 : ipv4}`);
    expect(routes.sort()).toEqual(due);
  });
});
