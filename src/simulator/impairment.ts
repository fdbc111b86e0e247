/** What a bad cable does to what one end sends: it loses, doubles, delays, reorders and damages, and takes no more than its rate. */
import type { Random } from '../core/ports/random.js';

export interface ImpairmentRates {
  /** Shares from 0 to 1 of what is sent. */
  readonly loss?: number;
  readonly duplication?: number;
  /** Of packets that arrive up to `jitter` later, behind others. */
  readonly reordering?: number;
  /** Of packets with an octet that is not as it was sent. */
  readonly damage?: number;
  /** Milliseconds. */
  readonly jitter?: number;
  /** Octets a second. */
  readonly rate?: number;
}

export class Impairment {
  private busyUntil = 0;

  constructor(
    private readonly rates: ImpairmentRates,
    private readonly random: Random,
  ) {}

  /** Milliseconds from now at which the copies leave; none when it is lost. */
  departures(octets: number, now: number): readonly number[] {
    const { loss = 0, duplication = 0, rate } = this.rates;
    if (this.hits(loss)) return [];
    const start = Math.max(now, this.busyUntil);
    this.busyUntil = rate === undefined ? now : start + (octets / rate) * 1000;
    const once = this.busyUntil - now + this.jitter();
    return this.hits(duplication) ? [once, once + this.jitter()] : [once];
  }

  /** As it arrives. */
  damaged(octets: Uint8Array): Uint8Array {
    if (octets.length === 0 || !this.hits(this.rates.damage ?? 0)) return octets;
    const copy = octets.slice();
    copy[Math.floor(this.random.next() * copy.length)]! ^= 1 << Math.floor(this.random.next() * 8);
    return copy;
  }

  /** A stream never sees damage: its checksum makes loss of it. */
  damages(): boolean {
    return this.hits(this.rates.damage ?? 0);
  }

  private jitter(): number {
    const { reordering = 0, jitter = 0 } = this.rates;
    return this.hits(reordering) ? this.random.next() * jitter : 0;
  }

  private hits(share: number): boolean {
    return share > 0 && this.random.next() < share;
  }
}
