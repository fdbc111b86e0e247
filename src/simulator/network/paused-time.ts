/** For how long which tier of a fabric was paused by which: how far congestion has spread. */
import type { FabricSimulation } from './fabric-simulation.js';
import { LOSSLESS_CLASS } from './traffic-classes.js';

export interface PausedTime {
  /** Who was paused, and by whom: `host`, `leaf`, `spine`, `superspine`. */
  readonly from: string;
  readonly to: string;
  readonly ports: number;
  /** Of all these ports together, picoseconds. */
  readonly time: number;
  /** Of the time that has passed, of a port on average, 0 to 1. */
  readonly share: number;
  /** Of the port that was paused for longest. */
  readonly most: number;
}

const TIERS = ['leaf', 'spine', 'superspine'];

/** Hosts first, then upwards and downwards by tier. */
export function pausedTimes(simulation: FabricSimulation): PausedTime[] {
  const { topology, ports, pauses, events } = simulation;
  const tierOf = (node: number) => (node < topology.hosts ? -1 : topology.tiers[node - topology.hosts]!);
  const hops = new Map<string, { from: number; to: number; ports: number; time: number; most: number }>();
  for (let port = 0; port < ports.count; port++) {
    const from = tierOf(ports.node[port]!);
    const to = tierOf(ports.node[ports.peer[port]!]!);
    const key = `${from} ${to}`;
    const hop = hops.get(key) ?? { from, to, ports: 0, time: 0, most: 0 };
    const time = pauses.timeOf(port, LOSSLESS_CLASS);
    hop.ports++;
    hop.time += time;
    hop.most = Math.max(hop.most, time);
    hops.set(key, hop);
  }
  return [...hops.values()]
    .sort((one, other) => one.from - other.from || one.to - other.to)
    .map(({ from, to, ports: count, time, most }) => ({
      from: tierName(from),
      to: tierName(to),
      ports: count,
      time,
      share: events.now === 0 ? 0 : time / count / events.now,
      most: events.now === 0 ? 0 : most / events.now,
    }));
}

/** `leaf` for 0, `host` for -1. */
export function tierName(tier: number): string {
  return tier < 0 ? 'host' : (TIERS[tier] ?? `tier ${tier}`);
}
