/** Whoever kept its session has exactly what its neighbour told it in it: nothing lost, nothing that was withdrawn. */
import type { Testbed } from '../testbed.js';
import type { Violation } from '../violation.js';
import type { KnownPaths, PathsByPrefix } from './known-paths.js';

export function told(bed: Testbed, known: KnownPaths): Violation[] {
  return bed.running.flatMap(({ name, fabric }) => {
    const byPeer = prefixesByPeer(known.of(name));
    return fabric.flatMap(({ interface: port, peer, peerInterface }): Violation[] => {
      const session = bed.sessionOn(name, port);
      const theirs = bed.sessionOn(peer.name, peerInterface);
      if (!session || !theirs) return [];
      const said = bed.ledger.of(peer.name, theirs);
      const has = byPeer.get(port) ?? [];
      const isHeard = (prefix: string) => said?.misheard.get(prefix) !== 'no-route';
      const must = [...(said?.routes.keys() ?? [])].filter(isHeard);
      const taken = has.find((prefix) => said?.refused.has(prefix) && !isHidden(known.of(name), prefix, port));
      if (taken !== undefined)
        return [
          {
            invariant: 'told-is-known',
            place: `${peer.name} to ${name}`,
            detail: `${taken} has come back, and is taken`,
          },
        ];
      if (has.length === must.length && has.every((prefix) => said?.routes.has(prefix) && isHeard(prefix))) return [];
      const detail = `has ${[...has].sort().join(' ')}, was told ${must.sort().join(' ')}`;
      return [{ invariant: 'told-is-known', place: `${peer.name} to ${name}`, detail }];
    });
  });
}

/** What came over the interface is not eligible. */
function isHidden(known: PathsByPrefix, prefix: string, port: string): boolean {
  return known.get(prefix)!.every(({ interfaceName, status }) => interfaceName !== port || status === 'hidden');
}

/** Prefixes of all paths, by the interface that they came over. */
function prefixesByPeer(known: PathsByPrefix): ReadonlyMap<string, readonly string[]> {
  const byPeer = new Map<string, string[]>();
  for (const [prefix, paths] of known)
    for (const { interfaceName } of paths) {
      const prefixes = byPeer.get(interfaceName);
      if (prefixes) prefixes.push(prefix);
      else byPeer.set(interfaceName, [prefix]);
    }
  return byPeer;
}
