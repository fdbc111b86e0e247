/**
 * Inputs that did something new, as the start for further mutations. New is what no input before did: its features are numbers that
 * stand for outcomes, errors and attributes seen together. A cheap stand-in for code coverage, which costs milliseconds a look.
 */
import type { Dice } from './dice.js';

const MOST = 4096;

export class InterestingInputs {
  private readonly seen = new Set<number>();
  private readonly inputs: Uint8Array[] = [];

  get features(): number {
    return this.seen.size;
  }

  get size(): number {
    return this.inputs.length;
  }

  /** True when nothing had this feature before. */
  isNew(feature: number): boolean {
    const { size } = this.seen;
    return this.seen.add(feature).size > size;
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
