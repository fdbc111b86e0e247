/**
 * The rtnetlink messages of the FIB: next-hop objects and groups (struct nhmsg, linux/nexthop.h) and routes (struct rtmsg,
 * linux/rtnetlink.h) that name one. An IPv4 route uses the same objects, so its gateway may be IPv6 (RFC 8950).
 */
import { isOwnId, ROUTE_PROTOCOL } from '../../core/fib/ownership.js';
import { FALLBACK_METRIC, PRIMARY_METRIC } from '../../core/fib/types.js';
import { ADDRESS_OCTETS } from '../../core/net/family.js';
import type {
  ForeignNextHop,
  GroupMember,
  KernelGroup,
  KernelNextHop,
  KernelOperation,
  KernelRoute,
  NextHopId,
  ResilientParameters,
} from '../../core/ports/kernel-tables.js';
import { align4, LITTLE_ENDIAN, PayloadWriter, parseAttributes, u32Of, viewOf } from './rtnetlink/attributes.js';
import { FLAG, MESSAGE, type NetlinkRequest, type WrittenPayload } from './rtnetlink/message.js';

export const AF_INET = 2;
export const AF_INET6 = 10;

const NEXT_HOP_HEADER = 8;
const NHA = { id: 1, group: 2, groupType: 3, blackhole: 4, interface: 5, gateway: 6, resilient: 12 } as const;
const RESILIENT_TYPE = 1;
const RESILIENT = { buckets: 1, idleTimer: 2, unbalancedTimer: 3 } as const;
const GROUP_ENTRY = 8;
/** Kernel times of a resilient group are in hundredths of a second (clock_t). */
const TICKS_PER_SECOND = 100;

const ROUTE_HEADER = 12;
const RTA = { destination: 1, priority: 6, nextHopId: 30 } as const;
export const TABLE_MAIN = 254;
const SCOPE_UNIVERSE = 0;
const SCOPE_ANY = 255;
const TYPE_UNICAST = 1;
const UNSPECIFIED = new Uint8Array(16);
/** The route names its next hop itself. */
const NO_NEXT_HOP: NextHopId = 0;

export function requestOf(operation: KernelOperation): NetlinkRequest {
  switch (operation.kind) {
    case 'set-next-hop':
      return nextHopRequest(operation);
    case 'set-group':
      return groupRequest(operation);
    case 'delete-next-hop':
      return {
        type: MESSAGE.deleteNextHop,
        flags: 0,
        payload: nextHopPayload(0, 0).u32(NHA.id, operation.id).finish(),
      };
    case 'set-route':
      return { type: MESSAGE.newRoute, flags: setFlags(operation.replace), payload: new RoutePayload(operation) };
    case 'delete-route':
      return { type: MESSAGE.deleteRoute, flags: 0, payload: new RoutePayload(operation) };
  }
}

/** A next-hop object that drops: needs no link, to try out what the kernel has. */
export function blackholeRequest(id: NextHopId): NetlinkRequest {
  const payload = nextHopPayload(AF_INET6, ROUTE_PROTOCOL).u32(NHA.id, id).data(NHA.blackhole, new Uint8Array());
  return { type: MESSAGE.newNextHop, flags: setFlags(false), payload: payload.finish() };
}

/** Header of a dump of routes under our protocol number, or of everybody's; a kernel that does not heed it lists others too. */
export function routeDumpHeader(family: number, whose: 'ours' | 'all'): Uint8Array {
  const protocol = whose === 'ours' ? ROUTE_PROTOCOL : 0;
  return Uint8Array.of(family, 0, 0, 0, 0, protocol, 0, 0, 0, 0, 0, 0);
}

export function nextHopDumpHeader(): Uint8Array {
  return new Uint8Array(NEXT_HOP_HEADER);
}

/** The next hop or group of ours in an RTM_NEWNEXTHOP or RTM_DELNEXTHOP; `undefined` when it is not ours. */
export function parseNextHop(payload: Uint8Array): KernelNextHop | KernelGroup | undefined {
  const attributes = parseAttributes(payload, NEXT_HOP_HEADER);
  const id = u32Of(attributes.get(NHA.id));
  if (payload[2] !== ROUTE_PROTOCOL || id === undefined || !isOwnId(id)) return undefined;
  const group = attributes.get(NHA.group);
  if (group) return { id, members: parseMembers(group), ...parseResilient(attributes.get(NHA.resilient)) };
  // One that was made to drop, or to lead somewhere without a gateway, is nothing that was asked for.
  const interfaceIndex = u32Of(attributes.get(NHA.interface)) ?? 0;
  return { id, interfaceIndex, gateway: Uint8Array.from(attributes.get(NHA.gateway) ?? UNSPECIFIED) };
}

