/** One forwarding decision of a kernel for one packet, as `ip -j route get` tells it, and the entry of its table behind it. Pure. */
import { ROUTE_PROTOCOL } from '../../core/fib/ownership.js';
import { FALLBACK_METRIC, PRIMARY_METRIC } from '../../core/fib/types.js';
import { parsePrefix } from '../../core/net/prefix.js';

export interface FlowTuple {
  readonly source: string;
  readonly destination: string;
  readonly sourcePort: number;
  readonly destinationPort: number;
}

export interface RouteFound {
  /** The entry's prefix. */
  readonly prefix: string;
  readonly metric: number;
  readonly protocol: string;
  /** Of heddle's own routes; null of others'. */
  readonly tier: 'preferred' | 'fallback' | null;
  /** Null on the link itself. */
  readonly nextHop: string | null;
  /** Next hops of the entry: which of them was taken, from 1, of how many. */
  readonly member: number;
  readonly members: number;
  /** Kernel's number of the next-hop object; null where the entry has none. */
  readonly nextHopId: number | null;
}

export type Lookup =
  | { readonly kind: 'forward'; readonly interface: string; readonly route: RouteFound }
  /** It is here. */
  | { readonly kind: 'local' }
  /** `no route`, `blackhole`, ...: what the kernel does with it. */
  | { readonly kind: 'dropped'; readonly reason: string };

interface HopJson {
  readonly dev: string;
  readonly gateway?: string;
  readonly flags?: readonly string[];
}

interface RouteJson extends Partial<HopJson> {
  readonly type?: string;
  readonly dst?: string;
  readonly via?: { readonly host?: string };
  readonly protocol?: string;
  readonly metric?: number;
  readonly nhid?: number;
  readonly nexthops?: readonly HopJson[];
}

/** What follows `ip -n NAMESPACE`; `ingress` of a packet that the node forwards. */
export function decisionCommand(flow: FlowTuple, ingress: string | undefined): string[] {
  return [
    ...['-j', '-6', 'route', 'get', flow.destination, 'from', flow.source],
    ...(ingress === undefined ? [] : ['iif', ingress]),
    ...['ipproto', 'udp', 'sport', String(flow.sourcePort), 'dport', String(flow.destinationPort)],
  ];
}

/**
 * Entries of the table for the destination. The decision names one itself, but not always its own: what the kernel caches at a
 * next-hop object is of the route that used it first.
 */
export function entriesCommand(flow: FlowTuple): string[] {
  return ['-j', '-6', 'route', 'show', 'to', 'match', flow.destination];
}

export interface CommandAnswer {
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Answers to decisionCommand and entriesCommand. */
export function readLookup(decision: CommandAnswer, entries: CommandAnswer): Lookup {
  const [found] = listOf(decision);
  if (!found) return { kind: 'dropped', reason: reasonOf(decision.stderr) };
  if (found.type === 'local') return { kind: 'local' };
  if (found.dev === undefined || (found.type !== undefined && found.type !== 'unicast'))
    return { kind: 'dropped', reason: found.type ?? 'no route' };
  return { kind: 'forward', interface: found.dev, route: routeFound(found, found.dev, listOf(entries)) };
}

function routeFound(found: RouteJson, dev: string, entries: readonly RouteJson[]): RouteFound {
  const nextHop = found.gateway ?? found.via?.host ?? null;
  const isTaken = (hop: HopJson) => hop.dev === dev && (hop.gateway ?? null) === nextHop;
  const entry = entries.filter((one) => hopsOf(one).some(isTaken)).toSorted(byPreference)[0] ?? found;
  const protocol = entry.protocol ?? 'unknown';
  const metric = entry.metric ?? 0;
  return {
    prefix: entry.dst ?? 'unknown',
    metric,
    protocol,
    tier: protocol === String(ROUTE_PROTOCOL) ? tierOf(metric) : null,
    nextHop,
    member: hopsOf(entry).findIndex(isTaken) + 1 || 1,
    members: Math.max(1, hopsOf(entry).length),
    nextHopId: entry.nhid ?? null,
  };
}

/** Those in use. */
function hopsOf(route: RouteJson): readonly HopJson[] {
  const hops = route.nexthops ?? (route.dev === undefined ? [] : [{ ...route, dev: route.dev }]);
  return hops.filter(({ flags = [] }) => !flags.includes('dead') && !flags.includes('linkdown'));
}

/** Longest prefix, then lowest metric. */
function byPreference(a: RouteJson, b: RouteJson): number {
  const length = ({ dst = 'default' }: RouteJson) => (dst === 'default' ? 0 : (parsePrefix(dst)?.length ?? 128));
  return length(b) - length(a) || (a.metric ?? 0) - (b.metric ?? 0);
}

function tierOf(metric: number): RouteFound['tier'] {
  if (metric === PRIMARY_METRIC) return 'preferred';
  return metric === FALLBACK_METRIC ? 'fallback' : null;
}

function listOf({ status, stdout }: CommandAnswer): readonly RouteJson[] {
  return status !== 0 || stdout.trim() === '' ? [] : JSON.parse(stdout);
}

/** `RTNETLINK answers: Network is unreachable` -> `no route (Network is unreachable)`. */
function reasonOf(stderr: string): string {
  const said = /RTNETLINK answers: (.*)/.exec(stderr)?.[1] ?? stderr.trim().split('\n')[0] ?? '';
  return said === '' ? 'no route' : `no route (${said})`;
}
