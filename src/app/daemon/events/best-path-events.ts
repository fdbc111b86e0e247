/** Prefixes whose selection changed. One that changed twice between two looks is told once, as it is then. */
import { formatPrefix } from '../../../core/net/prefix.js';
import type { Rib } from '../../../core/rib/rib.js';
import type { PrefixId, RibSink } from '../../../core/rib/types.js';
import type { ControlEvent } from '../../../edge/control/events.js';
import { interfacesOf } from '../route-view.js';
import type { EventSource } from './event-hub.js';

/** Prefixes that wait to be told, and those that are told at one look. */
const MOST_WAITING = 10_000;
const MOST_TOLD = 1000;

export class BestPathEvents implements EventSource, RibSink {
  /** Each held in the RIB; a Set keeps their order. */
  readonly #changed = new Set<PrefixId>();
  #watched = false;
  #lost = 0;

  constructor(
    private readonly rib: Pick<Rib, 'hold' | 'release' | 'selection'>,
    private readonly now: () => string,
  ) {}

  prefixesChanged(ids: Uint32Array, count: number): void {
    if (!this.#watched) return;
    for (let place = 0; place < count; place++) this.#note(ids[place]!);
  }

  begin(): void {
    this.#watched = true;
  }

  look(): readonly ControlEvent[] {
    const events: ControlEvent[] = [];
    for (const id of this.#changed) {
      events.push(this.#event(id));
      this.#changed.delete(id);
      this.rib.release(id);
      if (events.length === MOST_TOLD) break;
    }
    if (this.#lost > 0) events.push({ kind: 'lost', at: this.now(), of: 'best-path', events: this.#lost });
    this.#lost = 0;
    return events;
  }

  end(): void {
    this.#watched = false;
    this.#lost = 0;
    for (const id of this.#changed) this.rib.release(id);
    this.#changed.clear();
  }

  #note(id: PrefixId): void {
    if (this.#changed.has(id)) return;
    if (this.#changed.size >= MOST_WAITING) {
      this.#lost++;
      return;
    }
    this.rib.hold(id);
    this.#changed.add(id);
  }

  #event(id: PrefixId): ControlEvent {
    const { prefix, colour, best, primary, fallback, decidedBy } = this.rib.selection(id);
    return {
      ...{ kind: 'best-path', at: this.now(), prefix: formatPrefix(prefix), colour: colour ?? null },
      ...{ local: best?.local ?? false, preferred: interfacesOf(primary), fallback: interfacesOf(fallback) },
      decidedBy: best ? decidedBy : null,
    };
  }
}
