/** Whoever kept its session has exactly what its neighbour told it in it: nothing lost, nothing that was withdrawn. */
import type { Testbed } from '../testbed.js';
import { nlriText } from '../update-contents.js';
import type { Violation } from '../violation.js';

export function told(bed: Testbed): Violation[] {
  return bed.running.flatMap(({ name, fabric }) => {
    const known = pathsByPeer(bed, name);
    return fabric.flatMap(({ interface: port, peer }): Violation[] => {
      const session = established(bed, name, port);
      const theirs = established(bed, peer.name, `to-${name}`);
      if (!session || !theirs) return [];
      const said = bed.ledger.of(peer.name, theirs);
      const has = [...(known.get(port) ?? [])].sort().join(' ');
      const must = [...(said?.routes.keys() ?? [])].sort().join(' ');
      if (has === must) return [];
      return [{ invariant: 'told-is-known', place: `${peer.name} to ${name}`, detail: `has ${has}, was told ${must}` }];
    });
  });
}

function established(bed: Testbed, router: string, name: string) {
  const link = bed.node(router).speaker?.fabricLinks.find(({ config }) => config.name === name);
  return link?.sessions().find((session) => session.summary().state === 'established');
}

/** Prefixes of all paths, by the interface that they came over. */
function pathsByPeer(bed: Testbed, router: string): ReadonlyMap<string, readonly string[]> {
  const rib = bed.node(router).speaker?.engine.rib;
  const known = new Map<string, string[]>();
  for (const id of rib?.prefixIds() ?? []) {
    const { prefix, paths } = rib!.explain(id);
    const text = nlriText(prefix.address, prefix.length);
    for (const { local, interfaceName } of paths)
      if (!local) known.set(interfaceName, [...(known.get(interfaceName) ?? []), text]);
  }
  return known;
}
