/**
 * Inputs that did something new, as the start for further mutations. New is what no input before did: its features are numbers that
 * stand for outcomes, errors and attributes seen together. A cheap stand-in for code coverage, which costs milliseconds a look.
 */
import type { Dice } from './dice.js';

const MOST = 4096;
/** Bits for what was seen: two features that share one count as one, so that a long run needs no more room than a short one. */
const BITS = 1 << 23;

export class InterestingInputs {
  /** Distinct features met. */
  features = 0;
  private readonly seen = new Uint8Array(BITS / 8);
  private readonly inputs: Uint8Array[] = [];

  get size(): number {
    return this.inputs.length;
  }

  /** True when nothing had this feature before. */
  isNew(feature: number): boolean {
    const bit = (Math.imul(feature | 0, 0x9e3779b1) ^ Math.imul(Math.floor(feature / 2 ** 32), 0x85ebca6b)) >>> 9;
    const mask = 1 << (bit & 7);
    const isNew = (this.seen[bit >> 3]! & mask) === 0;
    this.seen[bit >> 3]! |= mask;
    if (isNew) this.features++;
    return isNew;
  }

  /** Keeps a copy of an input; a full store forgets one. */
  keep(input: Uint8Array, dice: Dice): void {
    if (this.inputs.length < MOST) this.inputs.push(input.slice());
    else this.inputs[dice.below(MOST)] = input.slice();
  }

  pick(dice: Dice): Uint8Array | undefined {
    return this.inputs.length === 0 ? undefined : dice.pick(this.inputs);
  }
}
