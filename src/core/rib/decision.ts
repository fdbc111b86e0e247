/**
 * The decision process for one prefix in one pass: best path, multipath (primary) set, and behind it the fallback set. The
 * verdict is written into the paths; the answer says which step decided and whether anything that is selected changed.
 *
 *   eligible paths --selection steps--> primary set --tie-break steps--> best path
 *   the other eligible paths, less those over a next hop of the primary set --selection steps but AIGP--> fallback set
 */
import { type Address, equalBytes } from '../net/address.js';
import type { Reach } from '../ports/reachability.js';
import type { AttributeTable } from '../route/attribute-table.js';
import { HAS_COLOUR } from '../route/preference.js';
import { Candidates } from './candidates.js';
import { DecidedPaths } from './decided-paths.js';
import {
  type DecisionInputs,
  type DecisionStep,
  FALLBACK_STEPS,
  FIRST_STEP,
  NO_PATH,
  ONLY_PATH,
  SELECTION_STEPS,
  TIE_BREAK_STEPS,
} from './decision-steps.js';
import { gatewayOf, isLookedUp } from './eligibility.js';
import { type NextHopTable, sameReach } from './next-hop-table.js';
import type { PathQuestion } from './path-selection.js';
import {
  ATTRIBUTE,
  BEST,
  FALLBACK,
  HIDDEN_MASK,
  NEXT,
  PATH_WORDS,
  type PathIndex,
  type PathStore,
  PEER_MASK,
  PRIMARY,
  SELECTED,
  STEP_MASK,
  STEP_SHIFT,
  WORD,
} from './path-store.js';
import type { PeerTable } from './peer-table.js';
import { LOCAL_PEER, type PeerIndex } from './types.js';

export interface DecisionParts {
  readonly attributes: AttributeTable;
  readonly peers: PeerTable;
  readonly paths: PathStore;
  readonly nextHops: NextHopTable;
}

export class Decision {
  /** A path entered or left the best, primary or fallback set in the last `decide`. */
  changed = false;
  readonly #attributes: AttributeTable;
  readonly #peers: PeerTable;
  readonly #paths: PathStore;
  readonly #inputs: DecisionInputs;
  readonly #race = new Candidates();
  readonly #second = new Candidates();
  /** Of the last prefix with several. */
  readonly #last = new DecidedPaths();

  constructor({ attributes, peers, paths, nextHops }: DecisionParts) {
    this.#attributes = attributes;
    this.#peers = peers;
    this.#paths = paths;
    this.#inputs = { preference: attributes.preference, peers, nextHops };
  }

  /** What paths are compared by may have changed since the last decision. */
  begin(): void {
    this.#last.forget();
  }

  /** Decides among the chain that starts with `head` (a HEAD field); returns the code of the deciding step. */
  decide(head: number): number {
    this.changed = false;
    const race = this.#race;
    this.#gather(head);
    if (race.total === 0) return NO_PATH;
    if (race.total === 1) {
      this.#setVerdict(race.paths[0]!, BEST | PRIMARY);
      return ONLY_PATH;
    }
    const last = this.#last;
    if (last.isOf(race)) this.#setVerdicts(last.verdicts);
    else {
      last.remember(race);
      last.step = this.#decideAmong();
      last.note(this.#paths.nodes);
    }
    return last.step;
  }

  #decideAmong(): number {
    const race = this.#race;
    const selectedBy = this.#run(SELECTION_STEPS, FIRST_STEP);
    const primary = race.count;
    const brokenBy = this.#run(TIE_BREAK_STEPS, FIRST_STEP + SELECTION_STEPS.length);
    this.#setVerdict(race.paths[0]!, BEST | PRIMARY);
    for (let i = 1; i < primary; i++) {
      this.#setStep(race.paths[i]!, race.steps[i]!);
      this.#setVerdict(race.paths[i]!, PRIMARY);
    }
    if (primary < race.total) this.#decideFallback(primary);
    return selectedBy !== NO_PATH ? selectedBy : brokenBy;
  }

  /**
   * The best eligible path of one colour or of none, among the chain that starts with `head`; the verdicts stay as they are.
   * A path of our own is of every colour: policy says which of them it goes out in.
   */
  bestOfColour(head: number, colour: number): PathIndex | undefined {
    this.#gatherOfColour(head, colour);
    if (this.#race.total === 0) return undefined;
    this.#rank();
    return this.#race.paths[0];
  }

  /** Gives the paths that a session with path identifiers is told (RFC 7911) to `take`; the verdicts stay as they are. */
  choose(head: number, { selection, colour }: PathQuestion, take: (path: PathIndex) => void): void {
    const race = this.#race;
    this.#gatherOfColour(head, colour);
    if (selection === 'multipath') this.#run(SELECTION_STEPS, FIRST_STEP);
    if (typeof selection === 'string') {
      for (let i = 0; i < race.count; i++) take(race.paths[i]!);
      return;
    }
    // Not the order in which paths left one race: what a step compares depends on who is in it.
    for (let left = selection.best; left > 0 && race.total > 0; left--, race.dropFirst()) {
      this.#rank();
      take(race.paths[0]!);
    }
  }

  #rank(): void {
    this.#run(SELECTION_STEPS, FIRST_STEP);
    this.#run(TIE_BREAK_STEPS, FIRST_STEP + SELECTION_STEPS.length);
  }

