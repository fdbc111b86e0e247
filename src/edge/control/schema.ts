/**
 * What the daemon answers on its control socket, one resource after the other, and the interface it implements to
 * answer. The zod schemas are the source: types are inferred from them, and the client checks answers against them.
 *
 * Rules of the JSON: every key is always present, and `null` where there is nothing to say; keys are camelCase;
 * durations end in `Ms`; addresses and prefixes are RFC 5952 text; 64-bit values (AIGP) are decimal strings;
 * lists are arrays. Keys are added, never renamed or removed, within one `apiVersion`.
 */
import { z } from 'zod';
import type { Family } from '../../core/net/family.js';
import type { Prefix } from '../../core/net/prefix.js';
import type { ControlEvent } from './events.js';
import type { Measurements } from './measurements.js';

export const API_VERSION = 1;

const count = z.int().nonnegative();
const milliseconds = z.number().nonnegative();
const colour = z.int().nullable();
const familyName = z.enum(['ipv4-unicast', 'ipv6-unicast']);

export const summarySchema = z.object({
  apiVersion: z.literal(API_VERSION),
  name: z.string(),
  version: z.string(),
  pid: count,
  role: z.enum(['leaf', 'spine']),
  as: count,
  /** Dotted quad. */
  routerId: z.string(),
  families: z.array(familyName),
  dpfMode: z.string(),
  uptimeMs: milliseconds,
  neighbors: z.object({ up: count, total: count }),
  /** Prefixes in the Loc-RIB, and paths behind them (eligible or not). */
  routes: count,
  paths: count,
  /** Prefixes by what the kernel made of them. */
  fib: z.object({
    installed: count,
    pending: count,
    failed: count,
    /** Objects put into the kernel since the start, those replaced included. */
    written: z.object({ nextHops: count, groups: count, routes: count }),
  }),
  startup: z.object({
    /** From the first fabric link up to all routes in the kernel; null until it is known. */
    linkUpToRoutesMs: milliseconds.nullable(),
    /** When that was, ISO 8601. */
    convergedAt: z.string().nullable(),
    /** What is waited for until then, in words. */
    waitsFor: z.array(z.string()),
  }),
  /** Who is told what the sessions do. */
  monitoring: z.object({
    bmp: z.array(
      z.object({
        collector: z.string(),
        port: count,
        routes: z.array(z.enum(['adj-rib-in', 'adj-rib-out-pre-policy', 'adj-rib-out', 'loc-rib'])),
        connected: z.boolean(),
        /** Since the start: connections made, messages sent, connections cut because the station was too slow. */
        connections: count,
        messages: count,
        overruns: count,
      }),
    ),
    /** File that updates are recorded in, and records lost because the disk was too slow; null without one. */
    mrt: z.object({ updates: z.string(), dropped: count }).nullable(),
  }),
});
export type Summary = z.infer<typeof summarySchema>;

const messageCounters = z.object({
  open: count,
  update: count,
  notification: count,
  keepalive: count,
  routeRefresh: count,
});

const bfdStateName = z.enum(['AdminDown', 'Down', 'Init', 'Up']);

export const bfdSchema = z.object({
  /** Null while it does not run. */
  state: bfdStateName.nullable(),
  remoteState: bfdStateName.nullable(),
  /** Why it cannot run, or why it is down, in words; null when there is nothing to say. */
  reason: z.string().nullable(),
  /** Since the last change of state. */
  sinceMs: milliseconds,
  /** As configured. */
  intervalMs: milliseconds,
  multiplier: count,
  strict: z.boolean(),
  /** As negotiated: between our packets before jitter, and of silence until it goes down (null: neighbour unknown). */
  transmitIntervalMs: milliseconds.nullable(),
  detectionTimeMs: milliseconds.nullable(),
  localDiscriminator: count.nullable(),
  remoteDiscriminator: count.nullable(),
  /** How often it came up, and how often the path failed. */
  ups: count,
  failures: count,
  packets: z.object({ sent: count, received: count, discarded: count }),
});
export type Bfd = z.infer<typeof bfdSchema>;

const reasonCounts = z.array(z.object({ reason: z.string(), count }));
export type ReasonCount = z.infer<typeof reasonCounts>[number];

/**
 * One per session; a fabric interface on which nobody was heard yet is also one, with `address` null, and so is every neighbor of the
 * configuration.
 */
