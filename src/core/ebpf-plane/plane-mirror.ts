/**
 * Keeps the tables of the eBPF plane as the kernel's forwarding is: what is written into the kernel's tables, what the kernel takes away
 * with a link, what other programs have there, links and neighbours go in; writes to the plane's tables come out. So the plane never knows
 * more than the kernel, and whatever it leaves alone goes the same way there: what there is no room for, too.
 */
import { FALLBACK_METRIC, PRIMARY_METRIC } from '../fib/types.js';
import { type Address, equalBytes, formatAddress } from '../net/address.js';
import { formatPrefix, type Prefix } from '../net/prefix.js';
import type { KernelEvent, KernelOperation, KernelSnapshot, NextHopId } from '../ports/kernel-tables.js';
import type { LinkEvent, LinkState } from '../ports/links.js';
import { CoveredPrefixes } from './covered-prefixes.js';
import { type EgressPort, LEAVE_TO_KERNEL, type LinkWords, MOST_PORTS, type PlaneSizes } from './tables.js';

/** The plane's tables. What they do not take, throws. */
export interface PlaneWriter {
  setPrefix(prefix: Prefix, classNumber: number, counter: number): void;
  deletePrefix(prefix: Prefix): void;
  setClass(number: number, primary: bigint, fallback: bigint): void;
  setLinks(words: LinkWords): void;
  /** Ports of each interface that has any. */
  setEgress(ports: ReadonlyMap<number, bigint>): void;
  setPort(number: number, port: EgressPort): void;
  clearCounter(counter: number): void;
  clearPortCounter(port: number): void;
}

/** A route of another program, or the kernel's own. */
export interface OtherRoute {
  readonly prefix: Prefix;
  /** The table of the host's own addresses, which is asked before all others. */
  readonly local: boolean;
  readonly metric: number;
}

export interface PortPlace {
  readonly number: number;
  readonly interfaceIndex: number;
  readonly gateway: Address;
}

export interface PortView extends PortPlace {
  readonly usable: boolean;
  readonly resolved: boolean;
}

/** A prefix that the plane forwards, and the number of its counter. */
export interface ForwardedPrefix {
  readonly prefix: Prefix;
  readonly counter: number;
}

/** What there is no room for: the kernel has it. */
export interface Overflow {
  readonly prefixes: number;
  readonly classes: number;
  readonly ports: number;
}

interface Port {
  /** `undefined` while there is no room. */
  number: number | undefined;
  readonly interfaceIndex: number;
  readonly gateway: Address;
  /** Next-hop objects that lead there. */
  users: number;
}

interface Class {
  readonly number: number;
  readonly primary: NextHopId;
  readonly fallback: NextHopId;
  /** Prefixes. */
  users: number;
}

interface PrefixRecord {
  readonly prefix: Prefix;
  primary: NextHopId;
  fallback: NextHopId;
  readonly others: OtherRoute[];
  counter: number;
  class: Class | undefined;
  /** What the plane's table has: a class, or to leave it to the kernel. */
  written: number | undefined;
}

type NumberedPort = Port & { readonly number: number };

const NONE: NextHopId = 0;
const IPV6_OCTETS = 16;

export class PlaneMirror {
  readonly #nextHops = new Map<NextHopId, Port>();
  readonly #groups = new Map<NextHopId, readonly NextHopId[]>();
  readonly #prefixes = new Map<string, PrefixRecord>();
  readonly #classes = new Map<string, Class>();
  readonly #ports = new Map<string, Port>();
  /** By number, also of ports that are gone: flows move away from those. */
  readonly #lastPorts = new Map<number, PortPlace>();
  readonly #links = new Map<number, LinkState>();
  readonly #neighbours = new Map<string, Uint8Array>();
  readonly #native = new Set<number>();
  readonly #unnumbered = new Set<Port>();
  #deadline = 0n;
  readonly #classNumbers: Numbers;
  readonly #counters: Numbers;
  readonly #portNumbers = new Numbers(MOST_PORTS);
  /** Prefixes in the plane's table. */
  #entries = 0;
  readonly #missing = new CoveredPrefixes();
  /** Prefixes of a class that there is no room for. */
  readonly #classless = new Set<PrefixRecord>();