/** The object of another program with an id of our range; `undefined` for all others. */
export function parseForeignNextHop(payload: Uint8Array): ForeignNextHop | undefined {
  const attributes = parseAttributes(payload, NEXT_HOP_HEADER);
  const id = u32Of(attributes.get(NHA.id));
  const protocol = payload[2]!;
  if (protocol === ROUTE_PROTOCOL || id === undefined || !isOwnId(id)) return undefined;
  return { kind: attributes.has(NHA.group) ? 'group' : 'next-hop', id, protocol };
}

/** The route of ours, by an object of ours in the main table, in an RTM_NEWROUTE or RTM_DELROUTE; `undefined` for others. */
export function parseRoute(payload: Uint8Array): KernelRoute | undefined {
  const route = payload[5] === ROUTE_PROTOCOL ? parseAnyRoute(payload) : undefined;
  return route && isOwnId(route.nextHop) && isOurMetric(route.metric) ? route : undefined;
}

export function isOurMetric(metric: number): boolean {
  return metric === PRIMARY_METRIC || metric === FALLBACK_METRIC;
}

/** A route of the main table, anybody's. Reads the attributes in place: a table of 100,000 is read at start. */
export function parseAnyRoute(payload: Uint8Array): KernelRoute | undefined {
  const [family, length, , , table] = payload;
  if (table !== TABLE_MAIN || length === undefined) return undefined;
  const address = new Uint8Array(ADDRESS_OCTETS[family === AF_INET ? 'ipv4-unicast' : 'ipv6-unicast']);
  let metric = 0;
  let nextHop: NextHopId = NO_NEXT_HOP;
  for (let at = ROUTE_HEADER; at + 4 <= payload.length; ) {
    const octets = get16(payload, at);
    if (octets < 4 || at + octets > payload.length) break;
    const type = get16(payload, at + 2);
    if (type === RTA.destination) for (let i = 4; i < octets; i++) address[i - 4] = payload[at + i]!;
    else if (type === RTA.priority) metric = getWord(payload, at);
    else if (type === RTA.nextHopId) nextHop = getWord(payload, at);
    at += align4(octets);
  }
  return { prefix: { address, length }, metric, nextHop };
}

function nextHopRequest({
  id,
  interfaceIndex,
  gateway,
  replace,
}: Extract<KernelOperation, { kind: 'set-next-hop' }>): NetlinkRequest {
  const payload = nextHopPayload(gateway.length === 4 ? AF_INET : AF_INET6, ROUTE_PROTOCOL)
    .u32(NHA.id, id)
    .u32(NHA.interface, interfaceIndex)
    .data(NHA.gateway, gateway);
  return { type: MESSAGE.newNextHop, flags: setFlags(replace), payload: payload.finish() };
}

function groupRequest({
  id,
  members,
  resilient,
  replace,
}: Extract<KernelOperation, { kind: 'set-group' }>): NetlinkRequest {
  const writer = nextHopPayload(0, ROUTE_PROTOCOL).u32(NHA.id, id).data(NHA.group, groupEntries(members));
  if (resilient) {
    writer.u16(NHA.groupType, RESILIENT_TYPE).nested(NHA.resilient, (nested) => {
      nested
        .u16(RESILIENT.buckets, resilient.buckets)
        .u32(RESILIENT.idleTimer, Math.round(resilient.idleTimer * TICKS_PER_SECOND))
        .u32(RESILIENT.unbalancedTimer, Math.round(resilient.unbalancedTimer * TICKS_PER_SECOND));
    });
  }
  return { type: MESSAGE.newNextHop, flags: setFlags(replace), payload: writer.finish() };
}

function setFlags(replace: boolean): number {
  return replace ? FLAG.replace : FLAG.create | FLAG.exclusive;
}

