/**
 * Which of two connections to one neighbour lives (RFC 4271 section 6.8, RFC 6286 section 2.3). An established one always does. Before
 * that nothing is decided against the connection that has not delivered an OPEN while it may still win: the other side may have
 * closed the "winner" already. The one exception is our own attempt that is not connected yet: the neighbour has no OPEN of ours on it.
 */
import type { Connection } from './machine.js';
import type { Negotiated, PeerConfig } from './types.js';

export type Slot = 'outgoing' | 'incoming';

export interface Slots {
  readonly outgoing: Connection | undefined;
  readonly incoming: Connection | undefined;
}

/** The slot to close now; `undefined` when both may go on. */
export function losingSlot({ outgoing, incoming }: Slots): Slot | undefined {
  if (!outgoing || !incoming) return undefined;
  if (outgoing.state === 'established') return 'incoming';
  if (incoming.state === 'established') return 'outgoing';
  if (incoming.state !== 'open-confirm') return undefined;
  if (outgoing.state === 'connect') return 'outgoing';
  if (outgoing.state !== 'open-confirm') return undefined;
  return preferredSlot(incoming.config, incoming.negotiated!) === 'incoming' ? 'outgoing' : 'incoming';
}

/** The slot whose OPEN can be answered now; the other case is a rival that would win once it delivers its OPEN. */
export function confirmableSlot(slots: Slots): Slot | undefined {
  if (confirmable('outgoing', slots.outgoing, slots.incoming)) return 'outgoing';
  return confirmable('incoming', slots.incoming, slots.outgoing) ? 'incoming' : undefined;
}

function confirmable(slot: Slot, connection: Connection | undefined, rival: Connection | undefined): boolean {
  if (connection?.state !== 'open-confirm' || connection.confirmed) return false;
  return rival === undefined || preferredSlot(connection.config, connection.negotiated!) === slot;
}

/** The connection opened by the router with the higher identifier, or AS where identifiers are equal. */
function preferredSlot(config: PeerConfig, negotiated: Negotiated): Slot {
  const difference = config.identifier - negotiated.remoteIdentifier || config.localAs - negotiated.remoteAs;
  return difference > 0 ? 'outgoing' : 'incoming';
}
