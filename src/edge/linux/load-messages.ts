/**
 * Counters in rtnetlink: of links (RTM_GETSTATS, struct rtnl_link_stats64), of queueing disciplines (RTM_GETQDISC, TCA_STATS2 and
 * the rate of a token bucket filter), and of the members of next-hop groups (NHA_GROUP_STATS, Linux 6.9).
 */
import { isOwnId, ROUTE_PROTOCOL } from '../../core/fib/ownership.js';
import type { GroupLoad } from '../../core/ports/load-meters.js';
import {
  LITTLE_ENDIAN,
  PayloadWriter,
  parseAttributes,
  parseRepeated,
  textOf,
  u32Of,
  viewOf,
} from './rtnetlink/attributes.js';

/** struct if_stats_msg: family 1, 3 spare, ifindex 4, filter mask 4. */
const STATS_HEADER = 12;
const IFLA_STATS_LINK_64 = 1;
/** Of struct rtnl_link_stats64. */
const TX_BYTES_AT = 24;

/** struct tcmsg: family 1, 3 spare, ifindex 4, handle 4, parent 4, info 4. */
const QDISC_HEADER = 20;
const TC_H_ROOT = 0xffffffff;
const TCA = { kind: 1, options: 2, statistics: 7 } as const;
const TCA_STATS_QUEUE = 3;
const TCA_TBF = { parameters: 1, rate64: 4 } as const;
/** Of struct tc_tbf_qopt: the rate's last word. */
const TBF_RATE_AT = 8;

const NEXT_HOP_HEADER = 8;
const NHA = { id: 1, operationFlags: 14, groupStatistics: 15 } as const;
const DUMP_STATISTICS = 1;
const STATISTICS = { entry: 1, id: 1, packets: 2 } as const;

export function linkCountersHeader(): Uint8Array {
  const header = new Uint8Array(STATS_HEADER);
  viewOf(header).setUint32(8, 1 << (IFLA_STATS_LINK_64 - 1), LITTLE_ENDIAN);
  return header;
}

/** RTM_NEWSTATS. */
export function parseLinkCounters(payload: Uint8Array): { interfaceIndex: number; octets: number } | undefined {
  const counters = parseAttributes(payload, STATS_HEADER).get(IFLA_STATS_LINK_64);
  if (!counters || counters.length < TX_BYTES_AT + 8) return undefined;
  const octets = Number(viewOf(counters).getBigUint64(TX_BYTES_AT, LITTLE_ENDIAN));
  return { interfaceIndex: viewOf(payload).getInt32(4, LITTLE_ENDIAN), octets };
}

export function qdiscDumpHeader(): Uint8Array {
  return new Uint8Array(QDISC_HEADER);
}

export interface QdiscState {
  readonly interfaceIndex: number;
  readonly backlog: number;
  readonly limit?: number;
}

/** RTM_NEWQDISC of a link's root, whose backlog has that of its children in it; `undefined` for those. */
export function parseRootQdisc(payload: Uint8Array): QdiscState | undefined {
  if (payload.length < QDISC_HEADER || viewOf(payload).getUint32(12, LITTLE_ENDIAN) !== TC_H_ROOT) return undefined;
  const attributes = parseAttributes(payload, QDISC_HEADER);
  const statistics = attributes.get(TCA.statistics);
  const queue = statistics && parseAttributes(statistics).get(TCA_STATS_QUEUE);
  const backlog = queue && queue.length >= 8 ? viewOf(queue).getUint32(4, LITTLE_ENDIAN) : 0;
  const limit = textOf(attributes.get(TCA.kind)) === 'tbf' ? rateOf(attributes.get(TCA.options)) : undefined;
  const interfaceIndex = viewOf(payload).getInt32(4, LITTLE_ENDIAN);
  return { interfaceIndex, backlog, ...(limit !== undefined && { limit }) };
}

/** Octets a second; what does not fit 32 bits has an attribute of its own. */
function rateOf(options: Uint8Array | undefined): number | undefined {
  const attributes = options && parseAttributes(options);
  const large = attributes?.get(TCA_TBF.rate64);
  if (large && large.length >= 8) return Number(viewOf(large).getBigUint64(0, LITTLE_ENDIAN));
  const parameters = attributes?.get(TCA_TBF.parameters);
  if (!parameters || parameters.length < TBF_RATE_AT + 4) return undefined;
  return viewOf(parameters).getUint32(TBF_RATE_AT, LITTLE_ENDIAN) || undefined;
}

/** A dump of next hops with the counters of groups. */
export function groupCountersRequest(): Uint8Array {
  return new PayloadWriter(new Uint8Array(NEXT_HOP_HEADER)).u32(NHA.operationFlags, DUMP_STATISTICS).finish();
}

/** RTM_NEWNEXTHOP of a group of ours; `undefined` for others, and where the kernel does not count. */
export function parseGroupCounters(payload: Uint8Array): GroupLoad | undefined {
  const attributes = parseAttributes(payload, NEXT_HOP_HEADER);
  const id = u32Of(attributes.get(NHA.id));
  const statistics = attributes.get(NHA.groupStatistics);
  if (payload[2] !== ROUTE_PROTOCOL || id === undefined || !isOwnId(id) || !statistics) return undefined;
  const packets = new Map<number, number>();
  for (const { type, value } of parseRepeated(statistics)) {
    const entry = type === STATISTICS.entry ? parseAttributes(value) : undefined;
    const member = u32Of(entry?.get(STATISTICS.id));
    const count = entry?.get(STATISTICS.packets);
    if (member !== undefined && count) packets.set(member, unsignedOf(count));
  }
  return { id, packets };
}

/** NLA_UINT: four octets when they suffice, else eight. */
function unsignedOf(value: Uint8Array): number {
  return value.length >= 8 ? Number(viewOf(value).getBigUint64(0, LITTLE_ENDIAN)) : (u32Of(value) ?? 0);
}
