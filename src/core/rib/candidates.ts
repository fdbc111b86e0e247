/** The paths that still compete for one prefix, in parallel arrays that are reused for every prefix. */
import { grown } from '../net/grown.js';
import type { PathIndex } from './path-store.js';
import type { PeerIndex } from './types.js';

export class Candidates {
  /** In the race, then out of it: [0, count) and [count, total). */
  count = 0;
  total = 0;
  paths = new Uint32Array(64);
  attributes = new Uint32Array(64);
  peers = new Uint32Array(64);
  pathIds = new Uint32Array(64);
  /** The step at which a candidate left the race. */
  steps = new Uint8Array(64);
  /** What the current step compares: the lowest stays. */
  keys = new Float64Array(64);

  clear(): void {
    this.count = 0;
    this.total = 0;
  }

  add(path: PathIndex, attribute: number, peer: PeerIndex, pathId: number): void {
    const at = this.total++;
    if (at === this.paths.length) this.#grow();
    this.paths[at] = path;
    this.attributes[at] = attribute;
    this.peers[at] = peer;
    this.pathIds[at] = pathId;
    this.count = this.total;
  }

  /** Keeps the candidates with the lowest key and moves the others behind them, marked with `step`. True when any left. */
  keepLowest(step: number): boolean {
    const { keys, count } = this;
    let lowest = keys[0]!;
    let highest = lowest;
    for (let i = 1; i < count; i++) {
      const key = keys[i]!;
      if (key < lowest) lowest = key;
      if (key > highest) highest = key;
    }
    if (lowest === highest) return false;
    let kept = count;
    for (let i = 0; i < kept; ) {
      if (keys[i] === lowest) i++;
      else {
        this.steps[i] = step;
        this.#swap(i, --kept);
      }
    }
    this.count = kept;
    return true;
  }

  /** Takes the first candidate out for good and puts all others back into the race. */
  dropFirst(): void {
    this.#swap(0, --this.total);
    this.count = this.total;
  }

  #swap(a: number, b: number): void {
    exchange(this.paths, a, b);
    exchange(this.attributes, a, b);
    exchange(this.peers, a, b);
    exchange(this.pathIds, a, b);
    exchange(this.steps, a, b);
    exchange(this.keys, a, b);
  }

  #grow(): void {
    const length = this.paths.length * 2;
    this.paths = grown(this.paths, length);
    this.attributes = grown(this.attributes, length);
    this.peers = grown(this.peers, length);
    this.pathIds = grown(this.pathIds, length);
    this.steps = grown(this.steps, length);
    this.keys = new Float64Array(length);
  }
}

function exchange(array: Uint32Array | Uint8Array | Float64Array, a: number, b: number): void {
  const kept = array[a]!;
  array[a] = array[b]!;
  array[b] = kept;
}
