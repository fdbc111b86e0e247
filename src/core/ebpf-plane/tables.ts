/**
 * The tables of the eBPF plane: what user space writes and the program reads, and the other way round. Drawn in docs/ebpf-plane.md.
 * Numbers are in the byte order of the host, which is little endian.
 */
import type { MapDefinition } from '../bpf/map-definition.js';
import type { Prefix } from '../net/prefix.js';

/** A set of ports is a word of 64 bits. */
export const MOST_PORTS = 64;
/** Interfaces with a higher index are left to the kernel. */
export const MOST_INTERFACES = 4096;
export const BANDS = 8;

/** In place of a class: the kernel has a route of somebody else's here. */
export const LEAVE_TO_KERNEL = 0xffffffff;

export interface PlaneSizes {
  readonly prefixes: number;
  readonly classes: number;
  readonly flowsets: number;
}

/** Field offsets of the values, in octets. */
export const PREFIX = { class: 0, counter: 4, octets: 8 } as const;
export const CLASS_SET = { primary: 0, fallback: 8, cursor: 16, turns: 20, octets: 24 } as const;
export const LINKS = { usable: 0, native: 8, ports: 16, deadline: 24, octets: 32 } as const;
export const CARRIER = { ports: 0, losses: 8, octets: 16 } as const;
export const PORT = { addresses: 0, interfaceIndex: 12, mtu: 16, octets: 24 } as const;
export const QUALITY = { sampled: 0, bands: 8, load: 72, band: 584, octets: 648 } as const;
export const PRESSURE = { scale: 0, backlog: 4, octets: 8 } as const;
/** The port is stored plus one: 0 is an entry that nothing has used. */
export const FLOWSET = { last: 0, port: 8, octets: 16 } as const;
export const PREFIX_COUNT = { packets: 0, octets: 8, fallback: 16, size: 24 } as const;
export const PORT_COUNT = { packets: 0, octets: 8, moves: 16, risks: 24, size: 32 } as const;
export const MOVE = { time: 0, gap: 8, class: 16, flowset: 20, from: 24, to: 28, octets: 32 } as const;

/** Why a packet was left to the kernel, in the order of their counters. */
export const PASS_REASONS = [
  'not-ipv6',
  'vlan',
  'short',
  'other-host',
  'hop-limit',
  'address',
  'protocol',
  'no-route',
  'other-route',
  'no-port',
  'too-big',
  'not-native',
  'unresolved',
  'stale',
] as const;

export type PassReason = (typeof PASS_REASONS)[number];

export type PlaneTables = ReturnType<typeof planeTables>;

const INDEX = 4;

export function planeTables(sizes: PlaneSizes) {
  const array = (name: string, maxEntries: number, valueSize: number): MapDefinition => ({
    name,
    type: 'array',
    keySize: INDEX,
    valueSize,
    maxEntries,
  });
  const counters = (name: string, maxEntries: number, valueSize: number): MapDefinition => ({
    ...array(name, maxEntries, valueSize),
    type: 'per-cpu-array',
  });
  return {
    prefixes: {
      name: 'prefixes',
      type: 'lpm-trie',
      keySize: INDEX + 16,
      valueSize: PREFIX.octets,
      // Before Linux 6.13 a full trie does not take even what replaces an entry.
      maxEntries: sizes.prefixes + 1,
    } satisfies MapDefinition,
    classes: array('classes', sizes.classes, CLASS_SET.octets),
    /** A port that user space knows to be up has a bit here. */
    links: array('links', 1, LINKS.octets),
    /** A port whose link is known to the kernel alone to be down has a bit here: one word makes the next packet take another way. */
    lost: { ...array('lost', 1, 8), mapped: true } satisfies MapDefinition,
    carriers: { ...array('carriers', MOST_INTERFACES, CARRIER.octets), mapped: true } satisfies MapDefinition,
    ports: array('ports', MOST_PORTS, PORT.octets),
    devices: { ...array('devices', MOST_PORTS, INDEX), type: 'device-map' } satisfies MapDefinition,
    interfaces: array('interfaces', MOST_INTERFACES, 8),
    flowsets: array('flowsets', sizes.flowsets, FLOWSET.octets),
    quality: array('quality', 1, QUALITY.octets),
    pressure: array('pressure', 1, MOST_PORTS * PRESSURE.octets),
    prefixCounts: counters('prefix_counts', sizes.prefixes, PREFIX_COUNT.size),
    portCounts: counters('port_counts', MOST_PORTS, PORT_COUNT.size),
    passed: counters('passed', 1, PASS_REASONS.length * 8),
    moves: { name: 'moves', type: 'ring-buffer', keySize: 0, valueSize: 0, maxEntries: 65536 } satisfies MapDefinition,
  } as const;
}

