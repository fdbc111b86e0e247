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
  apiVersion: z.literal(API_VERSION).describe('Of these fields.'),
  name: z.string().describe('Of the router, as configured.'),
  version: z.string().describe('Of heddle.'),
  pid: count,
  role: z.enum(['leaf', 'spine']),
  as: count,
  routerId: z.string().describe('Dotted quad.'),
  families: z.array(familyName),
  dpfMode: z.string().describe('As `dpf.mode` is configured.'),
  uptimeMs: milliseconds.describe('Since the start.'),
  neighbors: z.object({ up: count, total: count }).describe('Sessions that are up, and those that are to be.'),
  routes: count.describe('Prefixes in the Loc-RIB.'),
  paths: count.describe('Paths behind them, eligible or not.'),
  fib: z
    .object({
      installed: count,
      pending: count,
      failed: count,
      written: z
        .object({ nextHops: count, groups: count, routes: count })
        .describe('Objects put into the kernel since the start, those replaced included.'),
    })
    .describe('Prefixes by what the kernel made of them.'),
  startup: z.object({
    linkUpToRoutesMs: milliseconds
      .nullable()
      .describe('From the first fabric link up to all routes in the kernel; null until it is known.'),
    convergedAt: z.string().nullable().describe('When that was, ISO 8601.'),
    waitsFor: z.array(z.string()).describe('What is waited for until then, in words.'),
  }),
  monitoring: z
    .object({
      bmp: z.array(
        z.object({
          collector: z.string(),
          port: count,
          routes: z.array(z.enum(['adj-rib-in', 'adj-rib-out-pre-policy', 'adj-rib-out', 'loc-rib'])),
          connected: z.boolean(),
          connections: count.describe('Made since the start.'),
          messages: count.describe('Sent since the start.'),
          overruns: count.describe('Connections cut because the station was too slow.'),
        }),
      ),
      mrt: z
        .object({ updates: z.string(), dropped: count })
        .nullable()
        .describe(
          'File that updates are recorded in, and records lost because the disk was too slow; null without one.',
        ),
    })
    .describe('Who is told what the sessions do.'),
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
  state: bfdStateName.nullable().describe('Null while it does not run.'),
  remoteState: bfdStateName.nullable(),
  reason: z
    .string()
    .nullable()
    .describe('Why it cannot run, or why it is down, in words; null when there is nothing to say.'),
  sinceMs: milliseconds.describe('Since the last change of state.'),
  intervalMs: milliseconds.describe('As configured.'),
  multiplier: count,
  strict: z.boolean(),
  transmitIntervalMs: milliseconds
    .nullable()
    .describe('As negotiated, between our packets before jitter; null while the neighbour is unknown.'),
  detectionTimeMs: milliseconds
    .nullable()
    .describe('As negotiated, of silence until it goes down; null while the neighbour is unknown.'),
  localDiscriminator: count.nullable(),
  remoteDiscriminator: count.nullable(),
  ups: count.describe('How often it came up.'),
  failures: count.describe('How often the path failed.'),
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
  name: z
    .string()
    .describe('As commands take it: `fe80::1%to-spine1`, `2001:db8::1`; the interface while nobody was heard there.'),
  configured: z.boolean().describe('Given by its address, not found on a fabric interface.'),
  description: z.string().nullable().describe('As configured.'),
  group: z.string().nullable().describe('Peer group that it belongs to.'),
  hops: count.nullable().describe('Hops that it may be away (multihop); null on a link of ours.'),
  passive: z.boolean().describe('We wait for it to connect.'),
  unoffered: z
    .array(familyName)
    .describe('Families that are wanted and not offered, because routes would have no next hop on this session.'),
  options: z
    .array(z.string())
    .describe(
      'What is configured about what it is told and what is taken from it, beside policies: `local-as 65009`, `as-override`.',
    ),
  interface: z.string().describe('Empty when the neighbor is some hops away, or nowhere yet.'),
  address: z.string().nullable(),
  localAddress: z.string().nullable(),
  as: count.nullable(),
  acceptRemoteAs: z.array(z.string()).describe('As configured: `external`, `internal`, `65001`, `65001-65010`.'),
  routerId: z.string().nullable(),
  hostname: z.string().nullable().describe('FQDN capability of the peer.'),
  state: z.enum(['idle', 'connect', 'active', 'open-sent', 'open-confirm', 'established']),
  reason: z.string().nullable().describe('Why it is not established, in words; null when it is.'),
  why: z
    .string()
    .nullable()
    .describe(
      'Why it is not established, or carries no routes: the likeliest cause in one sentence; null when all is well.',
    ),
  next: z.string().nullable().describe('What to do about that; null when there is nothing to say.'),
  colour,
  uptimeMs: milliseconds.nullable().describe('Since established; null when it is not.'),
  prefixes: z.object({ received: count, accepted: count, advertised: count }),
  hidden: reasonCounts
    .nullable()
    .describe(
      'Paths received and not used, by reason, most frequent first. Null where they are not counted: in the list of all neighbours, unless nothing at all is used or told.',
    ),
  withheld: reasonCounts.nullable().describe('Routes not told, in the same way.'),
  stale: z
    .object({ paths: count, longLived: z.boolean(), forMs: milliseconds.nullable() })
    .nullable()
    .describe(
      'Paths kept from before a restart or a refresh, and not heard again yet; until when, where that is known (RFC 4724, 9494).',
    ),
  settling: z
    .object({ waitsFor: z.enum(['end-of-rib', 'gateway', 'hold-down']), forMs: milliseconds.nullable() })
    .nullable()
    .describe(
      'It was away, and its paths are the last choice until it has shown this; how long at most, where that is known.',
    ),
  tablePending: z.array(familyName).describe('Families whose first table is not through (End-of-RIB).'),
  malformed: count.describe(
    'UPDATEs with a fault whose routes count as withdrawn, or without the faulty attribute (RFC 7606).',
  ),
  policies: z
    .object({ import: z.array(z.string()), export: z.array(z.string()), missing: z.array(z.string()) })
    .describe(
      'Policies by name, in order; `missing` says why no routes flow (RFC 8212), in words, and is empty when they do.',
    ),
  security: z
    .object({
      gtsm: z.enum(['auto', 'require', 'off']),
      hopLimit: count.nullable(),
      md5: z.boolean(),
      tcpAo: z
        .object({ sendId: count, receiveId: count, algorithm: z.string() })
        .nullable()
        .describe('Its key, when segments are authenticated by TCP-AO.'),
    })
    .describe('GTSM as configured; the hop limit that the neighbour was seen to send; whether segments are signed.'),
  prefixLimits: z
    .array(
      z.object({
        family: familyName,
        limit: count,
        received: count,
        action: z.enum(['warn', 'restart', 'shutdown']),
        exceeded: z.boolean(),
      }),
    )
    .describe('Families with a limit; `received` counts towards it.'),
  addPath: z
    .array(
      z.object({
        family: familyName,
        receive: z.enum(['off', 'offered', 'agreed']),
        send: z.enum(['off', 'offered', 'agreed']),
        paths: z.string().nullable().describe('`all`, `multipath`, `best 2`; null when no identifiers are sent.'),
      }),
    )
    .describe(
      'Families with path identifiers (RFC 7911), which each end offers for each direction by itself; `paths` are those sent.',
    ),
  hold: z
    .object({
      kind: z.enum(['shutdown', 'prefix-limit']),
      reason: z.string(),
      retryInMs: milliseconds
        .nullable()
        .describe('Until it starts again by itself; null when it waits for an operator.'),
    })
    .nullable()
    .describe('Why it is kept without a session: shut down by an operator, or beyond a prefix limit.'),
  holdTime: count.nullable().describe('Seconds as negotiated; null when there is no session.'),
  keepaliveTime: z.number().nonnegative().nullable().describe('A third of the hold time, which need not be whole.'),
  families: z.array(familyName),
  capabilities: z
    .array(z.object({ name: z.string(), local: z.boolean(), remote: z.boolean() }))
    .describe('By name (`multiprotocol ipv6-unicast`, `link-local-next-hop`, ...), and who announced each.'),
  attempts: count.describe('Connections tried and accepted.'),
  establishedCount: count.describe('Sessions that came of them.'),
  lastDown: z
    .object({
      kind: z.string(),
      code: count.nullable(),
      subcode: count.nullable(),
      message: z.string(),
      agoMs: milliseconds,
    })
    .nullable(),
  lastFailure: z
    .object({ kind: z.string(), code: count.nullable(), subcode: count.nullable(), message: z.string() })
    .nullable()
    .describe('What the attempts since then ran into; `lastDown` says it too.'),
  retryInMs: milliseconds.nullable().describe('Until the next attempt to connect; null when none is due.'),
  messages: z.object({ sent: messageCounters, received: messageCounters }),
  bfd: bfdSchema.nullable().describe('Null where it is not configured.'),
});
export type Neighbor = z.infer<typeof neighborSchema>;

