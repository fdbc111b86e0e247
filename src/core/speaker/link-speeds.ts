/** Line rates of the links that traffic may be balanced over, by interface index: read when a link changes, not at every look. */
import type { LinkState, Links } from '../ports/links.js';

export class LinkSpeeds {
  readonly #speeds = new Map<number, number>();

  constructor(private readonly links: Pick<Links, 'readSpeed'>) {}

  changed({ index, name, carrier }: LinkState): void {
    if (!carrier) this.#speeds.delete(index);
    else this.#speeds.set(index, this.links.readSpeed(name) ?? Number.POSITIVE_INFINITY);
  }

  gone(index: number): void {
    this.#speeds.delete(index);
  }

  /** Octets a second, infinite where the driver does not say; `undefined` for a link that is down or none of these. */
  of(index: number): number | undefined {
    return this.#speeds.get(index);
  }
}