export const neighborSchema = z.object({
  /** As commands take it: `fe80::1%to-spine1`, `2001:db8::1`; the interface while nobody was heard there. */
  name: z.string(),
  /** Given by its address, not found on a fabric interface. */
  configured: z.boolean(),
  /** Of the configuration: its description, and the peer group that it belongs to. */
  description: z.string().nullable(),
  group: z.string().nullable(),
  /** Hops that it may be away (multihop); null on a link of ours. */
  hops: count.nullable(),
  /** We wait for it to connect. */
  passive: z.boolean(),
  /** Families that are wanted and not offered, because routes would have no next hop on this session. */
  unoffered: z.array(familyName),
  /** What is configured about what it is told and what is taken from it, beside policies: `local-as 65009`, `as-override`. */
  options: z.array(z.string()),
  /** Empty when the neighbor is some hops away, or nowhere yet. */
  interface: z.string(),
  address: z.string().nullable(),
  localAddress: z.string().nullable(),
  as: count.nullable(),
  /** As configured: `external`, `internal`, `65001`, `65001-65010`. */
  acceptRemoteAs: z.array(z.string()),
  routerId: z.string().nullable(),
  /** FQDN capability of the peer. */
  hostname: z.string().nullable(),
  state: z.enum(['idle', 'connect', 'active', 'open-sent', 'open-confirm', 'established']),
  /** Why it is not established, in words; null when it is. */
  reason: z.string().nullable(),
  /** Why it is not established, or carries no routes: the likeliest cause in one sentence; null when all is well. */
  why: z.string().nullable(),
  /** What to do about that; null when there is nothing to say. */
  next: z.string().nullable(),
  colour,
  /** Since established; null when it is not. */
  uptimeMs: milliseconds.nullable(),
  prefixes: z.object({ received: count, accepted: count, advertised: count }),
  /**
   * Paths received and not used, and routes not told, by reason, most frequent first. Null where they are not counted: in the list of
   * all neighbours, unless nothing at all is used or told.
   */
  hidden: reasonCounts.nullable(),
  withheld: reasonCounts.nullable(),
  /** Paths kept from before a restart or a refresh, and not heard again yet; until when, where that is known (RFC 4724, 9494). */
  stale: z.object({ paths: count, longLived: z.boolean(), forMs: milliseconds.nullable() }).nullable(),
  /** It was away, and its paths are the last choice until it has shown this; how long at most, where that is known. */
  settling: z
    .object({ waitsFor: z.enum(['end-of-rib', 'gateway', 'hold-down']), forMs: milliseconds.nullable() })
    .nullable(),
  /** Families whose first table is not through (End-of-RIB). */
  tablePending: z.array(familyName),
  /** UPDATEs with a fault whose routes count as withdrawn, or without the faulty attribute (RFC 7606). */
  malformed: count,
  /** Policies by name, in order; `missing` says why no routes flow (RFC 8212), in words, and is empty when they do. */
  policies: z.object({ import: z.array(z.string()), export: z.array(z.string()), missing: z.array(z.string()) }),
  /** GTSM as configured; the hop limit that the neighbour was seen to send; whether segments are signed. */
  security: z.object({
    gtsm: z.enum(['auto', 'require', 'off']),
    hopLimit: count.nullable(),
    md5: z.boolean(),
    /** Its key, when segments are authenticated by TCP-AO. */
    tcpAo: z.object({ sendId: count, receiveId: count, algorithm: z.string() }).nullable(),
  }),
  /** Families with a limit; `received` counts towards it. */
  prefixLimits: z.array(
    z.object({
      family: familyName,
      limit: count,
      received: count,
      action: z.enum(['warn', 'restart', 'shutdown']),
      exceeded: z.boolean(),
    }),
  ),
  /** Families with path identifiers (RFC 7911), which each end offers for each direction by itself; `paths` are those sent. */
  addPath: z.array(
    z.object({
      family: familyName,
      receive: z.enum(['off', 'offered', 'agreed']),
      send: z.enum(['off', 'offered', 'agreed']),
      /** `all`, `multipath`, `best 2`; null when no identifiers are sent. */
      paths: z.string().nullable(),
    }),
  ),
  /** Why it is kept without a session: shut down by an operator, or beyond a prefix limit. */
  hold: z
    .object({
      kind: z.enum(['shutdown', 'prefix-limit']),
      reason: z.string(),
      /** Until it starts again by itself; null when it waits for an operator. */
      retryInMs: milliseconds.nullable(),
    })
    .nullable(),
  /** Seconds as negotiated; null when there is no session. */
  holdTime: count.nullable(),
  /** A third of the hold time, which need not be whole. */
  keepaliveTime: z.number().nonnegative().nullable(),
  families: z.array(familyName),
  /** By name (`multiprotocol ipv6-unicast`, `link-local-next-hop`, ...), and who announced each. */
  capabilities: z.array(z.object({ name: z.string(), local: z.boolean(), remote: z.boolean() })),
  /** Connections tried and accepted, and how many sessions came of them. */
  attempts: count,
  establishedCount: count,
  lastDown: z
    .object({
      kind: z.string(),
      code: count.nullable(),
      subcode: count.nullable(),
      message: z.string(),
      agoMs: milliseconds,
    })
    .nullable(),
  /** What the attempts since then ran into; `lastDown` says it too. */
  lastFailure: z
    .object({ kind: z.string(), code: count.nullable(), subcode: count.nullable(), message: z.string() })
    .nullable(),
  /** Until the next attempt to connect; null when none is due. */
  retryInMs: milliseconds.nullable(),
  messages: z.object({ sent: messageCounters, received: messageCounters }),
  /** Null where it is not configured. */
  bfd: bfdSchema.nullable(),
});
export type Neighbor = z.infer<typeof neighborSchema>;