/** `show bfd`: one per neighbour that has it. */
export const bfdEntrySchema = z.object({
  interface: neighborSchema.shape.interface,
  address: neighborSchema.shape.address,
  ...bfdSchema.shape,
});
export type BfdEntry = z.infer<typeof bfdEntrySchema>;

export function* bfdEntries(neighbors: Iterable<Neighbor>): Generator<BfdEntry> {
  for (const { interface: link, address, bfd } of neighbors) if (bfd) yield { interface: link, address, ...bfd };
}

const fibState = z.enum(['installed', 'pending', 'failed', 'none']);

export const pathSchema = z.object({
  interface: z.string().nullable().describe('Interface it came over; null for a path of our own.'),
  neighbor: z.string().nullable().describe("Neighbour's address; null for a path of our own."),
  pathId: count.nullable().describe('RFC 7911 identifier that it came with; null on a session without.'),
  status: z
    .enum(['preferred', 'fallback', 'unused', 'ineligible'])
    .describe(
      '`preferred`: in the primary set; `fallback`: in the set behind it; `unused`: eligible, in neither set; `ineligible`: kept, not considered (looped, unresolvable next hop, hidden by session colour).',
    ),
  step: z
    .string()
    .nullable()
    .describe('The decision step at which this path left (or, for a preferred one, that decided); null when none did.'),
  reason: z.string().describe('The same in words: `no AIGP counts as infinite`, `own AS in AS_PATH`.'),
  nextHops: z.array(z.string()),
  resolved: z
    .object({
      nextHop: z.string().describe('As received.'),
      onLink: z.boolean(),
      cost: count.describe('Metric of the route that leads there; 0 on a link.'),
      via: z.array(z.object({ interface: z.string(), gateway: z.string() })),
    })
    .optional()
    .describe(
      `Of a next hop that is not simply on the neighbour's link: how the host reaches it. Absent when it does not, as \`reason\` says.`,
    ),
  asPath: z.string().describe('As in `65001 {65010 65011} 65102`; empty for a path of our own.'),
  origin: z.enum(['igp', 'egp', 'incomplete']),
  localPref: count.nullable(),
  med: count.nullable(),
  aigp: z.string().nullable(),
  colours: z.array(count),
  nextNextHops: z
    .array(z.string())
    .optional()
    .describe('Router ids behind the next hop (NNHN), when the neighbour told them of itself.'),
  communities: z
    .array(z.string())
    .describe('Communities, extended communities and large communities as text, colours included.'),
  ageMs: milliseconds,
  stale: z.boolean().describe("Kept from before the neighbour's restart or refresh, and not heard again yet."),
});
export type Path = z.infer<typeof pathSchema>;

