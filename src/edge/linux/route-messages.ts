/** Routes of other programs as rtnetlink messages (struct rtmsg, struct rtnexthop in linux/rtnetlink.h). */

import type { OtherRoute } from '../../core/ebpf-plane/plane-mirror.js';
import { ROUTE_PROTOCOL } from '../../core/fib/ownership.js';
import type { ForeignRoute, RouteHop } from '../../core/fib/reach-table.js';
import { ADDRESS_OCTETS, type Family } from '../../core/net/family.js';
import type { RouteInTheWay } from '../../core/ports/kernel-tables.js';
import { AF_INET, AF_INET6, isOurMetric, parseAnyRoute, parseRoute, TABLE_MAIN } from './fib-messages.js';
import { align4, LITTLE_ENDIAN, parseAttributes, u32Of, viewOf } from './rtnetlink/attributes.js';

export const ROUTE_HEADER = 12;
const TYPE_UNICAST = 1;
const TABLE_LOCAL = 255;
/** First octet of link-local addresses; multicast ones come after. */
const LINK_LOCAL_OCTET = 0xfe;
/** A copy that the kernel made for one destination. */
const CLONED = 0x200;
const RTA = { destination: 1, interface: 4, gateway: 5, priority: 6, multipath: 9, via: 18, nextHopId: 30 } as const;
const NEXT_HOP_HEADER = 8;
/** struct nhmsg. */
const OBJECT_HEADER = 8;
const NHA_ID = 1;
/** sa_family_t of struct rtvia. */
const VIA_HEADER = 2;

const FAMILIES: ReadonlyMap<number, Family> = new Map([
  [AF_INET, 'ipv4-unicast'],
  [AF_INET6, 'ipv6-unicast'],
]);

/**
 * A route of the main table that is not ours; `undefined` for others, and for those that are not for every packet to their
 * destination. The kernel writes out the next hops also of a route that names an object.
 */
export function parseForeignRoute(payload: Uint8Array): ForeignRoute | undefined {
  const [number, length, sourceLength, typeOfService, table, protocol] = payload;
  if (table !== TABLE_MAIN || protocol === ROUTE_PROTOCOL || sourceLength !== 0 || typeOfService !== 0)
    return undefined;
  const family = FAMILIES.get(number!);
  if (!family || payload.length < ROUTE_HEADER || viewOf(payload).getUint32(8, LITTLE_ENDIAN) & CLONED)
    return undefined;
  const attributes = parseAttributes(payload, ROUTE_HEADER);
  const address = new Uint8Array(ADDRESS_OCTETS[family]);
  address.set(attributes.get(RTA.destination)?.subarray(0, address.length) ?? []);
  const hops = payload[7] === TYPE_UNICAST ? hopsOf(attributes) : [];
  const object = u32Of(attributes.get(RTA.nextHopId));
  const metric = u32Of(attributes.get(RTA.priority)) ?? 0;
  return { prefix: { address, length: length! }, metric, hops, ...(object !== undefined && { object }) };
}

/**
 * A route of the main table that stands where one of ours would, by its metric, or that carries our protocol number, and is
 * not ours; `undefined` for others. Most routes of a full table are neither.
 */
export function parseRouteInTheWay(payload: Uint8Array): RouteInTheWay | undefined {
  const route = payload.length < ROUTE_HEADER || parseRoute(payload) ? undefined : parseAnyRoute(payload);
  const protocol = payload[5]!;
  if (!route || !(protocol === ROUTE_PROTOCOL || isOurMetric(route.metric))) return undefined;
  // For some sources or types of service only: that collides with nothing of ours.
  if (payload[2] !== 0 || payload[3] !== 0) return undefined;
  if (viewOf(payload).getUint32(8, LITTLE_ENDIAN) & CLONED) return undefined;
  const hops = payload[7] === TYPE_UNICAST ? hopsOf(parseAttributes(payload, ROUTE_HEADER)) : [];
  const interfaces = [...new Set(hops.map(({ interfaceIndex }) => interfaceIndex))];
  return { kind: 'route', prefix: route.prefix, metric: route.metric, protocol, interfaces };
}

/**
 * An IPv6 route of the main or local table that is not ours, for every packet to its destination or not; `undefined` for others, and for
 * link-local and multicast ones, which every interface has.
 */
export function parseOtherRoute(payload: Uint8Array): OtherRoute | undefined {
  const [family, length, , , table, protocol] = payload;
  if (payload.length < ROUTE_HEADER || family !== AF_INET6 || (table !== TABLE_MAIN && table !== TABLE_LOCAL))
    return undefined;
  if (table === TABLE_MAIN && protocol === ROUTE_PROTOCOL && parseRoute(payload)) return undefined;
  if (viewOf(payload).getUint32(8, LITTLE_ENDIAN) & CLONED) return undefined;
  const attributes = parseAttributes(payload, ROUTE_HEADER);
  const address = new Uint8Array(16);
  address.set(attributes.get(RTA.destination)?.subarray(0, address.length) ?? []);
  if (address[0]! >= LINK_LOCAL_OCTET) return undefined;
  const metric = u32Of(attributes.get(RTA.priority)) ?? 0;
  return { prefix: { address, length: length! }, local: table === TABLE_LOCAL, metric };
}

/** Id of the next-hop object in an RTM_DELNEXTHOP. */
export function objectId(payload: Uint8Array): number | undefined {
  return u32Of(parseAttributes(payload, OBJECT_HEADER).get(NHA_ID));
}

function hopsOf(attributes: ReadonlyMap<number, Uint8Array>): RouteHop[] {
  const multipath = attributes.get(RTA.multipath);
  if (multipath) return multipathHops(multipath);
  const interfaceIndex = u32Of(attributes.get(RTA.interface));
  return interfaceIndex === undefined ? [] : [hopOf(interfaceIndex, attributes)];
}

function multipathHops(bytes: Uint8Array): RouteHop[] {
  const hops: RouteHop[] = [];
  const view = viewOf(bytes);
  for (let at = 0; at + NEXT_HOP_HEADER <= bytes.length; ) {
    const octets = view.getUint16(at, LITTLE_ENDIAN);
    if (octets < NEXT_HOP_HEADER || at + octets > bytes.length) break;
    const attributes = parseAttributes(bytes.subarray(at, at + octets), NEXT_HOP_HEADER);
    hops.push(hopOf(view.getInt32(at + 4, LITTLE_ENDIAN), attributes));
    at += align4(octets);
  }
  return hops;
}

/** Copies: the octets are the receive buffer's. */
function hopOf(interfaceIndex: number, attributes: ReadonlyMap<number, Uint8Array>): RouteHop {
  const gateway = attributes.get(RTA.gateway) ?? attributes.get(RTA.via)?.subarray(VIA_HEADER);
  return gateway ? { interfaceIndex, gateway: Uint8Array.from(gateway) } : { interfaceIndex };
}
