/**
 * What must hold of daemons in namespaces, as far as they and their kernels can be asked: by the same names and against the same model as on
 * virtual time.
 */
import type { KernelRoute } from '../../app/lab/kernel-routes.js';
import type { Difference } from '../../app/verify/difference.js';
import { kernelDifferences } from '../../app/verify/kernel-differences.js';
import type { FabricState } from '../../app/verify/observation.js';
import { readRoutes } from '../../app/verify/route-differences.js';
import type { Prefix } from '../../core/net/prefix.js';
import { formatPrefix } from '../../core/net/prefix.js';
import type { FibComparison, Neighbor } from '../../edge/control/schema.js';
import type { Expectation } from '../expectation.js';
import type { Intent } from '../intent.js';
import type { Invariant, Violation } from '../violation.js';
import type { NextRouters } from '../walk.js';

/** Without the routers that are to be down. */
export function withoutDown(state: FabricState, { down }: Intent): FabricState {
  return { ...state, routers: new Map([...state.routers].filter(([name]) => !down.has(name))) };
}

export function sessions(intent: Intent, { live }: Expectation, state: FabricState): Violation[] {
  return intent.running.flatMap((router) => {
    const { silent, sessions: seen } = state.routers.get(router.name)!;
    if (silent !== null) return [{ invariant: 'sessions', place: router.name, detail: `its daemon: ${silent}` }];
    return router.fabric.flatMap((port): Violation[] => {
      const session = seen.find((one) => one.interface === port.interface);
      const wanted = live.has(intent.linkAt(router.name, port.interface).name);
      if (session?.up === wanted) return [];
      const detail = wanted ? `none up: ${session?.reason ?? 'not of its configuration'}` : 'up where none must be';
      return [{ invariant: 'sessions', place: `${router.name} ${port.interface}`, detail }];
    });
  });
}

export function selection({ prediction }: Expectation, state: FabricState): Violation[] {
  return violationsOf('selection', readRoutes(prediction, state).differences);
}

/** Foreign routes too: nobody but the daemon and the kernel put any there. */
export function forwarding({ prediction }: Expectation, state: FabricState): Violation[] {
  return violationsOf('forwarding', kernelDifferences(prediction, state, new Set()));
}

export function violationsOf(invariant: Invariant, differences: readonly Difference[]): Violation[] {
  return differences.map(({ node, prefix, what, cause }) => ({
    invariant,
    place: [node, prefix].filter((part) => part !== null).join(' '),
    detail: cause === null ? what : `${what}: ${cause}`,
  }));
}

/** By its own account of its kernel, objects that nothing uses included. */
export function agreement(router: string, { differences }: FibComparison): Violation[] {
  return differences.map(
    (one): Violation => ({
      invariant: 'agreement',
      place: router,
      detail: `${one.prefix ?? `${one.object} ${one.id}`}: ${one.why}`,
    }),
  );
}

/** Whoever kept its session has as many prefixes as its neighbour told. */
export function told({ running }: Intent, neighbors: ReadonlyMap<string, readonly Neighbor[]>): Violation[] {
  const upOn = (router: string, name: string) =>
    neighbors.get(router)?.find((one) => one.interface === name && one.state === 'established');
  return running.flatMap(({ name, fabric }) =>
    fabric.flatMap((port): Violation[] => {
      const [here, there] = [upOn(name, port.interface), upOn(port.peer.name, port.peerInterface)];
      if (!here || !there || here.prefixes.received === there.prefixes.advertised) return [];
      const detail = `has ${here.prefixes.received} prefixes, was told ${there.prefixes.advertised}`;
      return [{ invariant: 'told-is-known', place: `${port.peer.name} to ${name}`, detail }];
    }),
  );
}

/** The kernel's choice by the least metric; a link that is cut takes nothing anywhere. */
export function nextRouters(intent: Intent, kernels: ReadonlyMap<string, readonly KernelRoute[]>): NextRouters {
  const { routers, cut } = intent;
  const best = new Map(routers.map(({ name }) => [name, bestRoutes(kernels.get(name) ?? [])]));
  return (name, destination: Prefix) => {
    const { fabric } = routers.find((one) => one.name === name)!;
    const interfaces = best.get(name)!.get(formatPrefix(destination)) ?? [];
    return interfaces.map((through) => {
      if (!fabric.some((port) => port.interface === through)) return undefined;
      const { name: link, peer } = intent.linkAt(name, through);
      return cut.has(link) ? undefined : peer;
    });
  };
}

function bestRoutes(kernel: readonly KernelRoute[]): ReadonlyMap<string, readonly string[]> {
  const ordered = [...kernel].sort((one, other) => other.metric - one.metric);
  return new Map(ordered.map(({ prefix, interfaces }) => [prefix, interfaces]));
}
