/**
 * Values by what makes a forwarding class: both sets, colour and origin. Maps in maps of numbers: a string of all four for each class
 * was a tenth of what an entry of a leaf takes, and of the time to make one.
 */
import type { ClassSpec } from './forwarding-objects.js';

export type SpecKey = Pick<ClassSpec, 'origin' | 'colour' | 'onFallback' | 'tiers'>;

/** Of the numbers of sets, so that two of them fit into one. */
const MOST_SETS = 2 ** 26;
const NO_COLOUR = -1;

export class SpecIndex<Value> {
  size = 0;
  private readonly bySets = new Map<number, Map<number, Map<number, Value>>>();

  get({ origin, colour, onFallback, tiers }: SpecKey): Value | undefined {
    return this.bySets.get(setsKey(tiers))?.get(colourKey(colour, onFallback))?.get(origin);
  }

  set({ origin, colour, onFallback, tiers }: SpecKey, value: Value): void {
    const key = setsKey(tiers);
    const inner = colourKey(colour, onFallback);
    const byColour = this.bySets.get(key) ?? new Map<number, Map<number, Value>>();
    if (byColour.size === 0) this.bySets.set(key, byColour);
    const byOrigin = byColour.get(inner) ?? new Map<number, Value>();
    if (byOrigin.size === 0) byColour.set(inner, byOrigin);
    if (!byOrigin.has(origin)) this.size++;
    byOrigin.set(origin, value);
  }

  delete({ origin, colour, onFallback, tiers }: SpecKey): void {
    const key = setsKey(tiers);
    const inner = colourKey(colour, onFallback);
    const byColour = this.bySets.get(key);
    const byOrigin = byColour?.get(inner);
    if (!byColour || !byOrigin?.delete(origin)) return;
    this.size--;
    if (byOrigin.size > 0) return;
    byColour.delete(inner);
    if (byColour.size === 0) this.bySets.delete(key);
  }

  *values(): Generator<Value> {
    for (const byColour of this.bySets.values()) for (const byOrigin of byColour.values()) yield* byOrigin.values();
  }

  clear(): void {
    this.bySets.clear();
    this.size = 0;
  }
}

export function sameSpec(a: SpecKey, b: SpecKey): boolean {
  if (a === b) return true;
  if (a.origin !== b.origin || a.colour !== b.colour || a.onFallback !== b.onFallback) return false;
  return a.tiers[0] === b.tiers[0] && a.tiers[1] === b.tiers[1];
}

/** The set of no members has the number -1. */
function setsKey([primary, fallback]: SpecKey['tiers']): number {
  return (primary.number + 1) * MOST_SETS + fallback.number + 1;
}

function colourKey(colour: number | undefined, onFallback: boolean): number {
  return (colour ?? NO_COLOUR) * 2 + Number(onFallback);
}
