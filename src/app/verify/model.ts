/**
 * What a fabric must do, as values: links, prefixes, and for every router and prefix the paths it has, which of them it prefers and
 * which stand ready behind. predict.ts works it out from a lab's plan and the routers' configurations alone; observations of a fabric are
 * held against it, and pictures are drawn from it.
 */
import type { Family } from '../../core/net/family.js';
import type { Colour } from '../../core/speaker/config.js';
import type { Endpoint, LabPlan } from '../lab/plan.js';

export interface ModelLink {
  /** `leaf1:spine2`, with several links per pair `leaf1:spine2/1`; `leaf1:host1`. As `heddle lab fail` takes it. */
  readonly name: string;
  readonly kind: 'fabric' | 'host';
  /** The leaf. */
  readonly a: Endpoint;
  /** The spine or the host. */
  readonly b: Endpoint;
  /** Of the leaf's uplink; absent on a host's link. */
  readonly colour?: Colour;
  /** False when it is assumed to have failed. */
  readonly up: boolean;
}

/** A prefix that a leaf originates. */
export interface ModelPrefix {
  readonly text: string;
  readonly family: Family;
  readonly leaf: string;
  /** Absent for one without a host interface. */
  readonly host?: string;
  readonly colour?: Colour;
  /** Session mode: colours of the uplinks that back it up. */
  readonly backupColours: readonly Colour[];
}

/** A route as one router tells it to another. */
export interface Told {
  readonly colour?: Colour;
  readonly aigp?: bigint;
}

/**
 * `preferred`: in the primary set; `fallback`: in the set installed behind it; `spare`: a router that installs no fallback set would take it next;
 * `hidden`: kept and not eligible.
 */
export type PathUse = 'preferred' | 'fallback' | 'spare' | 'hidden';

export interface ModelPath extends Told {
  /** A link's name. */
  readonly link: string;
  /** The router's own interface on it. */
  readonly interface: string;
  readonly peer: string;
  readonly use: PathUse;
  /** What the neighbour tells; the path itself is what the router makes of it. */
  readonly told: Told;
}

export interface ModelRoute {
  readonly router: string;
  readonly prefix: ModelPrefix;
  /** The router originates it: no path is needed. */
  readonly local: boolean;
  /** In the order of the router's interfaces; empty where it cannot be reached. */
  readonly paths: readonly ModelPath[];
  /**
   * False where the configurations leave the choice open (an implementation decides by the age of paths, say): then any of the preferred
   * ones will do.
   */
  readonly decided: boolean;
}

export interface Prediction {
  readonly plan: LabPlan;
  readonly links: readonly ModelLink[];
  readonly prefixes: readonly ModelPrefix[];
  /** By router, then by prefix. */
  readonly routes: ReadonlyMap<string, ReadonlyMap<string, ModelRoute>>;
  /** What the model leaves out, and limits of implementations that it expects; one sentence each. */
  readonly notes: readonly string[];
}

/** Throws for a router or prefix that is not of the fabric. */
export function routeOf({ routes }: Prediction, router: string, prefix: string): ModelRoute {
  const route = routes.get(router)?.get(prefix);
  if (!route) throw new Error(`the model has no ${prefix} on ${router}`);
  return route;
}

export function pathsOfUse({ paths }: ModelRoute, use: PathUse): readonly ModelPath[] {
  return paths.filter((path) => path.use === use);
}

/** Interfaces. */
export function preferredOf(route: ModelRoute): readonly string[] {
  return pathsOfUse(route, 'preferred').map((path) => path.interface);
}

export function fallbackOf(route: ModelRoute): readonly string[] {
  return pathsOfUse(route, 'fallback').map((path) => path.interface);
}
