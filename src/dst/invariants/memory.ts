/** When all is as it was at first, every table and everything that is open has the size that it had then. */
import type { Testbed } from '../testbed.js';
import type { Violation } from '../violation.js';

/**
 * Of what there may be so much more than at first, at a router, and less too: which timers run depends on the moment, and groups that came to be equal
 * when the fabric came up are joined later.
 */
const SLACK = { timers: 4, groups: 0 };

type Sizes = Readonly<Record<string, number>>;
export type Levels = ReadonlyMap<string, Sizes>;

export function levelsOf(bed: Testbed): Levels {
  return new Map(bed.running.map(({ name }) => [name, sizesOf(bed, name)]));
}

export function memory(bed: Testbed, before: Levels): Violation[] {
  return [...levelsOf(bed)].flatMap(([router, sizes]) =>
    Object.entries(sizes).flatMap(([what, size]): Violation[] => {
      const first = before.get(router)?.[what] ?? 0;
      const kept = what in SLACK ? size <= first + SLACK[what as keyof typeof SLACK] : size === first;
      return kept ? [] : [{ invariant: 'memory', place: router, detail: `${what}: ${first} at first, ${size} now` }];
    }),
  );
}

function sizesOf(bed: Testbed, router: string): Sizes {
  const { speaker, transport, links, clock } = bed.node(router);
  const { prefixes, paths, accepted, attributes } = speaker!.engine.rib.totals();
  const { fib } = speaker!;
  const interfaces = [...links.all()];
  return {
    prefixes,
    paths,
    accepted,
    attributes,
    'forwarding entries': fib.counters.prefixes,
    groups: fib.counters.groups,
    'next hops': fib.counters.nextHops,
    routes: fib.counters.routes,
    sessions: speaker!.sessions().length,
    streams: transport.openStreams,
    interfaces: interfaces.length,
    addresses: sum(interfaces.map(({ state }) => state.addresses.length)),
    'neighbour discovery sockets': sum(interfaces.map(({ receivers }) => receivers.size)),
    'BFD sockets': sum(interfaces.map(({ bfdReceivers }) => bfdReceivers.size)),
    timers: clock.waiting,
  };
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0);
}
