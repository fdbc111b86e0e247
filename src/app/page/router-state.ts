/** A daemon's own answers as the page shows them. Pure. */
import { MOST_DOWN, type PageLink, type PageNode, type RouterState } from '../../edge/control/page/shapes.js';
import type { Interface, Neighbor, Summary } from '../../edge/control/schema.js';

export interface Answers {
  readonly summary: Summary;
  readonly neighbors: readonly Neighbor[];
  readonly interfaces: readonly Interface[];
}

/** `since`: ISO 8601, of when it began to answer. */
export function routerState({ summary, neighbors }: Answers, since: string): RouterState {
  const down = neighbors.filter(({ state }) => state !== 'established');
  const { installed, pending, failed } = summary.fib;
  return {
    name: summary.name,
    answers: true,
    since,
    problem: null,
    startedAt: since,
    sessions: { up: neighbors.length - down.length, total: neighbors.length },
    down: down.slice(0, MOST_DOWN).map(({ name, interface: port, state, why, reason, next }) => {
      return { session: name, interface: port, state, why: why ?? reason ?? 'no reason given', next };
    }),
    prefixes: { known: summary.routes, installed, pending, failed },
  };
}

/** Who is at the other end of an interface, as far as anybody has said. */
export type PeerNames = ReadonlyMap<string, { readonly name: string; readonly as: number | null }>;

export function peerNames(neighbors: readonly Neighbor[], before: PeerNames): PeerNames {
  const names = new Map(before);
  for (const { interface: port, configured, hostname, as, name } of neighbors) {
    const known = hostname ?? (configured ? name : undefined);
    if (port !== '' && known !== undefined) names.set(port, { name: known, as: as ?? before.get(port)?.as ?? null });
  }
  return names;
}

export interface Surroundings {
  readonly nodes: PageNode[];
  readonly links: PageLink[];
}

/** A router with what is at its interfaces; ends that nobody has named yet go by the interface that leads there. */
export function surroundings({ summary, interfaces }: Answers, peers: PeerNames): Surroundings {
  const { name: here, role, as } = summary;
  const nodes = new Map<string, PageNode>([[here, { name: here, role, as, asked: true, leaf: null }]]);
  const links = interfaces.map(({ name: port, kind, colour }) => {
    const peer = kind === 'fabric' ? peers.get(port) : undefined;
    const there = peer && peer.name !== here ? peer.name : port.replace(/^to-/, '');
    const far = kind === 'host' ? 'host' : role === 'leaf' ? 'spine' : 'leaf';
    const asked = { as: peer?.as ?? null, asked: false, leaf: far === 'host' ? here : null };
    if (!nodes.has(there)) nodes.set(there, { name: there, role: far, ...asked });
    const ends = [
      { node: here, interface: port },
      { node: there, interface: '' },
    ] as const;
    const [a, b] = role === 'spine' ? [ends[1], ends[0]] : ends;
    return { name: `${a.node}:${b.node}`, a, b, colour, rate: null };
  });
  return { nodes: [...nodes.values()], links: numbered(links) };
}

/** As `heddle lab` names several links of a pair: `leaf1:spine2/2`. */
function numbered(links: readonly PageLink[]): PageLink[] {
  return links.map((link, index) => {
    const pair = links.filter(({ name }) => name === link.name);
    if (pair.length === 1) return link;
    const number = links.slice(0, index + 1).filter(({ name }) => name === link.name).length;
    return { ...link, name: `${link.name}/${number}` };
  });
}