/** An index as an array's key. */
export function indexKey(index: number): Uint8Array {
  return words(4, (view) => view.setUint32(0, index, true));
}

/** The key of an IPv6 prefix. */
export function prefixKey({ address, length }: Prefix): Uint8Array {
  const key = words(INDEX + 16, (view) => view.setUint32(0, length, true));
  key.set(address, INDEX);
  return key;
}

export function prefixValue(classNumber: number, counter: number): Uint8Array {
  return words(PREFIX.octets, (view) => {
    view.setUint32(PREFIX.class, classNumber, true);
    view.setUint32(PREFIX.counter, counter, true);
  });
}

/** Sets of ports as words, bit n for port n. */
export function classValue(primary: bigint, fallback: bigint): Uint8Array {
  return words(CLASS_SET.octets, (view) => {
    view.setBigUint64(CLASS_SET.primary, primary, true);
    view.setBigUint64(CLASS_SET.fallback, fallback, true);
  });
}

export interface LinkWords {
  /** Ports with carrier and a neighbour whose link address is known. */
  readonly usable: bigint;
  /** Ports whose driver takes frames that no socket buffer was made for. */
  readonly native: bigint;
  /** One more than the highest port in use. */
  readonly ports: number;
  /** Nanoseconds of the monotonic clock from which on the kernel decides: whoever should know of the links says nothing any more. */
  readonly deadline: bigint;
}

export function linksValue({ usable, native, ports, deadline }: LinkWords): Uint8Array {
  return words(LINKS.octets, (view) => {
    view.setBigUint64(LINKS.usable, usable, true);
    view.setBigUint64(LINKS.native, native, true);
    view.setBigUint64(LINKS.ports, BigInt(ports), true);
    view.setBigUint64(LINKS.deadline, deadline, true);
  });
}

export interface EgressPort {
  readonly interfaceIndex: number;
  /** 0 while the neighbour's address is not known: the kernel asks for it when it has a packet to send. */
  readonly mtu: number;
  /** Link-layer addresses: of the interface, and of the neighbour behind it. */
  readonly source: Uint8Array;
  readonly destination: Uint8Array;
}

export function portValue({ interfaceIndex, mtu, source, destination }: EgressPort): Uint8Array {
  const value = words(PORT.octets, (view) => {
    view.setUint32(PORT.interfaceIndex, interfaceIndex, true);
    view.setUint32(PORT.mtu, mtu, true);
  });
  value.set(destination, PORT.addresses);
  value.set(source, PORT.addresses + 6);
  return value;
}

/** The link-layer address of an interface, as the program compares it. */
export function interfaceValue(linkAddress: Uint8Array): Uint8Array {
  const value = new Uint8Array(8);
  value.set(linkAddress);
  return value;
}

export interface PortPressure {
  /** Octets a second that the port takes. */
  readonly capacity: number;
  /** What waits in its queue, in percent of what is the most. */
  readonly backlog: number;
}

/** The load register of a port forgets over about this many nanoseconds, 2^18. */
export const LOAD_SHIFT = 18;

/** The program adds `load x scale / 2^32`, percent of the weight of the load, to the backlog's part. */
export function pressureValue(ports: readonly PortPressure[], loadWeight: number): Uint8Array {
  return words(MOST_PORTS * PRESSURE.octets, (view) => {
    for (const [port, { capacity, backlog }] of ports.entries()) {
      const full = (capacity * 2 ** LOAD_SHIFT) / 1e9;
      const scale = Math.min(0xffffffff, Math.round((loadWeight * 2 ** 32) / full));
      view.setUint32(port * PRESSURE.octets + PRESSURE.scale, scale, true);
      const share = Math.round((Math.min(100, backlog) * (100 - loadWeight)) / 100);
      view.setUint32(port * PRESSURE.octets + PRESSURE.backlog, share, true);
    }
  });
}

export interface Move {
  /** Nanoseconds since the machine started. */
  readonly time: bigint;
  /** Nanoseconds between the packet that moved and the one before it. */
  readonly gap: bigint;
  readonly class: number;
  readonly flowset: number;
  readonly from: number;
  readonly to: number;
}

export function readMove(record: Uint8Array): Move {
  const view = new DataView(record.buffer, record.byteOffset, record.length);
  return {
    time: view.getBigUint64(MOVE.time, true),
    gap: view.getBigUint64(MOVE.gap, true),
    class: view.getUint32(MOVE.class, true),
    flowset: view.getUint32(MOVE.flowset, true),
    from: view.getUint32(MOVE.from, true),
    to: view.getUint32(MOVE.to, true),
  };
}

function words(octets: number, write: (view: DataView) => void): Uint8Array {
  const value = new Uint8Array(octets);
  write(new DataView(value.buffer));
  return value;
}
