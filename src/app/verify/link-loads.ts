/**
 * What the links of a fabric carry for a traffic matrix: every flow is followed from its leaf over the preferred links, in equal parts where
 * there are several, to the leaf of its destination.
 */
import type { Colour } from '../../core/speaker/config.js';
import { prefixText } from '../lab/plan.js';
import type { ModelLink, ModelPrefix, ModelRoute, Prediction } from './model.js';
import { pathsOfUse } from './model.js';

export interface Flow {
  /** Hosts. */
  readonly from: string;
  readonly to: string;
  readonly colour: Colour;
  /** In the unit that loads come out in. */
  readonly size: number;
}

export interface LinkLoad {
  /** A link's name. */
  readonly link: string;
  /** Nodes: the direction. */
  readonly from: string;
  readonly to: string;
  readonly load: number;
}

export interface CutOff {
  readonly flow: Flow;
  /** The node that drops it, and how much of it. */
  readonly at: string;
  readonly size: number;
}

export interface Loads {
  /** Two a link, in the order of the links. */
  readonly links: readonly LinkLoad[];
  readonly cutOff: readonly CutOff[];
}

/** Each host sends one unit to each other host on each colour. */
export function everyPair({ plan }: Prediction): Flow[] {
  const { hosts, topology } = plan;
  return hosts.flatMap(({ name: from }) =>
    hosts
      .filter(({ name }) => name !== from)
      .flatMap(({ name: to }) => topology.colours.map((colour) => ({ from, to, colour, size: 1 }))),
  );
}

export function linkLoads(prediction: Prediction, flows: readonly Flow[] = everyPair(prediction)): Loads {
  const carried = new Map<string, number>();
  const cutOff: CutOff[] = [];
  for (const flow of flows) {
    const { uses, dropped } = flowPath(prediction, flow);
    for (const { link, from, share } of uses) {
      const key = directionKey(link, from);
      carried.set(key, (carried.get(key) ?? 0) + share * flow.size);
    }
    for (const { at, share } of dropped) cutOff.push({ flow, at, size: share * flow.size });
  }
  const links = prediction.links.flatMap(({ name, a, b }) =>
    [
      [a.node, b.node],
      [b.node, a.node],
    ].map(([from = '', to = '']) => ({
      link: name,
      from,
      to,
      load: rounded(carried.get(directionKey(name, from)) ?? 0),
    })),
  );
  return { links, cutOff };
}

/** A part of a flow on a link. */
export interface LinkUse {
  readonly link: string;
  readonly from: string;
  readonly to: string;
  /** Of the flow, from 0 to 1. */
  readonly share: number;
}

export interface FlowPath {
  /** In the order of the way. */
  readonly uses: readonly LinkUse[];
  readonly dropped: readonly { readonly at: string; readonly share: number }[];
}

/** The way of one flow, split where links share it. */
export function flowPath(prediction: Prediction, { from, to, colour }: Omit<Flow, 'size'>): FlowPath {
  const prefix = destinationPrefix(prediction, to, colour);
  const first = hostLink(prediction, from);
  const last = hostLink(prediction, to);
  if (!first?.up) return { uses: [], dropped: [{ at: from, share: 1 }] };
  const way = new Way(prediction, prefix);
  const uses = [{ link: first.name, from, to: first.a.node, share: 1 }];
  const inside = way.from(first.a.node, 1);
  const arrived = 1 - inside.dropped.reduce((sum, { share }) => sum + share, 0);
  // To a host that is cut off nothing arrives at its leaf: nobody is told of its prefixes.
  const delivery = last?.up && arrived > 0 ? [{ link: last.name, from: last.a.node, to, share: rounded(arrived) }] : [];
  return { uses: [...uses, ...inside.uses, ...delivery], dropped: inside.dropped };
}

/** Of the host in that colour, or without colours the one that is its; IPv6 where it has one. */
export function destinationPrefix(prediction: Prediction, host: string, colour: Colour): ModelPrefix | undefined {
  const mine = prediction.prefixes.filter((prefix) => prefix.host === host);
  const coloured = mine.filter((prefix) => prefix.colour === colour);
  const own = coloured.length > 0 ? coloured : mine.filter((prefix) => isUncoloured(prediction, prefix, colour));
  return own.find(({ family }) => family === 'ipv6-unicast') ?? own[0];
}

/** In the plan's order, and told without a colour. */
function isUncoloured({ plan }: Prediction, prefix: ModelPrefix, colour: Colour): boolean {
  const planned = plan.hosts.find(({ name }) => name === prefix.host)?.prefixes ?? [];
  const numbered = planned.some((one) => one.colour === colour && prefixText(one) === prefix.text);
  return prefix.colour === undefined && numbered;
}

function hostLink({ links }: Prediction, host: string): ModelLink | undefined {
  return links.find(({ kind, b }) => kind === 'host' && b.node === host);
}

class Way {
  constructor(
    private readonly prediction: Prediction,
    private readonly prefix: ModelPrefix | undefined,
  ) {}

  from(router: string, share: number): FlowPath {
    const route = this.routeAt(router);
    if (route?.local) return { uses: [], dropped: [] };
    const preferred = route ? pathsOfUse(route, 'preferred') : [];
    if (preferred.length === 0) return { uses: [], dropped: [{ at: router, share }] };
    const part = share / preferred.length;
    const parts = preferred.map(({ link, peer }) => {
      const rest = this.from(peer, part);
      return { uses: [{ link, from: router, to: peer, share: part }, ...rest.uses], dropped: rest.dropped };
    });
    return { uses: parts.flatMap(({ uses }) => uses), dropped: parts.flatMap(({ dropped }) => dropped) };
  }

  private routeAt(router: string): ModelRoute | undefined {
    return this.prefix && this.prediction.routes.get(router)?.get(this.prefix.text);
  }
}

function directionKey(link: string, from: string): string {
  return `${link} ${from}`;
}

/** Sums of thirds come out whole. */
function rounded(load: number): number {
  return Math.round(load * 1e6) / 1e6;
}
