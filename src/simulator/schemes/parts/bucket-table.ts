/**
 * A group's hash buckets, each bound to one of its ports: the selector table of a switch, or the buckets of a resilient next-hop group in Linux. What
 * a flow's hash gives is a bucket; which port that is changes only when a bucket is moved.
 */
import { wholeShares } from '../../../core/dlb/shares.js';

export class BucketTable {
  /** Of each bucket the place of its port among `ports`. */
  readonly places: Int32Array;
  /** All ports of the group, up or not. */
  readonly ports: readonly number[];
  private readonly mask: number;
  private readonly weights: readonly number[];
  private readonly isUp: (port: number) => boolean;
  /** `places` as they are while all ports are up. */
  private readonly homes: Int32Array;

  /**
   * @param size buckets, a power of two
   * @param weights what each port gets of them, in proportion
   */
  constructor(size: number, ports: readonly number[], weights: readonly number[], isUp: (port: number) => boolean) {
    this.mask = size - 1;
    this.ports = ports;
    this.weights = weights;
    this.isUp = isUp;
    this.places = new Int32Array(size);
    this.share(weights);
    this.homes = this.places.slice();
    for (const [place, port] of ports.entries()) if (!isUp(port)) this.leave(place);
  }

  /** The bucket of a flow, by its hash (any integer). */
  bucketOf(hash: number): number {
    return hash & this.mask;
  }

  portOf(bucket: number): number {
    return this.ports[this.places[bucket]!]!;
  }

  /** Shares all buckets out anew by these weights among the ports that are up, without regard to where they were. */
  deal(weights: readonly number[]): void {
    if (this.ports.some(this.isUp)) this.share(weights.map((weight, place) => (this.isUpAt(place) ? weight : 0)));
  }

  /** The buckets of a port that is down go to the others, each to the one that has least for its weight; no other bucket moves. */
  leave(place: number): void {
    const counts = this.counts();
    for (let bucket = 0; bucket < this.places.length; bucket++) {
      if (this.places[bucket] !== place) continue;
      const to = this.leastLoaded(counts);
      if (to < 0) return;
      this.places[bucket] = to;
      counts[to] = counts[to]! + 1;
    }
  }

  /** The buckets that a port had while all ports were up are its again; no other bucket moves. */
  comeHome(place: number): void {
    for (let bucket = 0; bucket < this.places.length; bucket++)
      if (this.homes[bucket] === place) this.places[bucket] = place;
  }

  private share(weights: readonly number[]): void {
    const sharing = weights.flatMap((weight, place) => (weight > 0 ? [place] : []));
    const shares = wholeShares(
      sharing.map((place) => weights[place]!),
      this.places.length,
    );
    let from = 0;
    for (const [index, place] of sharing.entries()) {
      this.places.fill(place, from, from + shares[index]!);
      from += shares[index]!;
    }
  }

  private counts(): number[] {
    const counts = this.ports.map(() => 0);
    for (const place of this.places) counts[place] = counts[place]! + 1;
    return counts;
  }

  private leastLoaded(counts: readonly number[]): number {
    let least = -1;
    for (let place = 0; place < counts.length; place++) {
      if (!this.isUpAt(place)) continue;
      if (least < 0 || this.fullness(counts, place) < this.fullness(counts, least)) least = place;
    }
    return least;
  }

  private fullness(counts: readonly number[], place: number): number {
    return counts[place]! / this.weights[place]!;
  }

  private isUpAt(place: number): boolean {
    return this.isUp(this.ports[place]!);
  }
}
