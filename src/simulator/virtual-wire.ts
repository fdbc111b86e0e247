/**
 * A cable between two interfaces: carries packets and stream segments with a delay while both ends are up, and tells both
 * ends when carrier comes and goes.
 */
import type { Clock } from '../core/ports/clock.js';
import type { VirtualInterface } from './virtual-interface.js';

export class VirtualWire {
  private readonly ends: VirtualInterface[] = [];
  /** A cable that is plugged but eats everything: no carrier loss, nothing arrives. */
  silent = false;

  constructor(
    private readonly clock: Clock,
    /** One-way delay in milliseconds. */
    readonly delay: number,
  ) {}

  attach(end: VirtualInterface): void {
    this.ends.push(end);
    end.plug(this);
    this.update();
  }

  /** The interface at the other end. */
  across(end: VirtualInterface): VirtualInterface | undefined {
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
