/**
 * Tells whoever watches what changes in the router. The sources are looked at some times a second while anybody watches, and cost nothing
 * otherwise: what they gathered then is told in one go.
 */
import type { ControlEvent } from '../../../edge/control/events.js';

/** Gathers between `begin` and `end`; each look takes what is there, and no more than some thousand events. */
export interface EventSource {
  begin(): void;
  look(): readonly ControlEvent[];
  end(): void;
}

export type EventListener = (event: ControlEvent) => void;

/** Milliseconds between two looks. */
const INTERVAL = 100;

export class EventHub {
  readonly #listeners = new Set<EventListener>();
  #timer: NodeJS.Timeout | undefined;

  constructor(private readonly sources: readonly EventSource[]) {}

  /** Returns what ends it. */
  watch(listener: EventListener): () => void {
    // Each time another function: one may watch twice.
    const own: EventListener = (event) => listener(event);
    this.#listeners.add(own);
    if (this.#listeners.size === 1) this.#begin();
    return () => {
      if (this.#listeners.delete(own) && this.#listeners.size === 0) this.#end();
    };
  }

  /** Called by the timer. */
  look(): void {
    for (const source of this.sources)
      for (const event of source.look()) for (const listener of this.#listeners) listener(event);
  }

  #begin(): void {
    for (const source of this.sources) source.begin();
    this.#timer = setInterval(() => this.look(), INTERVAL).unref();
  }

  #end(): void {
    clearInterval(this.#timer);
    for (const source of this.sources) source.end();
  }
}
