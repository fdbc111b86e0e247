/**
 * A cable between two ends: carries packets and stream segments with a delay while both are up, and tells both when carrier
 * comes and goes.
 */
import type { Clock } from '../core/ports/clock.js';
import type { Impairment } from './impairment.js';

/** What a wire needs of what is plugged into it. */
export interface Pluggable {
  readonly adminUp: boolean;
  setCarrier(carrier: boolean): void;
}

export class VirtualWire<End extends Pluggable> {
  private readonly ends: End[] = [];
  /** Ends whose packets the cable eats: no carrier is lost, nothing arrives. */
  private readonly eaten = new Set<End>();
  /** Of what each end sends. */
  private readonly impairments = new Map<End, Impairment>();

  constructor(
    private readonly clock: Clock,
    /** One-way delay in milliseconds. */
    readonly delay: number,
  ) {}

  attach(end: End): void {
    this.ends.push(end);
    this.update();
  }

  /** Both ends are without a cable from now on. */
  unplug(): void {
    for (const end of this.ends.splice(0)) end.setCarrier(false);
  }

  /** The other end. */
  across(end: End): End | undefined {
    return this.ends.find((other) => other !== end);
  }

  /** Both ends administratively up: both have carrier. */
  get up(): boolean {
    return this.ends.length === 2 && this.ends.every((end) => end.adminUp);
  }

  /** To be called when an end's administrative state changed. */
  update(): void {
    const { up } = this;
    for (const end of this.ends) end.setCarrier(up);
  }

  /** Everything is eaten, whoever sends it. */
  get silent(): boolean {
    return this.ends.every((end) => this.eaten.has(end));
  }

  set silent(silent: boolean) {
    for (const end of this.ends) this.silence(end, silent);
  }

  /** What this end sends is eaten, or no more. */
  silence(end: End, silent = true): void {
    if (silent) this.eaten.add(end);
    else this.eaten.delete(end);
  }

  /** What this end sends now arrives. */
  carriesFrom(end: End): boolean {
    return this.up && !this.eaten.has(end);
  }

  /** What this end sends has to do with that from now on. */
  impair(end: End, impairment: Impairment | undefined): void {
    if (impairment) this.impairments.set(end, impairment);
    else this.impairments.delete(end);
  }

  /** Calls `arrive` after the delay if the wire carries what `from` sends both now and then: at most once, and the octets as they are. */
  carry(from: End, arrive: () => void, octets = 0): void {
    const impairment = this.impairments.get(from);
    if (!impairment) return this.carryAfter(from, this.delay, arrive);
    const [departure] = impairment.damages() ? [] : impairment.departures(octets, this.clock.now());
    if (departure !== undefined) this.carryAfter(from, this.delay + departure, arrive);
  }

  /** The same for a packet, of which none or several may arrive, in any order and state. */
  carryPacket(from: End, packet: Uint8Array, arrive: (packet: Uint8Array) => void): void {
    const impairment = this.impairments.get(from);
    if (!impairment) return this.carryAfter(from, this.delay, () => arrive(packet));
    for (const departure of impairment.departures(packet.length, this.clock.now())) {
      const arriving = impairment.damaged(packet);
      this.carryAfter(from, this.delay + departure, () => arrive(arriving));
    }
  }

  private carryAfter(from: End, delay: number, arrive: () => void): void {
    if (!this.carriesFrom(from)) return;
    this.clock.schedule(this.clock.now() + delay, () => {
      if (this.carriesFrom(from)) arrive();
    });
  }
}
