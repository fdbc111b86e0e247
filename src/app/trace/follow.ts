/**
 * The way of one subflow through a lab, by what the kernel of each node decides for exactly its packets: from the source's
 * namespace over the link that the decision names into the next, until a kernel says that the packet is its own.
 */
import { tryRun } from '../lab/command.js';
import { type Lab, namespaceOf } from '../lab/lab.js';
import type { Endpoint, PlannedLink } from '../lab/plan.js';
import { decisionCommand, entriesCommand, type FlowTuple, type Lookup, type RouteFound, readLookup } from './lookup.js';

export interface TraceHop {
  readonly node: string;
  /** Interface that the packet came in by; null at the source. */
  readonly ingress: string | null;
  readonly egress: string;
  readonly route: RouteFound;
  /** Node at the other end. */
  readonly peer: string;
  readonly peerInterface: string;
}

export interface Followed {
  readonly hops: readonly TraceHop[];
  /** Why the way ends before the destination; null when it gets there. */
  readonly problem: string | null;
}

/** More than any way through a fabric of two tiers, and the hosts at its ends. */
const MOST_HOPS = 16;

export async function follow(
  lab: Lab,
  flow: FlowTuple,
  ends: { readonly from: string; readonly to: string },
): Promise<Followed> {
  const hops: TraceHop[] = [];
  let node = ends.from;
  let ingress: string | undefined;
  while (hops.length < MOST_HOPS) {
    const lookup = await lookUp(lab, { node, ingress }, flow);
    if (lookup.kind === 'local')
      return { hops, problem: node === ends.to ? null : `${node} takes the packet for its own` };
    if (lookup.kind === 'dropped') return { hops, problem: `${node} drops the packet: ${lookup.reason}` };
    const far = otherEnd(lab.plan.links, { node, interface: lookup.interface });
    if (!far)
      return { hops, problem: `${node} sends the packet out of ${lookup.interface}, which is no link of the lab` };
    hops.push({
      node,
      ingress: ingress ?? null,
      egress: lookup.interface,
      route: lookup.route,
      peer: far.node,
      peerInterface: far.interface,
    });
    node = far.node;
    ingress = far.interface;
  }
  return { hops, problem: `the packet goes round: ${hops.map((hop) => hop.node).join(' -> ')}` };
}

interface Place {
  readonly node: string;
  readonly ingress: string | undefined;
}

async function lookUp(lab: Lab, { node, ingress }: Place, flow: FlowTuple): Promise<Lookup> {
  const ask = (command: readonly string[]) => tryRun('ip', ['-n', namespaceOf(lab, node), ...command]);
  const [decision, entries] = await Promise.all([ask(decisionCommand(flow, ingress)), ask(entriesCommand(flow))]);
  return readLookup(decision, entries);
}

function otherEnd(links: readonly PlannedLink[], near: Endpoint): Endpoint | undefined {
  const same = (end: Endpoint) => end.node === near.node && end.interface === near.interface;
  for (const { a, b } of links) {
    if (same(a)) return b;
    if (same(b)) return a;
  }
  return undefined;
}