const fibState = z.enum(['installed', 'pending', 'failed', 'none']);

export const pathSchema = z.object({
  /** Interface it came over; null for a path of our own. */
  interface: z.string().nullable(),
  /** Neighbour's address; null for a path of our own. */
  neighbor: z.string().nullable(),
  /** RFC 7911 identifier that it came with; null on a session without. */
  pathId: count.nullable(),
  /**
   * `preferred`: in the primary set; `fallback`: in the set behind it; `unused`: eligible, in neither set;
   * `ineligible`: kept, not considered (looped, unresolvable next hop, hidden by session colour).
   */
  status: z.enum(['preferred', 'fallback', 'unused', 'ineligible']),
  /** The decision step at which this path left (or, for a preferred one, that decided); null when none did. */
  step: z.string().nullable(),
  /** The same in words: `no AIGP counts as infinite`, `own AS in AS_PATH`. */
  reason: z.string(),
  nextHops: z.array(z.string()),
  /** Of a next hop that is not simply on the neighbour's link: how the host reaches it. Absent when it does not, as `reason` says. */
  resolved: z
    .object({
      /** As received. */
      nextHop: z.string(),
      onLink: z.boolean(),
      /** Metric of the route that leads there; 0 on a link. */
      cost: count,
      via: z.array(z.object({ interface: z.string(), gateway: z.string() })),
    })
    .optional(),
  /** As in `65001 {65010 65011} 65102`; empty for a path of our own. */
  asPath: z.string(),
  origin: z.enum(['igp', 'egp', 'incomplete']),
  localPref: count.nullable(),
  med: count.nullable(),
  aigp: z.string().nullable(),
  colours: z.array(count),
  /** Router ids behind the next hop (NNHN), when the neighbour told them of itself. */
  nextNextHops: z.array(z.string()).optional(),
  /** Communities, extended communities and large communities as text, colours included. */
  communities: z.array(z.string()),
  ageMs: milliseconds,
  /** Kept from before the neighbour's restart or refresh, and not heard again yet. */
  stale: z.boolean(),
});
export type Path = z.infer<typeof pathSchema>;

const routeHead = {
  prefix: z.string(),
  family: familyName,
  colour,
  /** AS that originated it (rightmost); our own for a local route; null when nothing is eligible. */
  origin: count.nullable(),
  /** Name of the step that decided; null when there was nothing to decide. */
  decidedBy: z.string().nullable(),
  fib: fibState,
};

/** One line of `show routes`. */
export const routeSummarySchema = z.object({
  ...routeHead,
  /** Interfaces of the primary set; empty for a local route. */
  preferred: z.array(z.string()),
  fallback: z.array(z.string()),
  /** AS_PATH and AIGP of the best path. */
  asPath: z.string(),
  aigp: z.string().nullable(),
  paths: count,
  /** Originated here. */
  local: z.boolean(),
});
export type RouteSummary = z.infer<typeof routeSummarySchema>;

export const routeSchema = z.object({
  ...routeHead,
  /** What the kernel said about a failed one. */
  fibError: z.string().nullable(),
  /** Preferred first, then by how far each came in the decision (longest first), ineligible last. */
  paths: z.array(pathSchema),
});
export type Route = z.infer<typeof routeSchema>;

const fibNextHop = z.object({
  interface: z.string(),
  gateway: z.string(),
  /** Share of the set's traffic; absent when all shares are equal. */
  weight: count.optional(),
});