const routeHead = {
  prefix: z.string(),
  family: familyName,
  colour,
  origin: count
    .nullable()
    .describe('AS that originated it (rightmost); our own for a local route; null when nothing is eligible.'),
  decidedBy: z.string().nullable().describe('Name of the step that decided; null when there was nothing to decide.'),
  fib: fibState,
};

/** One line of `show routes`. */
export const routeSummarySchema = z.object({
  ...routeHead,
  preferred: z.array(z.string()).describe('Interfaces of the primary set; empty for a local route.'),
  fallback: z.array(z.string()),
  asPath: z.string().describe('AS_PATH and AIGP of the best path.'),
  aigp: z.string().nullable(),
  paths: count,
  local: z.boolean().describe('Originated here.'),
});
export type RouteSummary = z.infer<typeof routeSummarySchema>;

export const routeSchema = z.object({
  ...routeHead,
  fibError: z.string().nullable().describe('What the kernel said about a failed one.'),
  paths: z
    .array(pathSchema)
    .describe('Preferred first, then by how far each came in the decision (longest first), ineligible last.'),
});
export type Route = z.infer<typeof routeSchema>;

const fibNextHop = z.object({
  interface: z.string(),
  gateway: z.string(),
  weight: count.optional().describe("Share of the set's traffic; absent when all shares are equal."),
});

