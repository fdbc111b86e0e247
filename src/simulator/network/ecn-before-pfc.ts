/**
 * Whether ECN marks before PFC pauses: DCQCN needs it (SIGCOMM 2015, section 4), for a sender that is only ever paused never learns of congestion. At
 * worst all packets that fill the queues of a switch came by one port, and the buffer is as full as all queues below the mark can make it:
 * the pause threshold, alpha times what is left of the shared part, must still be above what that port has in n such queues.
 *
 *   alpha (shared - classes n t) > n t   so   t < alpha shared / (n (1 + alpha classes))
 *
 * With eight classes and alpha = beta / 8 that is the paper's t < beta (B - 8 n headroom) / (8 n (beta + 1)).
 */
import type { BufferProfile, MarkingProfile } from './shared-buffer.js';
import type { Topology } from './topology.js';

export interface PauseThreshold {
  /** Octets of the shared part of a switch. */
  readonly shared: number;
  /** Of what is left of it, how much a queue may have before its neighbour is paused. */
  readonly alpha: number;
  readonly ports: number;
  /** Lossless classes. */
  readonly classes: number;
}

/** Queues must be marked before they have so many octets. */
export function markingBound({ shared, alpha, ports, classes }: PauseThreshold): number {
  return (alpha * shared) / (ports * (1 + alpha * classes));
}

/** Why PFC may pause before ECN marks, at the first switch where it may; undefined: it may not. */
export function pausesBeforeMarks(
  topology: Topology,
  buffer: BufferProfile,
  settings: { readonly marking: MarkingProfile; headroom(port: number): number },
): string | undefined {
  if (!buffer.pfc) return undefined;
  const { hosts, switches, links, names } = topology;
  for (let node = hosts; node < hosts + switches; node++) {
    const ports = links.flatMap(({ a, b }, link) => [
      ...(a === node ? [link * 2] : []),
      ...(b === node ? [link * 2 + 1] : []),
    ]);
    const set = ports.length * buffer.reservedClasses * buffer.guaranteed;
    const headroom = ports.reduce((sum, port) => sum + settings.headroom(port), 0);
    const shared = buffer.size - set - headroom;
    if (shared <= 0) {
      return `${names[node]}: headroom and guarantees of ${ports.length} ports take ${set + headroom} octets, the buffer has ${buffer.size}`;
    }
    const bound = markingBound({ shared, alpha: buffer.ingressAlpha, ports: ports.length, classes: 1 });
    if (settings.marking.minimum < bound) continue;
    return `${names[node]}: PFC may pause before ECN marks: marking from ${settings.marking.minimum} octets on, it must be below ${Math.floor(bound)} (${ports.length} ports, alpha ${buffer.ingressAlpha}, ${shared} shared octets)`;
  }
  return undefined;
}