  #gatherOfColour(head: number, colour: number | undefined): void {
    const race = this.#race;
    const { nodes } = this.#paths;
    race.clear();
    for (let next = head; next !== 0; next = nodes[(next - 1) * PATH_WORDS + NEXT]!) {
      const base = (next - 1) * PATH_WORDS;
      const word = nodes[base + WORD]!;
      const peer = word & PEER_MASK;
      const attribute = nodes[base + ATTRIBUTE]!;
      if ((word & HIDDEN_MASK) !== 0 || this.#peers.alive[peer] !== 1) continue;
      if (colour === undefined || peer === LOCAL_PEER || this.#isOfColour(attribute, colour))
        race.add(next - 1, attribute, peer, this.#paths.pathId(next - 1) >>> 0);
    }
  }

  #isOfColour(attribute: number, colour: number): boolean {
    const { preference } = this.#attributes;
    return (preference.flags[attribute]! & HAS_COLOUR) === 0 || preference.colour[attribute] === colour;
  }

  #gather(head: number): void {
    const nodes = this.#paths.nodes;
    const alive = this.#peers.alive;
    this.#race.clear();
    for (let next = head; next !== 0; ) {
      const base = (next - 1) * PATH_WORDS;
      const word = nodes[base + WORD]!;
      const peer = word & PEER_MASK;
      if ((word & HIDDEN_MASK) === 0 && alive[peer] === 1)
        this.#race.add(next - 1, nodes[base + ATTRIBUTE]!, peer, this.#paths.pathId(next - 1) >>> 0);
      else this.#setVerdict(next - 1, 0);
      next = nodes[base + NEXT]!;
    }
  }

  /** Runs steps until one candidate is left; returns the code of the last one that dropped any, or NO_PATH. */
  #run(steps: readonly DecisionStep[], firstCode: number): number {
    const race = this.#race;
    let decided = NO_PATH;
    for (let i = 0; i < steps.length && race.count > 1; i++) {
      const step = steps[i]!;
      if (step.isIdle?.(this.#inputs)) continue;
      step.rank(race, this.#inputs);
      if (race.keepLowest(firstCode + i)) decided = firstCode + i;
    }
    return decided;
  }

  /** Second race, among those that are not in the primary set: `race[primary..total)`. */
  #decideFallback(primary: number): void {
    const race = this.#race;
    const second = this.#second;
    second.clear();
    for (let i = primary; i < race.total; i++) {
      this.#setStep(race.paths[i]!, race.steps[i]!);
      if (this.#isSpare(i, primary)) second.add(race.paths[i]!, race.attributes[i]!, race.peers[i]!, race.pathIds[i]!);
      else this.#setVerdict(race.paths[i]!, 0);
    }
    for (let i = 0; i < FALLBACK_STEPS.length && second.count > 1; i++) {
      const step = FALLBACK_STEPS[i]!;
      if (step.isIdle?.(this.#inputs)) continue;
      step.rank(second, this.#inputs);
      second.keepLowest(0);
    }
    for (let i = 0; i < second.total; i++) this.#setVerdict(second.paths[i]!, i < second.count ? FALLBACK : 0);
  }

  /** Behind a local route there is nothing to fall back to; behind a next hop, only another next hop. */
  #isSpare(candidate: number, primary: number): boolean {
    const { peers } = this.#race;
    if (peers[0] === LOCAL_PEER) return false;
    for (let i = 0; i < primary; i++) if (this.#sameNextHop(candidate, i)) return false;
    return true;
  }

  #sameNextHop(a: number, b: number): boolean {
    const { peers, attributes } = this.#race;
    const table = this.#peers;
    if (table.routed[peers[a]!] === 1 || table.routed[peers[b]!] === 1) return this.#shareWay(a, b);
    if (table.interfaceIndex[peers[a]!] !== table.interfaceIndex[peers[b]!]) return false;
    return equalBytes(this.#gateway(attributes[a]!, peers[a]!), this.#gateway(attributes[b]!, peers[b]!));
  }

  #shareWay(a: number, b: number): boolean {
    const others = this.#ways(b);
    return this.#ways(a).some((way) => others.some((other) => sameReach(way, other)));
  }

  #ways(candidate: number): readonly Pick<Reach, 'interfaceIndex' | 'gateway'>[] {
    const attribute = this.#race.attributes[candidate]!;
    const info = this.#peers.info(this.#race.peers[candidate]!)!;
    const { preference, nextHops } = this.#inputs;
    if (isLookedUp(preference.flags[attribute]!, info)) return nextHops.resolution(attribute)?.reaches ?? [];
    const { interfaceIndex } = info;
    return [{ interfaceIndex, gateway: gatewayOf(this.#attributes.attributes(attribute), info) }];
  }

  #gateway(attribute: number, peer: PeerIndex): Address {
    return gatewayOf(this.#attributes.attributes(attribute), this.#peers.info(peer)!);
  }

  #setStep(path: PathIndex, step: number): void {
    const at = path * PATH_WORDS + WORD;
    this.#paths.nodes[at] = (this.#paths.nodes[at]! & ~STEP_MASK) | (step << STEP_SHIFT);
  }

  /** Those of the last prefix, in the order of the chain. */
  #setVerdicts(verdicts: Uint32Array): void {
    const { paths, total } = this.#race;
    for (let i = 0; i < total; i++) {
      const verdict = verdicts[i]!;
      if ((verdict & BEST) === 0) this.#setStep(paths[i]!, (verdict & STEP_MASK) >> STEP_SHIFT);
      this.#setVerdict(paths[i]!, verdict & SELECTED);
    }
  }

  #setVerdict(path: PathIndex, verdict: number): void {
    const at = path * PATH_WORDS + WORD;
    const word = this.#paths.nodes[at]!;
    if ((word & SELECTED) === verdict) return;
    this.changed = true;
    this.#paths.nodes[at] = (word & ~SELECTED) | verdict;
  }
}
