/**
 * Sorts the changes of one slice into runs that share a message: same attributes, same audience, same family. Chains over
 * typed arrays, no sorting and no keys.
 */
import { grown } from '../net/grown.js';
import type { AttributeId } from '../route/attribute-table.js';
import type { Audience } from './audience.js';
import type { PrefixId } from './types.js';

export interface Run {
  /** `undefined` for withdrawals. */
  readonly attribute: AttributeId | undefined;
  readonly audience: Audience;
  readonly ipv6: boolean;
  /** Reused for the next run. */
  readonly ids: Uint32Array;
  readonly count: number;
}

const IPV6 = 1;
const AUDIENCE_SHIFT = 1;

export class RouteBatch {
  #count = 0;
  #ids = new Uint32Array(1024);
  #tags = new Uint32Array(1024);
  /** Next change with the same attributes plus one. */
  #next = new Uint32Array(1024);
  /** By attribute id plus one (0 for withdrawals): first change plus one. */
  #heads = new Uint32Array(1024);
  #used: number[] = [];
  #run = new Uint32Array(1024);

  add(id: PrefixId, attribute: AttributeId | undefined, audience: Audience, ipv6: boolean): void {
    const at = this.#count++;
    if (at === this.#ids.length) this.#grow();
    const chain = attribute === undefined ? 0 : attribute + 1;
    if (chain >= this.#heads.length) this.#heads = grown(this.#heads, chain + 1);
    const head = this.#heads[chain]!;
    if (head === 0) this.#used.push(chain);
    this.#ids[at] = id;
    this.#tags[at] = (audience << AUDIENCE_SHIFT) | (ipv6 ? IPV6 : 0);
    this.#next[at] = head;
    this.#heads[chain] = at + 1;
  }

  /** Gives every run to `visit`, withdrawals and announcements in no order, and empties the batch. */
  drain(visit: (run: Run) => void): void {
    for (const chain of this.#used) {
      let rest = this.#heads[chain]!;
      this.#heads[chain] = 0;
      while (rest !== 0) {
        const tag = this.#tags[rest - 1]!;
        const [count, others] = this.#split(rest, tag);
        visit({
          attribute: chain === 0 ? undefined : chain - 1,
          audience: tag >>> AUDIENCE_SHIFT,
          ipv6: (tag & IPV6) !== 0,
          ids: this.#run,
          count,
        });
        rest = others;
      }
    }
    this.#used = [];
    this.#count = 0;
  }

  /** Moves the changes of a chain with this tag to the run; returns how many, and the chain of the others. */
  #split(chain: number, tag: number): [number, number] {
    let count = 0;
    let others = 0;
    for (let link = chain; link !== 0; ) {
      const at = link - 1;
      const next = this.#next[at]!;
      if (this.#tags[at] === tag) this.#run[count++] = this.#ids[at]!;
      else {
        this.#next[at] = others;
        others = link;
      }
      link = next;
    }
    return [count, others];
  }

  #grow(): void {
    const length = this.#ids.length * 2;
    this.#ids = grown(this.#ids, length);
    this.#tags = grown(this.#tags, length);
    this.#next = grown(this.#next, length);
    this.#run = new Uint32Array(length);
  }
}
