/** Packet sequence numbers as they are on the wire: 24 bits (InfiniBand specification volume 1, 9.2). Hosts count on beyond them. */

export const PSN_MASK = 0xff_ff_ff;
const ABOVE_PSN = 8;

/** A number as it was before it was cut to 24 bits: the one nearest to a number that is known, less than 2^23 away. */
export function wholePsn(psn: number, near: number): number {
  return near + (((psn - near) << ABOVE_PSN) >> ABOVE_PSN);
}
