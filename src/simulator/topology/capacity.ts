/** What a fabric can carry: rates of hosts, and how many times the links from leaves upwards are oversubscribed by them. */
import type { Topology } from '../network/topology.js';

/** Of each host the rate of its link, bits per second. */
export function hostRates({ hosts, links }: Topology): Float64Array {
  const rates = new Float64Array(hosts);
  for (const { a, rate } of links) if (a < hosts) rates[a] = rate;
  return rates;
}

/** Capacity of hosts over that of the leaves' links upwards: 2 in a fabric of 2:1. 1 where leaves have no links upwards. */
export function oversubscription(topology: Topology): number {
  const { hosts, links, tiers } = topology;
  let below = 0;
  let above = 0;
  for (const { a, b, rate } of links) {
    if (a < hosts) below += rate;
    else if (tiers[a - hosts] === 0 || tiers[b - hosts] === 0) above += rate;
  }
  return above === 0 ? 1 : below / above;
}