function nextHopPayload(family: number, protocol: number): PayloadWriter {
  return new PayloadWriter(Uint8Array.of(family, 0, protocol, 0, 0, 0, 0, 0));
}

/** struct nexthop_grp: id 4, weight - 1, and what is above its 8 bits (Linux 6.14), 2 reserved. */
function groupEntries(members: readonly GroupMember[]): Uint8Array {
  const entries = new Uint8Array(members.length * GROUP_ENTRY);
  const view = viewOf(entries);
  for (const [index, { id, weight }] of members.entries()) {
    view.setUint32(index * GROUP_ENTRY, id, LITTLE_ENDIAN);
    view.setUint8(index * GROUP_ENTRY + 4, weight - 1);
  }
  return entries;
}

function parseMembers(group: Uint8Array): GroupMember[] {
  const view = viewOf(group);
  return Array.from({ length: Math.floor(group.length / GROUP_ENTRY) }, (_, index) => ({
    id: view.getUint32(index * GROUP_ENTRY, LITTLE_ENDIAN),
    weight: view.getUint8(index * GROUP_ENTRY + 4) + 1,
  }));
}

function parseResilient(value: Uint8Array | undefined): { resilient?: ResilientParameters } {
  if (!value) return {};
  const attributes = parseAttributes(value);
  const buckets = attributes.get(RESILIENT.buckets);
  const seconds = (type: number) => (u32Of(attributes.get(type)) ?? 0) / TICKS_PER_SECOND;
  return {
    resilient: {
      buckets: buckets ? viewOf(buckets).getUint16(0, LITTLE_ENDIAN) : 0,
      idleTimer: seconds(RESILIENT.idleTimer),
      unbalancedTimer: seconds(RESILIENT.unbalancedTimer),
    },
  };
}

type RouteOperation = Extract<KernelOperation, { kind: 'set-route' | 'delete-route' }>;

/** Written octet by octet into the datagram: 100,000 of these are one burst, and an array each cost a fifth more time. */
class RoutePayload implements WrittenPayload {
  constructor(private readonly operation: RouteOperation) {}

  get length(): number {
    const { operation } = this;
    return ROUTE_HEADER + 4 + operation.prefix.address.length + (operation.kind === 'set-route' ? 16 : 8);
  }

  write(target: Uint8Array, at: number): void {
    const { operation } = this;
    const { address, length } = operation.prefix;
    const octets = address.length;
    target[at] = octets === 4 ? AF_INET : AF_INET6;
    target[at + 1] = length;
    target[at + 4] = TABLE_MAIN;
    target[at + 5] = ROUTE_PROTOCOL;
    target[at + 6] = operation.kind === 'set-route' ? SCOPE_UNIVERSE : SCOPE_ANY;
    target[at + 7] = TYPE_UNICAST;
    const destination = at + ROUTE_HEADER;
    put16(target, destination, 4 + octets);
    put16(target, destination + 2, RTA.destination);
    for (let i = 0; i < octets; i++) target[destination + 4 + i] = address[i]!;
    const next = destination + 4 + octets;
    putWord(target, next, RTA.priority, operation.metric);
    if (operation.kind === 'set-route') putWord(target, next + 8, RTA.nextHopId, operation.nextHop);
  }
}

/** An attribute of one 32-bit word. */
function putWord(target: Uint8Array, at: number, type: number, value: number): void {
  put16(target, at, 8);
  put16(target, at + 2, type);
  const [low, high] = LITTLE_ENDIAN ? [at + 4, at + 6] : [at + 6, at + 4];
  put16(target, low, value & 0xffff);
  put16(target, high, value >>> 16);
}

function put16(target: Uint8Array, at: number, value: number): void {
  target[LITTLE_ENDIAN ? at : at + 1] = value & 0xff;
  target[LITTLE_ENDIAN ? at + 1 : at] = value >> 8;
}

/** The 32-bit word in the attribute at `at`. */
function getWord(source: Uint8Array, at: number): number {
  const [low, high] = LITTLE_ENDIAN ? [at + 4, at + 6] : [at + 6, at + 4];
  return get16(source, high) * 0x10000 + get16(source, low);
}

function get16(source: Uint8Array, at: number): number {
  const [low, high] = LITTLE_ENDIAN ? [at, at + 1] : [at + 1, at];
  return (source[low] ?? 0) | ((source[high] ?? 0) << 8);
}
