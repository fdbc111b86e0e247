/** What the model must know of a router: how it tells, takes and chooses routes. Each implementation has its own (rules-of.ts). */
import type { FabricPort } from '../lab/plan.js';
import type { ModelPrefix, PathUse, Told } from './model.js';

/** What a router makes of a route that came over a port. */
export interface Taken extends Told {
  readonly port: FabricPort;
  /** Kept and not eligible. */
  readonly hidden?: true;
  /** Preferred by a policy of the router's own. */
  readonly pinned?: true;
}

export interface Candidate extends Taken {
  /** Routers that have told it, the nearest first: its AS path. */
  readonly via: readonly string[];
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
  take(told: Told, port: FabricPort, prefix: ModelPrefix): Taken;
  choose(candidates: readonly Candidate[]): Choice;
  /** Of a spine: the path that is told over a port, if any. */
  best<One extends Candidate>(candidates: readonly One[], port: FabricPort): One | undefined;
  /** What it tells of it. */
  pass(best: Candidate, port: FabricPort, prefix: ModelPrefix): Told | undefined;
  /** What is not as with heddle, and what the model does not look at; one sentence each. */
  readonly notes: readonly string[];
}
