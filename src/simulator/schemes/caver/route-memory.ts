/** One route to each host, as a switch remembers it: CAVER's BestTable and GoodTable. It is forgotten when it is too old. */
import type { EventQueue } from '../../engine/event-queue.js';

export class RouteMemory {
  private readonly routes: Int32Array;
  /** The congestion behind its first link. */
  private readonly remotes: Int32Array;
  private readonly storedAt: Float64Array;
  private readonly events: EventQueue;
  private readonly aging: number;

  /**
   * @param size switches times hosts
   * @param aging picoseconds
   */
  constructor(events: EventQueue, size: number, aging: number) {
    this.events = events;
    this.aging = aging;
    this.routes = new Int32Array(size);
    this.remotes = new Int32Array(size);
    this.storedAt = new Float64Array(size).fill(Number.NEGATIVE_INFINITY);
  }

  has(at: number): boolean {
    return this.events.now - this.storedAt[at]! <= this.aging;
  }

  route(at: number): number {
    return this.routes[at]!;
  }

  remote(at: number): number {
    return this.remotes[at]!;
  }

  store(at: number, route: number, remote: number): void {
    this.routes[at] = route;
    this.remotes[at] = remote;
    this.storedAt[at] = this.events.now;
  }
}
