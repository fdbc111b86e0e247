/**
 * DLB on a plane that can only be told shares: where a switch sends the next flowlet to the best link, the shares of better links
 * grow and those of worse ones shrink, and the plane moves idle buckets accordingly. A control loop around a queue that answers
 * late, so it is slow on purpose:
 *
 *  - hysteresis: nothing moves while the bands of the members differ by less than `qualityDelta`, or have so for fewer than
 *    `persistence` looks in a row;
 *  - damping: a look changes a share by at most a factor, and after a move `settle` looks pass before the next;
 *  - memory: shares stay while the load is even, and go back to what was asked for when the group is idle.
 */
import { wholeShares } from './shares.js';

export interface FlowletSettings {
  /** Difference between the best and the worst band from which traffic moves, 1 to 7. */
  readonly qualityDelta: number;
  /** Looks in a row that see it before anything moves; at least 1. */
  readonly persistence: number;
  /** Looks after a move during which the group is left alone. */
  readonly settle: number;
  /** Exponent of one move: a member 100 per cent of score better than the mean grows by the factor e^gain. */
  readonly gain: number;
}

/** What a look sees of one member. */
export interface MemberQuality {
  readonly band: number;
  /** Per cent, as in link-quality.ts. */
  readonly score: number;
}

/** No member falls below this part of its due, or grows beyond its inverse: what is measured there must stay measurable. */
const LEAST_FACTOR = 1 / 16;
/** Part of the way back to the shares asked for that an idle group goes in a look. */
const RETURN = 0.25;
/** Score below which a link counts as idle. */
const IDLE_SCORE = 1;

export class FlowletShares {
  #factors: number[];
  #shares: number[];
  #seen = 0;
  #rest = 0;
  /** Moves so far. */
  moves = 0;

  constructor(
    private readonly settings: FlowletSettings,
    /** Shares asked for, one a member (all 1 for equal ones). */
    private readonly due: readonly number[],
    private readonly budget: number,
  ) {
    this.#factors = due.map(() => 1);
    this.#shares = wholeShares(due, budget);
  }

  /** One a member; they add up to the budget. */
  get shares(): readonly number[] {
    return this.#shares;
  }

  /** One look at all members, in their order. True when the shares changed. */
  look(members: readonly MemberQuality[]): boolean {
    if (members.every(({ score }) => score < IDLE_SCORE)) return this.#goBack();
    if (this.#rest > 0) {
      this.#rest--;
      return false;
    }
    const bands = members.map(({ band }) => band);
    const spread = Math.max(...bands) - Math.min(...bands);
    this.#seen = spread >= this.settings.qualityDelta ? this.#seen + 1 : 0;
    if (this.#seen < this.settings.persistence) return false;
    this.#seen = 0;
    return this.#move(members);
  }

  #move(members: readonly MemberQuality[]): boolean {
    const total = this.#shares.reduce((sum, share) => sum + share, 0);
    const mean = members.reduce((sum, { score }, place) => sum + (score * this.#shares[place]!) / total, 0);
    this.#factors = normalised(
      this.#factors.map((factor, place) => {
        const better = Math.max(-1, Math.min(1, (mean - members[place]!.score) / 100));
        return factor * Math.exp(this.settings.gain * better);
      }),
    );
    const changed = this.#apply();
    if (changed) {
      this.moves++;
      this.#rest = this.settings.settle;
    }
    return changed;
  }

  #goBack(): boolean {
    this.#seen = 0;
    this.#rest = 0;
    if (this.#factors.every((factor) => factor === 1)) return false;
    this.#factors = this.#factors.map((factor) => {
      const nearer = factor + RETURN * (1 - factor);
      return Math.abs(nearer - 1) < 0.02 ? 1 : nearer;
    });
    return this.#apply();
  }

  #apply(): boolean {
    const shares = wholeShares(
      this.due.map((share, place) => share * this.#factors[place]!),
      this.budget,
    );
    const changed = shares.some((share, place) => share !== this.#shares[place]);
    this.#shares = shares;
    return changed;
  }
}

/** Around a geometric mean of 1, within the limits: only the proportions matter. */
function normalised(factors: readonly number[]): number[] {
  const mean = Math.exp(factors.reduce((sum, factor) => sum + Math.log(factor), 0) / factors.length);
  return factors.map((factor) => Math.min(1 / LEAST_FACTOR, Math.max(LEAST_FACTOR, factor / mean)));
}
