/** What the model must know of a router: how it tells, takes and chooses routes. Each implementation has its own (rules-of.ts). */
import type { FabricPort } from '../lab/plan.js';
import type { ModelPrefix, PathUse, Told } from './model.js';

/** A route that came over a port. */
export interface Candidate extends Told {
  readonly port: FabricPort;
  /** Kept and not eligible. */
  readonly hidden?: true;
  /** Preferred by a policy of the router's own. */
  readonly pinned?: true;
}

/** With what the neighbour told, before the router made something of it. */
export interface Received extends Candidate {
  readonly told: Told;
}

export interface Choice {
  /** In the order of the candidates. */
  readonly uses: readonly PathUse[];
  /** False where the configuration leaves it open. */
  readonly decided: boolean;
}

export interface RouterRules {
  /** What it originates. */
  readonly prefixes: readonly ModelPrefix[];
  /** Ports on which it has a session when the link is up. */
  hasSession(port: FabricPort): boolean;
  /** What it tells of a prefix of its own; `undefined`: nothing. */
  originate(prefix: ModelPrefix, port: FabricPort): Told | undefined;
  /** What it makes of a route that came over a port. */
  take(told: Told, port: FabricPort, prefix: ModelPrefix): Candidate;
  choose(candidates: readonly Candidate[]): Choice;
  /** Of a spine: what it tells of a prefix with these candidates, none of which came from that port's neighbour. */
  pass(candidates: readonly Candidate[], port: FabricPort): Told | undefined;
  /** What is not as with heddle, and what the model does not look at; one sentence each. */
  readonly notes: readonly string[];
}
