/**
 * Prefixes that are missing in a table of longest prefixes, and the shorter ones above them: those would take the packets of what is
 * missing. Above one there are as many as there are lengths in use.
 */
import { formatPrefix, masked, type Prefix } from '../net/prefix.js';

export class CoveredPrefixes {
  readonly #missing = new Map<string, Prefix>();
  readonly #lengths = new Set<number>();
  /** How many are missing below it. */
  readonly #below = new Map<string, number>();

  get size(): number {
    return this.#missing.size;
  }

  /** The one that is missing for longest. */
  oldest(): Prefix | undefined {
    return this.#missing.values().next().value;
  }

  /** Some prefix has this length. */
  addLength(length: number): void {
    if (this.#lengths.has(length)) return;
    this.#lengths.add(length);
    for (const prefix of this.#missing.values()) if (length < prefix.length) this.#add(prefix, length, 1);
  }

  /** Whether one of the missing lies under it. */
  isAboveMissing(prefix: Prefix): boolean {
    return this.#below.size > 0 && this.#below.has(formatPrefix(prefix));
  }

  /** Prefixes of lengths in use for which `isAboveMissing` is another now. */
  set(prefix: Prefix, missing: boolean): readonly string[] {
    const key = formatPrefix(prefix);
    if (this.#missing.has(key) === missing) return [];
    if (missing) this.#missing.set(key, prefix);
    else this.#missing.delete(key);
    const shorter = [...this.#lengths].filter((length) => length < prefix.length);
    return shorter.flatMap((length) => this.#add(prefix, length, missing ? 1 : -1) ?? []);
  }

  /** The shorter prefix, when it has got its first or lost its last one. */
  #add({ address }: Prefix, length: number, change: 1 | -1): string | undefined {
    const key = formatPrefix({ address: masked(address, length), length });
    const before = this.#below.get(key) ?? 0;
    if (before + change > 0) this.#below.set(key, before + change);
    else this.#below.delete(key);
    return before === 0 || before + change === 0 ? key : undefined;
  }
}
