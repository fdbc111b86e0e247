/** What is told when it is not as it was at the look before: the state of the FIB as a whole, and the quality of links. */
import type { ControlEvent } from '../../../edge/control/events.js';
import type { LoadBalancing, Summary } from '../../../edge/control/schema.js';
import type { EventSource } from './event-hub.js';

export class FibEvents implements EventSource {
  #last = '';

  constructor(
    private readonly fib: () => Summary['fib'],
    private readonly now: () => string,
  ) {}

  begin(): void {
    this.#last = JSON.stringify(this.fib());
  }

  look(): readonly ControlEvent[] {
    const fib = this.fib();
    const text = JSON.stringify(fib);
    if (text === this.#last) return [];
    this.#last = text;
    return [{ kind: 'fib', at: this.now(), ...fib }];
  }

  end(): void {}
}

export type WatchedLink = Pick<LoadBalancing['links'][number], 'interface' | 'quality' | 'load' | 'queue'>;

export class LinkQualityEvents implements EventSource {
  readonly #bands = new Map<string, number>();

  constructor(
    private readonly links: () => readonly WatchedLink[],
    private readonly now: () => string,
  ) {}

  begin(): void {
    this.#bands.clear();
    for (const { interface: name, quality } of this.links()) this.#bands.set(name, quality);
  }

  look(): readonly ControlEvent[] {
    return this.links().flatMap(({ interface: name, quality, load, queue }): ControlEvent[] => {
      const from = this.#bands.get(name) ?? quality;
      this.#bands.set(name, quality);
      return from === quality
        ? []
        : [{ kind: 'link-quality', at: this.now(), interface: name, from, to: quality, load, queue }];
    });
  }

  end(): void {}
}
