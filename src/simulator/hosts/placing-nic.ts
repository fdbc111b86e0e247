/**
 * A NIC that places what comes out of order (the ConnectX-6 Dx and later, Ultra Ethernet): RDMA WRITEs without immediate data say of each packet where it
 * goes, so that it is put there at once, and only completions wait for order. What comes too far ahead is dropped, and then counts as loss.
 * How far is not published: the window is ours, and a parameter.
 */
import type { QueuePairs } from './queue-pairs.js';
import { SelectiveRepeat } from './selective-repeat.js';

export interface PlacingNicParameters {
  /** Packets that may have come beyond the first that is missing. */
  readonly reorderWindow: number;
  /** Picoseconds without an acknowledgement after which the oldest packet is sent again. */
  readonly timeout: number;
}

export const PLACING_NIC: PlacingNicParameters = { reorderWindow: 1024, timeout: 4e9 };

export class PlacingNic extends SelectiveRepeat {
  constructor(queuePairs: QueuePairs, { reorderWindow, timeout }: PlacingNicParameters = PLACING_NIC) {
    super(queuePairs, {
      reorderWindow,
      sendWindow: Number.POSITIVE_INFINITY,
      complainsAtOnce: false,
      lowTimeout: timeout,
      highTimeout: timeout,
      few: 0,
    });
  }
}
