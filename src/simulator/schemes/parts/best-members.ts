/** Of a group of equal ports those of the best quality, and one of them: at random, as switches are taken to do it, or in turn. */
import { grown } from '../../../core/net/grown.js';
import type { SchemeContext } from '../scheme.js';

export type Ties = 'random' | 'round-robin';

export class BestMembers {
  private readonly context: SchemeContext;
  private readonly bandOf: (port: number) => number;
  private readonly inTurn: boolean;
  /** By group: the place of the member that was picked last, if they are in turn. */
  private turn = new Int32Array(64);

  /** @param bandOf the quality of a port now */
  constructor(context: SchemeContext, bandOf: (port: number) => number, ties: Ties) {
    this.context = context;
    this.bandOf = bandOf;
    this.inTurn = ties === 'round-robin';
  }

  band(port: number): number {
    return this.bandOf(port);
  }

  /** The best band that a member of the group has. */
  bestBand(group: number): number {
    const { forwarding } = this.context;
    const start = forwarding.start[group]!;
    const end = start + forwarding.count[group]!;
    let best = Number.NEGATIVE_INFINITY;
    for (let at = start; at < end; at++) {
      const band = this.bandOf(forwarding.members[at]!);
      if (band > best) best = band;
    }
    return best;
  }

  /** A member of the best band. */
  pick(group: number): number {
    const best = this.bestBand(group);
    return this.inTurn ? this.next(group, best) : this.draw(group, best);
  }

  private draw(group: number, best: number): number {
    const { forwarding } = this.context;
    const start = forwarding.start[group]!;
    const end = start + forwarding.count[group]!;
    let ties = 0;
    for (let at = start; at < end; at++) if (this.bandOf(forwarding.members[at]!) === best) ties++;
    let left = ties === 1 ? 0 : Math.floor(this.context.random() * ties);
    let at = start;
    for (; at < end - 1; at++) {
      if (this.bandOf(forwarding.members[at]!) !== best) continue;
      if (left-- === 0) break;
    }
    return forwarding.members[at]!;
  }

  private next(group: number, best: number): number {
    if (group >= this.turn.length) this.turn = grown(this.turn, group + 1);
    const { forwarding } = this.context;
    const start = forwarding.start[group]!;
    const count = forwarding.count[group]!;
    let place = this.turn[group]!;
    for (let tried = 0; tried < count; tried++) {
      place = place + 1 < count ? place + 1 : 0;
      if (this.bandOf(forwarding.members[start + place]!) === best) break;
    }
    this.turn[group] = place;
    return forwarding.members[start + place]!;
  }
}
