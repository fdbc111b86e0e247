/**
 * What is heddle's own in the kernel: everything carries this protocol number, and object ids come from two ranges. An id
 * is used once: an object that died and is made again gets a new one, so that a late answer or event about the old
 * object cannot be taken for news of the new.
 */
import type { NextHopId } from '../ports/kernel-tables.js';

/** `rtm_protocol` and `nh_protocol`: BGP's port, a number that no other routing daemon uses (FRR's BGP has 186, BIRD 12). */
export const ROUTE_PROTOCOL = 179;

export const NEXT_HOP_IDS = 0x4800_0000;
export const GROUP_IDS = 0x4880_0000;
const IDS_PER_RANGE = 0x0080_0000;

export function isOwnId(id: NextHopId): boolean {
  return id >= NEXT_HOP_IDS && id < GROUP_IDS + IDS_PER_RANGE;
}

/** Hands out the ids of one range in turn, leaving out those in use. */
export class IdRange {
  private last = 0;

  constructor(
    private readonly base: NextHopId,
    private readonly inUse: (id: NextHopId) => boolean,
  ) {}

  /** An id found in the kernel: those handed out from now on are later ones. */
  found(id: NextHopId): void {
    this.last = Math.max(this.last, id - this.base);
  }

  next(): NextHopId {
    do this.last = (this.last + 1) % IDS_PER_RANGE;
    while (this.inUse(this.base + this.last));
    return this.base + this.last;
  }
}
