/** Prefixes in the order in which they were added, in an array that is used again; empty it by `count = 0`. */
import type { PrefixId } from './types.js';

export class PrefixList {
  ids = new Uint32Array(1024);
  count = 0;

  add(id: PrefixId): void {
    if (this.count === this.ids.length) {
      const larger = new Uint32Array(this.ids.length * 2);
      larger.set(this.ids);
      this.ids = larger;
    }
    this.ids[this.count++] = id;
  }
}