export const fibEntrySchema = z.object({
  prefix: z.string(),
  family: familyName,
  colour,
  state: z.enum(['installed', 'pending', 'failed']),
  error: z.string().nullable(),
  /** Metric 20. */
  primary: z.array(fibNextHop),
  primaryGroup: count.nullable(),
  /** Metric 30. */
  fallback: z.array(fibNextHop),
  fallbackGroup: count.nullable(),
});
export type FibEntry = z.infer<typeof fibEntrySchema>;

export const fibDifferenceSchema = z.object({
  object: z.enum(['route', 'group', 'next-hop']),
  /** Of a route; null for others. */
  prefix: z.string().nullable(),
  metric: count.nullable(),
  /** Of a group or next hop that is in the kernel or was; null for others. */
  id: count.nullable(),
  /** Where it is to lead; null when it is not to be there. */
  wanted: z.array(fibNextHop).nullable(),
  /** Where it leads; null when nothing of ours is there. */
  kernel: z.array(fibNextHop).nullable(),
  /** What another program has there; null when nothing. */
  foreign: z.object({ protocol: count, interfaces: z.array(z.string()) }).nullable(),
  /**
   * `missing`, `other` (next hops, members or weights), `leftover` of ours; `refused` by the kernel; `foreign-in-the-way` of ours,
   * `foreign-beside` ours, `foreign-number` (under our protocol number), `foreign-id` (of our range); on its way: `waiting`,
   * `link-down`, `kept` (from before a restart).
   */
  cause: z.enum([
    'missing',
    'other',
    'leftover',
    'refused',
    'foreign-in-the-way',
    'foreign-beside',
    'foreign-number',
    'foreign-id',
    'waiting',
    'link-down',
    'kept',
  ]),
  /** Nothing is wrong: it is being written, or waits for something that comes by itself. */
  inFlight: z.boolean(),
  /** The cause in words, with what the kernel said. */
  why: z.string(),
  /** What to do; null when that is nothing. */
  advice: z.string().nullable(),
});
export type FibDifference = z.infer<typeof fibDifferenceSchema>;

/** What is wanted against what the kernel has now. */
export const fibComparisonSchema = z.object({
  /** How many are in the kernel as they are wanted. */
  same: z.object({ routes: count, groups: count, nextHops: count }),
  differences: z.array(fibDifferenceSchema),
});
export type FibComparison = z.infer<typeof fibComparisonSchema>;

/** Sent while it is walked. */
export interface FibComparisonStream {
  readonly same: FibComparison['same'];
  readonly differences: Iterable<FibDifference>;
}

const fabricCell = z.object({
  /** `absent`: no path over this uplink. */
  state: z.enum(['preferred', 'fallback', 'unused', 'absent']),
  /** Colour that the path over this uplink carries; null when there is none or it carries none. */
  colour,
  aigp: z.string().nullable(),
});

const fabricUplink = z.object({ interface: z.string(), colour, up: z.boolean(), reason: z.string().nullable() });

const fabricRow = z.object({
  prefix: z.string(),
  colour,
  origin: count.nullable(),
  /** One per uplink, in the order of `uplinks`. */
  cells: z.array(fabricCell),
});

/** Learned prefixes against uplinks. */
export const fabricSchema = z.object({ uplinks: z.array(fabricUplink), rows: z.array(fabricRow) });
export type Fabric = z.infer<typeof fabricSchema>;
export type FabricCell = z.infer<typeof fabricCell>;
export type FabricUplink = z.infer<typeof fabricUplink>;
export type FabricRow = z.infer<typeof fabricRow>;

export const interfaceSchema = z.object({
  name: z.string(),
  kind: z.enum(['fabric', 'host']),
  colour,
  /** Null while no such interface exists. */
  index: count.nullable(),
  adminUp: z.boolean(),
  carrier: z.boolean(),
  /** Ready for discovery (fabric) or for hosts. */
  usable: z.boolean(),
  /** Which condition is missing, in words; null when usable. */
  reason: z.string().nullable(),
  mac: z.string().nullable(),
  mtu: count.nullable(),
  linkLocal: z.string().nullable(),
  /** Gateways that were assigned here, with their prefix length. */
  addresses: z.array(z.string()),
  /** Addresses of the routers heard on a fabric interface. */
  neighbors: z.array(z.string()),
});
export type Interface = z.infer<typeof interfaceSchema>;

const percent = z.number().nonnegative();

