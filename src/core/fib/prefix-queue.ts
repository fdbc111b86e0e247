/** Prefixes that wait for something, each once, in order. Cheaper than a Set, which is slow to start over when emptied in slices. */
import type { FibPrefix } from './forwarding-objects.js';

export class PrefixQueue {
  private waiting: FibPrefix[] = [];
  private head = 0;

  constructor(private readonly mark: 'dirty' | 'obsolete') {}

  get size(): number {
    return this.waiting.length - this.head;
  }

  add(prefix: FibPrefix): void {
    if (prefix[this.mark]) return;
    prefix[this.mark] = true;
    this.waiting.push(prefix);
  }

  take(): FibPrefix | undefined {
    const prefix = this.waiting[this.head];
    if (prefix) {
      this.head++;
      prefix[this.mark] = false;
    } else if (this.head > 0) {
      this.waiting = [];
      this.head = 0;
    }
    return prefix;
  }
}