export const fibEntrySchema = z.object({
  prefix: z.string(),
  family: familyName,
  colour,
  state: z.enum(['installed', 'pending', 'failed']),
  error: z.string().nullable(),
  primary: z.array(fibNextHop).describe('Metric 20.'),
  primaryGroup: count.nullable(),
  fallback: z.array(fibNextHop).describe('Metric 30.'),
  fallbackGroup: count.nullable(),
});
export type FibEntry = z.infer<typeof fibEntrySchema>;

export const fibDifferenceSchema = z.object({
  object: z.enum(['route', 'group', 'next-hop']),
  prefix: z.string().nullable().describe('Of a route; null for others.'),
  metric: count.nullable(),
  id: count.nullable().describe('Of a group or next hop that is in the kernel or was; null for others.'),
  wanted: z.array(fibNextHop).nullable().describe('Where it is to lead; null when it is not to be there.'),
  kernel: z.array(fibNextHop).nullable().describe('Where it leads; null when nothing of ours is there.'),
  foreign: z
    .object({ protocol: count, interfaces: z.array(z.string()) })
    .nullable()
    .describe('What another program has there; null when nothing.'),
  cause: z
    .enum([
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
    ])
    .describe(
      '`missing`, `other` (next hops, members or weights), `leftover` of ours; `refused` by the kernel; `foreign-in-the-way` of ours, `foreign-beside` ours, `foreign-number` (under our protocol number), `foreign-id` (of our range); on its way: `waiting`, `link-down`, `kept` (from before a restart).',
    ),
  inFlight: z.boolean().describe('Nothing is wrong: it is being written, or waits for something that comes by itself.'),
  why: z.string().describe('The cause in words, with what the kernel said.'),
  advice: z.string().nullable().describe('What to do; null when that is nothing.'),
});
export type FibDifference = z.infer<typeof fibDifferenceSchema>;

/** What is wanted against what the kernel has now. */
export const fibComparisonSchema = z.object({
  same: z
    .object({ routes: count, groups: count, nextHops: count })
    .describe('How many are in the kernel as they are wanted.'),
  differences: z.array(fibDifferenceSchema),
});
export type FibComparison = z.infer<typeof fibComparisonSchema>;

/** Sent while it is walked. */
export interface FibComparisonStream {
  readonly same: FibComparison['same'];
  readonly differences: Iterable<FibDifference>;
}