/** The eBPF plane: its ports with what went out by them, and what was left to the kernel. */
const ebpfPlaneSchema = z.object({
  mode: z.enum(['flowlet', 'assigned-flow', 'per-packet']),
  /** Why the kernel forwards in its place; null while the plane does. */
  failure: z.string().nullable(),
  prefixes: count,
  attachments: z.array(z.object({ interface: z.string(), how: z.enum(['native', 'generic', 'tc', 'clsact']) })),
  ports: z.array(
    z.object({
      interface: z.string(),
      gateway: z.string(),
      state: z.enum(['up', 'unresolved', 'down']),
      packets: count,
      octets: count,
      /** Flowsets that moved to it, and those moves after a pause so short that packets may have been reordered. */
      moves: count,
      reorderRisks: count,
    }),
  ),
  /** Reasons with a packet, in the order in which the program looks for them. */
  leftToKernel: z.array(z.object({ reason: z.string(), packets: count })),
});
export type EbpfPlane = z.infer<typeof ebpfPlaneSchema>;

/** Links as load balancing rates them, and the groups of several next hops that forward now. */
export const loadBalancingSchema = z.object({
  mode: z.enum(['off', 'flowlet', 'assigned-flow', 'adaptive']),
  /** Why groups are plain ones, so that flows move when members come and go; null where they are resilient. */
  plainGroups: z.string().nullable(),
  links: z.array(
    z.object({
      interface: z.string(),
      /** 7 is best, 0 worst. */
      quality: z.number().int().min(0).max(7),
      /** Octets a second. */
      capacity: count,
      rate: z.number().nonnegative(),
      /** Octets that wait. */
      backlog: z.number().nonnegative(),
      /** Per cent of the capacity, and of the reference queue. */
      load: percent,
      queue: percent,
    }),
  ),
  groups: z.array(
    z.object({
      /** Of the kernel. */
      id: count,
      /** Times that shares were moved. */
      moves: count,
      members: z.array(
        z.object({
          interface: z.string(),
          /** As the routes ask for it. */
          due: count,
          /** As it is now, in parts of all shares of the group. */
          share: count,
          /** Packets a second; null where the kernel does not count. */
          packetRate: z.number().nonnegative().nullable(),
        }),
      ),
    }),
  ),
  /** Null where none is configured. */
  plane: ebpfPlaneSchema.nullable(),
});
export type LoadBalancing = z.infer<typeof loadBalancingSchema>;

/** One prefix of the eBPF plane: what went out for it since it is in the plane, and of the packets those by the fallback set. */
export const planePrefixSchema = z.object({
  prefix: z.string(),
  packets: count,
  octets: count,
  fallbackPackets: count,
});
export type PlanePrefix = z.infer<typeof planePrefixSchema>;

export const errorSchema = z.object({ error: z.string() });

/** A table that may be long: sent while it is walked, so an iterable need not hold it in memory. */
export interface FabricStream {
  readonly uplinks: readonly FabricUplink[];
  readonly rows: Iterable<FabricRow>;
}

/** What the daemon implements: one method per resource. A thrown error becomes a 500 with its message. */
export interface ControlHandlers {
  /** GET /summary */
  summary(): Summary;
  /** GET /neighbors */
  neighbors(): Iterable<Neighbor>;
  /** GET /neighbors/NAME, by interface, address or ADDRESS%INTERFACE; empty when nothing matches (404). */
  neighbor(name: string): readonly Neighbor[];
  /** GET /routes?family=&limit= (the server cuts at the limit). */
  routes(family: Family | undefined): Iterable<RouteSummary>;
  /** GET /route/PREFIX, an exact match; the server turns an address into tries of ever shorter prefixes. */
  route(prefix: Prefix): Route | undefined;
  /** GET /fib */
  fib(): Iterable<FibEntry>;
  /** GET /fib/notes: a line for all that concerns no single prefix. */
  fibNotes(): readonly string[];
  /** GET /fib/diff, from a fresh dump of the kernel. */
  fibDifferences(): Promise<FibComparisonStream>;
  /** GET /dlb */
  dlb(): LoadBalancing;
  /** GET /dlb/prefixes: of the eBPF plane, read from the kernel as they are taken; empty without one. */
  planePrefixes(): Iterable<PlanePrefix>;
  /** GET /fabric */
  fabric(): FabricStream;
  /** GET /interfaces */
  interfaces(): Iterable<Interface>;
  /** GET /metrics?prefixes=&process=, with others of these. */
  measurements(): Measurements;
  /** GET /events?kinds=: calls for everything that changes, until what it returns is called. */
  watch(listener: (event: ControlEvent) => void): () => void;
  /** GET /mrt?family=, an MRT table dump, not JSON: whole records, made as they are taken. */
  mrt(family: Family | undefined): Iterable<Uint8Array>;
}