  constructor(
    private readonly writer: PlaneWriter,
    private readonly sizes: PlaneSizes,
  ) {
    this.#classNumbers = new Numbers(sizes.classes);
    this.#counters = new Numbers(sizes.prefixes);
  }

  /** The plane may forward by what is known until then. */
  aliveUntil(deadline: bigint): void {
    this.#deadline = deadline;
    this.#writeLinks();
  }

  /** Prefixes that the plane forwards. */
  get prefixes(): number {
    return this.#counters.used;
  }

  get classes(): number {
    return this.#classNumbers.used;
  }

  *forwarded(): Generator<ForwardedPrefix> {
    for (const { prefix, counter } of this.#prefixes.values()) if (counter >= 0) yield { prefix, counter };
  }

  /** Who has the number, or had it last. */
  port(number: number): PortPlace | undefined {
    return this.#lastPorts.get(number);
  }

  get overflow(): Overflow {
    return { prefixes: this.#missing.size, classes: this.#classless.size, ports: this.#unnumbered.size };
  }

  ports(): readonly PortView[] {
    return this.#numberedPorts().map((port) => ({
      number: port.number,
      interfaceIndex: port.interfaceIndex,
      gateway: port.gateway,
      usable: this.#isUp(port.interfaceIndex),
      resolved: this.#macOf(port) !== undefined,
    }));
  }

  /** The kernel has done it. */
  applied(operation: KernelOperation): void {
    switch (operation.kind) {
      case 'set-next-hop':
        this.#setNextHop(operation.id, operation.interfaceIndex, operation.gateway);
        return;
      case 'set-group':
        this.#setGroup(
          operation.id,
          operation.members.map(({ id }) => id),
        );
        return;
      case 'delete-next-hop':
        this.#deleteObject(operation.id);
        return;
      case 'set-route':
        this.#setRoute(operation.prefix, operation.metric, operation.nextHop);
        return;
      case 'delete-route':
        this.#setRoute(operation.prefix, operation.metric, NONE);
    }
  }

  /** What the kernel has, in place of what was thought: routes too, unless the snapshot is of the objects alone. */
  resync({ nextHops, groups, routes }: KernelSnapshot, withRoutes: boolean): void {
    for (const { id, interfaceIndex, gateway } of nextHops) this.#setNextHop(id, interfaceIndex, gateway);
    for (const { id, members } of groups)
      this.#setGroup(
        id,
        members.map((member) => member.id),
      );
    const present = new Set([...nextHops, ...groups].map(({ id }) => id));
    for (const id of [...this.#groups.keys(), ...this.#nextHops.keys()]) if (!present.has(id)) this.#deleteObject(id);
    if (!withRoutes) return;
    const kept = new Map<string, { primary: NextHopId; fallback: NextHopId }>();
    for (const { prefix, metric, nextHop } of routes) {
      const key = formatPrefix(prefix);
      const both = kept.get(key) ?? { primary: NONE, fallback: NONE };
      both[metric === PRIMARY_METRIC ? 'primary' : 'fallback'] = nextHop;
      kept.set(key, both);
      if (prefix.address.length === IPV6_OCTETS) this.#recordOf(prefix);
    }
    for (const [key, record] of [...this.#prefixes]) {
      const { primary, fallback } = kept.get(key) ?? { primary: NONE, fallback: NONE };
      record.primary = primary;
      record.fallback = fallback;
      this.#decide(record);
    }
  }

  kernelEvent(event: KernelEvent): void {
    if (event.kind === 'next-hop-deleted') this.#deleteObject(event.id);
    else if (event.kind === 'route-deleted') this.#setRoute(event.prefix, event.metric, NONE);
    else if (event.kind === 'route-replaced') this.#setRoute(event.prefix, event.metric, event.nextHop);
  }

  /** First of all one word: from the next packet on the link's ports are no longer taken, or may be again. */
  linkEvent(event: LinkEvent): void {
    const index = event.kind === 'link' ? event.link.index : event.index;
    const wasUp = this.#isUp(index);
    if (event.kind === 'link') this.#links.set(index, event.link);
    else this.#links.delete(index);
    const isUp = this.#isUp(index);
    if (wasUp !== isUp) this.#writeLinks();
    if (!isUp) this.#loseObjects(index);
    for (const port of this.#ports.values()) if (port.interfaceIndex === index) this.#writePort(port);
  }

  /** The link address of a neighbour; `undefined` when it is not known any more. */
  neighbour(interfaceIndex: number, address: Address, mac: Uint8Array | undefined): void {
    const key = keyOf(interfaceIndex, address);
    const before = this.#neighbours.get(key);
    if (before === mac || (before && mac && equalBytes(before, mac))) return;
    if (mac) this.#neighbours.set(key, mac);
    else this.#neighbours.delete(key);
    const port = this.#ports.get(key);
    if (port) this.#writePort(port);
  }

  /** In place of all neighbours that were known. */
  clearNeighbours(): void {
    this.#neighbours.clear();
    for (const port of this.#ports.values()) this.#writePort(port);
  }

  addOther(route: OtherRoute): void {
    if (route.prefix.address.length !== IPV6_OCTETS) return;
    const record = this.#recordOf(route.prefix);
    if (!record.others.some((other) => sameOther(other, route))) record.others.push(route);
    this.#decide(record);
  }

  removeOther(route: OtherRoute): void {
    const record = this.#prefixes.get(formatPrefix(route.prefix));
    const at = record?.others.findIndex((other) => sameOther(other, route)) ?? -1;
    if (!record || at < 0) return;
    record.others.splice(at, 1);
    this.#decide(record);
  }

  /** In place of all routes of others that were known. */
  replaceOthers(routes: readonly OtherRoute[]): void {
    const before = [...this.#prefixes.values()].flatMap(({ others }) => [...others]);
    for (const route of routes) this.addOther(route);
    const kept = new Set(routes.map(placeOf));
    for (const route of before) if (!kept.has(placeOf(route))) this.removeOther(route);
  }

  /** Whether the interface takes frames that have no socket buffer. */
  setNative(interfaceIndex: number, native: boolean): void {
    if (this.#native.has(interfaceIndex) === native) return;
    if (native) this.#native.add(interfaceIndex);
    else this.#native.delete(interfaceIndex);
    this.#writeLinks();
  }

  #isUp(interfaceIndex: number): boolean {
    const link = this.#links.get(interfaceIndex);
    return link?.adminUp === true && link.carrier;
  }

  #setNextHop(id: NextHopId, interfaceIndex: number, gateway: Address): void {
    const before = this.#nextHops.get(id);
    const key = keyOf(interfaceIndex, gateway);
    if (before && keyOf(before.interfaceIndex, before.gateway) === key) return;
    const port = this.#ports.get(key) ?? this.#addPort(key, interfaceIndex, gateway);
    port.users++;
    this.#nextHops.set(id, port);
    if (!before) return;
    this.#writeClassesWith(id);
    this.#release(before);
  }

  #addPort(key: string, interfaceIndex: number, gateway: Address): Port {
    const port: Port = { number: undefined, interfaceIndex, gateway, users: 0 };
    this.#ports.set(key, port);
    this.#number(port);
    return port;
  }

  #release(port: Port): void {
    if (--port.users > 0) return;
    this.#ports.delete(keyOf(port.interfaceIndex, port.gateway));
    this.#unnumbered.delete(port);
    if (port.number === undefined) return;
    this.#portNumbers.give(port.number);
    this.#writeLinks();
    const [waiting] = this.#unnumbered;
    if (waiting) this.#number(waiting);
  }

  /** If there is room for it. */
  #number(port: Port): void {
    const { interfaceIndex, gateway } = port;
    const number = this.#portNumbers.take();
    if (number === undefined) {
      this.#unnumbered.add(port);
      return;
    }
    this.#unnumbered.delete(port);
    port.number = number;
    this.#lastPorts.set(number, { number, interfaceIndex, gateway });
    this.writer.clearPortCounter(number);
    this.#writePort(port);
    this.#writeLinks();
    for (const [id, one] of this.#nextHops) if (one === port) this.#writeClassesWith(id);
  }

  #numberedPorts(): NumberedPort[] {
    return [...this.#ports.values()].filter((port): port is NumberedPort => port.number !== undefined);
  }

  #setGroup(id: NextHopId, members: readonly NextHopId[]): void {
    this.#groups.set(id, members);
    this.#writeClassesOf(id);
  }

  #deleteObject(id: NextHopId): void {
    const port = this.#nextHops.get(id);
    if (port) {
      this.#nextHops.delete(id);
      this.#removeMember(id);
      this.#release(port);
    } else if (this.#groups.delete(id)) this.#writeClassesOf(id);
  }

  /** The kernel takes the next hops of a link that is down, groups left empty, and their routes, and says nothing. */
  #loseObjects(interfaceIndex: number): void {
    for (const [id, port] of [...this.#nextHops]) if (port.interfaceIndex === interfaceIndex) this.#deleteObject(id);
  }

  #removeMember(member: NextHopId): void {
    for (const [id, members] of this.#groups) {
      if (!members.includes(member)) continue;
      const rest = members.filter((other) => other !== member);
      if (rest.length > 0) this.#groups.set(id, rest);
      else this.#groups.delete(id);
      this.#writeClassesOf(id);
    }
  }

  #setRoute(prefix: Prefix, metric: number, group: NextHopId): void {
    if (prefix.address.length !== IPV6_OCTETS) return;
    if (group === NONE && !this.#prefixes.has(formatPrefix(prefix))) return;
    const record = this.#recordOf(prefix);
    if (metric === PRIMARY_METRIC) record.primary = group;
    else record.fallback = group;
    this.#decide(record);
  }

  #recordOf(prefix: Prefix): PrefixRecord {
    const key = formatPrefix(prefix);
    const known = this.#prefixes.get(key);
    if (known) return known;
    const record: PrefixRecord = {
      ...{ prefix, primary: NONE, fallback: NONE, others: [], counter: -1, class: undefined, written: undefined },
    };
    this.#prefixes.set(key, record);
    this.#missing.addLength(prefix.length);
    return record;
  }

  /** Writes what has the prefix now: we, somebody else, nobody. */
  #decide(record: PrefixRecord): void {
    const before = record.class;
    const wanted = this.#wanted(record);
    const fits = wanted === undefined || record.written !== undefined || this.#entries < this.sizes.prefixes;
    const unused = fits ? undefined : record.class;
    if (!fits) record.class = undefined;
    this.#count(record);
    const room = this.#write(record, fits ? wanted : undefined);
    this.#setMissing(record.prefix, !fits);
    if (wanted === undefined && record.others.length === 0) this.#prefixes.delete(formatPrefix(record.prefix));
    for (const left of [before, unused]) if (left) this.#leaveClass(left);
    const waiting = room && this.#missing.oldest();
    if (waiting) this.#decide(this.#recordOf(waiting));
  }

  /** What the plane's table is to have; the class of the record has one more prefix then. */
  #wanted(record: PrefixRecord): number | undefined {
    const { primary, fallback, others } = record;
    const ours = primary !== NONE || fallback !== NONE;
    // Also where the primary route, with a lower metric still, would win: the kernel knows.
    const leave = others.some((other) => !ours || other.local || other.metric < FALLBACK_METRIC);
    const toKernel = leave || (ours && this.#missing.isAboveMissing(record.prefix));
    record.class = ours && !toKernel ? this.#classOf(primary, fallback) : undefined;
    if (ours && !toKernel && !record.class) this.#classless.add(record);
    else this.#classless.delete(record);
    if (record.class) return record.class.number;
    return ours || leave ? LEAVE_TO_KERNEL : undefined;
  }

  /** A prefix of a class has a counter. */
  #count(record: PrefixRecord): void {
    if (!record.class === record.counter < 0) return;
    if (record.class) {
      record.counter = this.#counters.take()!;
      this.writer.clearCounter(record.counter);
      return;
    }
    this.#counters.give(record.counter);
    record.counter = -1;
  }

  /** Whether there is room for one more now. */
  #write(record: PrefixRecord, written: number | undefined): boolean {
    const { written: before, prefix } = record;
    if (written === before) return false;
    record.written = written;
    if (written === undefined) {
      this.#entries--;
      this.writer.deletePrefix(prefix);
      return true;
    }
    if (before === undefined) this.#entries++;
    this.writer.setPrefix(prefix, written, Math.max(0, record.counter));
    return false;
  }

  /** While it is missing in the plane's table, shorter ones above it would take its packets: they are the kernel's too. */
  #setMissing(prefix: Prefix, missing: boolean): void {
    for (const key of this.#missing.set(prefix, missing)) {
      const above = this.#prefixes.get(key);
      if (above) this.#decide(above);
    }
  }

  /** With one more prefix; `undefined` when there is no room for it. */
  #classOf(primary: NextHopId, fallback: NextHopId): Class | undefined {
    const key = `${primary}/${fallback}`;
    let known = this.#classes.get(key);
    if (!known) {
      const number = this.#classNumbers.take();
      if (number === undefined) return undefined;
      known = { number, primary, fallback, users: 0 };
      this.#classes.set(key, known);
      this.#writeClass(known);
    }
    known.users++;
    return known;
  }

  #leaveClass(left: Class): void {
    if (--left.users > 0) return;
    this.#classes.delete(`${left.primary}/${left.fallback}`);
    this.#classNumbers.give(left.number);
    for (const record of [...this.#classless]) this.#decide(record);
  }

  #writeClassesOf(group: NextHopId): void {
    for (const one of this.#classes.values())
      if (one.primary === group || one.fallback === group) this.#writeClass(one);
  }

  #writeClassesWith(member: NextHopId): void {
    for (const [id, members] of this.#groups) if (members.includes(member)) this.#writeClassesOf(id);
  }

  #writeClass({ number, primary, fallback }: Class): void {
    const [first, second] = [this.#portsOf(primary), this.#portsOf(fallback)];
    // Without any ports it is the kernel's.
    if (first === undefined || second === undefined) this.writer.setClass(number, 0n, 0n);
    else this.writer.setClass(number, first, second);
  }

  /** `undefined` when there is one that has no number. */
  #portsOf(group: NextHopId): bigint | undefined {
    let ports = 0n;
    for (const id of this.#groups.get(group) ?? []) {
      const port = this.#nextHops.get(id);
      if (!port) continue;
      if (port.number === undefined) return undefined;
      ports |= 1n << BigInt(port.number);
    }
    return ports;
  }

  #writeLinks(): void {
    let [usable, native, ports] = [0n, 0n, 0];
    const egress = new Map<number, bigint>();
    for (const { number, interfaceIndex } of this.#numberedPorts()) {
      const bit = 1n << BigInt(number);
      if (this.#isUp(interfaceIndex)) usable |= bit;
      if (this.#native.has(interfaceIndex)) native |= bit;
      ports = Math.max(ports, number + 1);
      egress.set(interfaceIndex, (egress.get(interfaceIndex) ?? 0n) | bit);
    }
    // First: a port of a link that is lost is not to be used for as long as it takes to write the rest.
    this.writer.setEgress(egress);
    this.writer.setLinks({ usable, native, ports, deadline: this.#deadline });
  }

  #macOf({ interfaceIndex, gateway }: Port): Uint8Array | undefined {
    return this.#neighbours.get(keyOf(interfaceIndex, gateway));
  }

  #writePort(port: Port): void {
    if (port.number === undefined) return;
    const link = this.#links.get(port.interfaceIndex);
    const destination = this.#macOf(port);
    const whole = link !== undefined && link.mac.length === 6 && destination !== undefined;
    this.writer.setPort(port.number, {
      interfaceIndex: port.interfaceIndex,
      mtu: whole ? link.mtu : 0,
      source: whole ? link.mac : new Uint8Array(6),
      destination: whole ? destination : new Uint8Array(6),
    });
  }
}

/** Small numbers, used again. */
class Numbers {
  readonly #free: number[] = [];
  #next = 0;

  constructor(private readonly most: number) {}

  get used(): number {
    return this.#next - this.#free.length;
  }

  /** `undefined` when all are taken. */
  take(): number | undefined {
    const free = this.#free.pop();
    if (free !== undefined) return free;
    return this.#next < this.most ? this.#next++ : undefined;
  }

  give(number: number): void {
    this.#free.push(number);
  }
}

function keyOf(interfaceIndex: number, address: Address): string {
  return `${interfaceIndex}/${formatAddress(address)}`;
}

function sameOther(a: OtherRoute, b: OtherRoute): boolean {
  return a.local === b.local && a.metric === b.metric;
}

function placeOf({ prefix, local, metric }: OtherRoute): string {
  return `${formatPrefix(prefix)} ${local} ${metric}`;
}
