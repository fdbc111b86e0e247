/** What a topology does not do, although nothing in it is wrong: said before it is built. */
import { type LabPlan, planLab, prefixText } from './plan.js';
import type { Topology } from './topology.js';

/** One line each. */
export function topologyWarnings(topology: Topology): readonly string[] {
  return topology.linksPerPair > 1 && topology.dpfMode === 'policy' ? [parallelLinks(planLab(topology))] : [];
}

/**
 * A spine passes its best path on over every link to a leaf with the same AIGP, so that the leaf's links to that spine tie: the
 * prefixes of the colours of these links take all of them.
 */
function parallelLinks({ topology, routers, hosts }: LabPlan): string {
  const ports = routers.find(({ role }) => role === 'leaf')?.fabric ?? [];
  const ties = topology.spines.map(({ name }) => {
    const links = ports.filter(({ peer }) => peer.name === name);
    const prefixes = (hosts[0]?.prefixes ?? []).filter(({ colour }) => links.some((link) => link.colour === colour));
    return `${prefixes.map(prefixText).join(' and ')} tie on ${links.map((link) => link.interface).join(' and ')}`;
  });
  const example = hosts[0] ? `; behind ${hosts[0].leaf}, ${ties.join('; ')}` : '';
  return (
    `links-per-pair ${topology.linksPerPair} in policy mode: a spine sends the same AIGP over all its links to a leaf, so prefixes ` +
    `have their own spine and no link of their own (dpf-mode: session gives them one)${example}`
  );
}
