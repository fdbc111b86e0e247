/**
 * IRN ("Revisiting Network Support for RDMA", SIGCOMM 2018): the receiver keeps what is out of order and complains of each such packet at once, the sender
 * sends again only what is missing, and never has more under way than the product of bandwidth and delay. Made for fabrics without PFC.
 */
import type { QueuePairs } from './queue-pairs.js';
import { SelectiveRepeat } from './selective-repeat.js';

export interface IrnParameters {
  /** The most octets of payload under way: bandwidth times delay. */
  readonly window: number;
  /** Picoseconds until the oldest packet is sent again, with `few` packets under way or less, and with more. */
  readonly lowTimeout: number;
  readonly highTimeout: number;
  readonly few: number;
}

/** As in the paper, for 40 Gb/s in a fat-tree of 54 servers. */
export const IRN_PAPER: IrnParameters = { window: 110_000, lowTimeout: 100e6, highTimeout: 320e6, few: 3 };

/** As the public ns-3 models have it, for 100 Gb/s. */
export const IRN_NS3: IrnParameters = { window: 100_000, lowTimeout: 454e6, highTimeout: 1350e6, few: 3 };

export class Irn extends SelectiveRepeat {
  /** @param payload the most octets of a packet */
  constructor(queuePairs: QueuePairs, payload: number, { window, ...timeouts }: IrnParameters = IRN_NS3) {
    const packets = Math.max(1, Math.floor(window / payload));
    super(queuePairs, { sendWindow: packets, reorderWindow: packets, complainsAtOnce: true, ...timeouts });
  }
}
