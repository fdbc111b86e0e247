/**
 * How faults are done to a fabric; inject.ts says what they mean for it. Some cannot be done to a fabric of real kernels and processes: it has
 * no such tool, and faults of that kind are left out there.
 */
import type { ImpairmentRates } from '../simulator/impairment.js';
import type { Fault, LinkEnds, What } from './fault.js';
import type { Scenario } from './scenario.js';

export type Undo = () => void;

export type Of<Kind extends What['kind']> = Extract<What, { readonly kind: Kind }>;

/** Tools for links work at once, or in the order in which they are called. Promises reject with what must not be. */
export interface Tools {
  carrier(link: LinkEnds, up: boolean): void;
  silence(link: LinkEnds, ways: 'both' | 'out', silent: boolean): void;
  remove(link: LinkEnds): void;
  restore(link: LinkEnds): void;
  changeAddress(link: LinkEnds): Undo;
  impair?(link: LinkEnds, rates: ImpairmentRates): Undo;
  stall?(link: LinkEnds, stalled: boolean): void;
  reset(link: LinkEnds): void;
  abandon(link: LinkEnds): void;
  /** Octets among what `a` writes. */
  write?(link: LinkEnds, octets: Uint8Array): void;
  /** `a` tells `b` a route again, with an error in it; undone, `b` asks for all routes. */
  misspeak?(link: LinkEnds, how: Pick<Of<'bad-update'>, 'error' | 'seed'>): Undo;
  kill(router: string): Promise<void> | void;
  stop(router: string, restart: boolean): Promise<void>;
  /** With what it is to run now, as `reload` does. */
  start(router: string): Promise<void>;
  reload(router: string): Promise<void>;
  suspend(router: string): void;
  resume(router: string): void;
  jump?(router: string, by: number): void;
  refuse?(router: string, refusals: Pick<Of<'refusals'>, 'code' | 'every'>): Undo;
  loseEvents?(router: string): void;
  deleteOutside(router: string, object: Pick<Of<'deleted'>, 'what' | 'number'>): void;
}

/** Kinds that need a tool which a fabric may lack. */
const NEEDS: Readonly<Partial<Record<What['kind'], keyof Tools>>> = {
  impaired: 'impair',
  stuck: 'stall',
  malformed: 'write',
  'bad-update': 'misspeak',
  clock: 'jump',
  refusals: 'refuse',
  overrun: 'loseEvents',
};

export function canBeDone(tools: Tools, { kind }: What): boolean {
  const need = NEEDS[kind];
  return need === undefined || tools[need] !== undefined;
}

/** `clock (2), refusals (1)`: what a fabric with these tools leaves out of a scenario; empty when nothing. */
export function leftOut(tools: Tools, { episodes }: Scenario): string {
  const counts = new Map<string, number>();
  const count = (fault: Fault) => counts.set(fault.kind, (counts.get(fault.kind) ?? 0) + 1);
  for (const fault of episodes.flat()) if (!canBeDone(tools, fault)) count(fault);
  return [...counts].map(([kind, number]) => `${kind} (${number})`).join(', ');
}
