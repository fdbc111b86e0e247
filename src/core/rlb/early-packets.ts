/**
 * Packets of a queue pair that came before others which are still under way: kept for these, as NICs do that place out of order. The
 * InfiniBand Architecture knows none (a responder drops them, section 9.7.4), but a fabric that spreads one flow over several links needs
 * receivers that do. Pure.
 */
import { psnDistance } from '../wire/rocev2/psn.js';
import type { RocePacket } from '../wire/rocev2/roce-packet.js';

export class EarlyPackets {
  private readonly kept = new Map<number, RocePacket>();

  /** `reach`: how far ahead of the expected one a packet may be; what a packet beyond that has overtaken counts as lost. 0: none is kept. */
  constructor(private readonly reach: number) {}

  /** Whether it is kept, for it comes too early. */
  keeps(packet: RocePacket, expected: number): boolean {
    const ahead = psnDistance(expected, packet.psn);
    if (ahead <= 0 || ahead > this.reach) return false;
    this.kept.set(packet.psn, packet);
    return true;
  }

  /** The one with that PSN, no longer kept. */
  take(psn: number): RocePacket | undefined {
    const packet = this.kept.get(psn);
    this.kept.delete(psn);
    return packet;
  }
}
