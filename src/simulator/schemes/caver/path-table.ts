/** The routes that a leaf may give to new flows, the last few that ACKs have brought for each host, and which of them were given: CAVER's PathTable. */
import type { EventQueue } from '../../engine/event-queue.js';

const NONE = 0;

export class PathTable {
  private readonly routes: Int32Array;
  private readonly storedAt: Float64Array;
  private readonly used: Uint8Array;
  /** By leaf and host: the place that is written next; before it is the newest. */
  private readonly top: Uint8Array;
  private readonly events: EventQueue;
  private readonly places: number;
  private readonly validity: number;

  /**
   * @param size leaves times hosts
   * @param places routes that are kept for each
   * @param validity picoseconds
   */
  constructor(events: EventQueue, size: number, places: number, validity: number) {
    this.events = events;
    this.places = places;
    this.validity = validity;
    this.routes = new Int32Array(size * places);
    this.storedAt = new Float64Array(size * places).fill(Number.NEGATIVE_INFINITY);
    this.used = new Uint8Array(size * places);
    this.top = new Uint8Array(size);
  }

  /** Over the oldest. */
  push(at: number, route: number): void {
    const place = at * this.places + this.top[at]!;
    this.routes[place] = route;
    this.storedAt[place] = this.events.now;
    this.used[place] = 0;
    this.top[at] = (this.top[at]! + 1) % this.places;
  }

  /** The newest that was not used, which now is; 0: none. */
  takeUnused(at: number): number {
    for (let age = 1; age <= this.places; age++) {
      const place = this.place(at, age);
      if (!this.isValid(place)) return NONE;
      if (this.used[place] === 1) continue;
      this.used[place] = 1;
      return this.routes[place]!;
    }
    return NONE;
  }

  /** Any that is not too old, each as likely; 0: none. */
  any(at: number, random: () => number): number {
    let valid = 0;
    while (valid < this.places && this.isValid(this.place(at, valid + 1))) valid++;
    return valid === 0 ? NONE : this.routes[this.place(at, 1 + Math.floor(random() * valid))]!;
  }

  /** Where the `age`th newest is: the first is 1. */
  private place(at: number, age: number): number {
    return at * this.places + ((this.top[at]! - age + this.places) % this.places);
  }

  private isValid(place: number): boolean {
    return this.events.now - this.storedAt[place]! < this.validity;
  }
}
