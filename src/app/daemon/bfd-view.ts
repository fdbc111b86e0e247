/** BFD beside a session, as `show bfd` and `show neighbors` tell of it. */
import type { BfdStatus } from '../../core/ports/bfd.js';
import type { Clock } from '../../core/ports/clock.js';
import type { NeighbourBfd } from '../../core/speaker/neighbour-bfd.js';
import type { Bfd } from '../../edge/control/schema.js';

export function bfdView(bfd: NeighbourBfd, clock: Clock): Bfd {
  const { status, config } = bfd;
  return {
    state: status?.state ?? null,
    remoteState: status?.remoteState ?? null,
    reason: bfd.problem ?? (status ? reasonOf(status) : null),
    sinceMs: clock.now() - bfd.changedAt,
    intervalMs: config.interval,
    multiplier: config.multiplier,
    strict: config.strict,
    transmitIntervalMs: status?.transmitInterval ?? null,
    detectionTimeMs: status?.detectionTime || null,
    localDiscriminator: status?.localDiscriminator ?? null,
    remoteDiscriminator: status?.remoteDiscriminator || null,
    ups: status?.ups ?? 0,
    failures: status?.failures ?? 0,
    packets: status?.packets ?? { sent: 0, received: 0, discarded: 0 },
  };
}

/** The diagnostic of a session that is up is about the past. */
function reasonOf({ state, remoteState, diagnostic, packets, ups }: BfdStatus): string | null {
  if (state === 'Up') return null;
  if (remoteState === 'AdminDown') return 'the neighbour has taken it down (AdminDown)';
  if (ups === 0) return packets.received === 0 ? 'the neighbour sends no BFD packets' : 'it is coming up';
  return diagnostic;
}
