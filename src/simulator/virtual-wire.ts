/**
 * A cable between two ends: carries packets and stream segments with a delay while both are up, and tells both when carrier
 * comes and goes.
 */
import type { Clock } from '../core/ports/clock.js';

/** What a wire needs of what is plugged into it. */
export interface Pluggable {
  readonly adminUp: boolean;
  setCarrier(carrier: boolean): void;
}

export class VirtualWire<End extends Pluggable> {
  private readonly ends: End[] = [];
  /** A cable that is plugged but eats everything: no carrier loss, nothing arrives. */
  silent = false;

  constructor(
    private readonly clock: Clock,
    /** One-way delay in milliseconds. */
    readonly delay: number,
  ) {}

  attach(end: End): void {
    this.ends.push(end);
    this.update();
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

  /** Calls `arrive` after the delay if the wire carries both now and then. */
  carry(arrive: () => void): void {
    if (!this.up || this.silent) return;
    this.clock.schedule(this.clock.now() + this.delay, () => {
      if (this.up && !this.silent) arrive();
    });
  }
}