const fabricCell = z.object({
  state: z.enum(['preferred', 'fallback', 'unused', 'absent']).describe('`absent`: no path over this uplink.'),
  colour: colour.describe('Colour that the path over this uplink carries; null when there is none or it carries none.'),
  aigp: z.string().nullable(),
});

const fabricUplink = z.object({ interface: z.string(), colour, up: z.boolean(), reason: z.string().nullable() });

const fabricRow = z.object({
  prefix: z.string(),
  colour,
  origin: count.nullable(),
  cells: z.array(fabricCell).describe('One per uplink, in the order of `uplinks`.'),
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
  index: count.nullable().describe('Null while no such interface exists.'),
  adminUp: z.boolean(),
  carrier: z.boolean(),
  usable: z.boolean().describe('Ready for discovery (fabric) or for hosts.'),
  reason: z.string().nullable().describe('Which condition is missing, in words; null when usable.'),
  mac: z.string().nullable(),
  mtu: count.nullable(),
  linkLocal: z.string().nullable(),
  addresses: z.array(z.string()).describe('Gateways that were assigned here, with their prefix length.'),
  neighbors: z.array(z.string()).describe('Addresses of the routers heard on a fabric interface.'),
});
export type Interface = z.infer<typeof interfaceSchema>;

const percent = z.number().nonnegative();

/** The eBPF plane: its ports with what went out by them, and what was left to the kernel. */
const ebpfPlaneSchema = z.object({
  mode: z.enum(['flowlet', 'assigned-flow', 'per-packet']),
  failure: z.string().nullable().describe('Why the kernel forwards in its place; null while the plane does.'),
  full: z
    .string()
    .nullable()
    .describe('What its tables have no room for, and the kernel forwards, in words; null while there is room.'),
  prefixes: count,
  attachments: z.array(z.object({ interface: z.string(), how: z.enum(['native', 'generic', 'tc', 'clsact']) })),
  ports: z.array(
    z.object({
      interface: z.string(),
      gateway: z.string(),
      state: z.enum(['up', 'unresolved', 'down']),
      packets: count,
      octets: count,
      moves: count.describe(
        'Flowsets that moved to it, and those moves after a pause so short that packets may have been reordered.',
      ),
      reorderRisks: count,
    }),
  ),
  leftToKernel: z
    .array(z.object({ reason: z.string(), packets: count }))
    .describe('Reasons with a packet, in the order in which the program looks for them.'),
});
export type EbpfPlane = z.infer<typeof ebpfPlaneSchema>;

/** Links as load balancing rates them, and the groups of several next hops that forward now. */
export const loadBalancingSchema = z.object({
  mode: z.enum(['off', 'flowlet', 'assigned-flow', 'adaptive']),
  plainGroups: z
    .string()
    .nullable()
    .describe('Why groups are plain ones, so that flows move when members come and go; null where they are resilient.'),
  links: z.array(
    z.object({
      interface: z.string(),
      quality: z.number().int().min(0).max(7).describe('7 is best, 0 worst.'),
      capacity: count.describe('Octets a second.'),
      rate: z.number().nonnegative(),
      backlog: z.number().nonnegative().describe('Octets that wait.'),
      load: percent.describe('Per cent of the capacity, and of the reference queue.'),
      queue: percent,
    }),
  ),
  groups: z.array(
    z.object({
      id: count.describe('Of the kernel.'),
      moves: count.describe('Times that shares were moved.'),
      members: z.array(
        z.object({
          interface: z.string(),
          due: count.describe('As the routes ask for it.'),
          share: count.describe('As it is now, in parts of all shares of the group.'),
          packetRate: z
            .number()
            .nonnegative()
            .nullable()
            .describe('Packets a second; null where the kernel does not count.'),
        }),
      ),
    }),
  ),
  plane: ebpfPlaneSchema.nullable().describe('Null where none is configured.'),
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

export const errorSchema = z.object({ error: z.string().describe('What is wrong, in words; a line for each reason.') });

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
