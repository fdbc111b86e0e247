/** Packet sequence numbers: 24 bits that go round (InfiniBand Architecture 1.4, section 9.7.1). */

export const PSN_MODULUS = 2 ** 24;
const MASK = PSN_MODULUS - 1;
const HALF = PSN_MODULUS / 2;

export function addPsn(psn: number, count: number): number {
  return (psn + count) & MASK;
}

/** Packets from `from` on to `to`: negative when `to` lies in the half behind it. */
export function psnDistance(from: number, to: number): number {
  const ahead = (to - from) & MASK;
  return ahead < HALF ? ahead : ahead - PSN_MODULUS;
}
