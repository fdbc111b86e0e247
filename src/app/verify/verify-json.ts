/** Reports of `heddle verify` as JSON: stable keys, null where there is nothing to say, AIGP as decimal text. */
import type { ModelRoute, Prediction } from './model.js';
import { fallbackOf, preferredOf } from './model.js';
import type { FabricState } from './observation.js';
import type { Verification } from './verify.js';
import type { Move, WhatIf } from './what-if.js';

function failedLinks({ links }: Prediction): string[] {
  return links.filter(({ up }) => !up).map(({ name }) => name);
}

function expectedRoute(route: ModelRoute) {
  return {
    local: route.local,
    decided: route.decided,
    preferred: preferredOf(route),
    fallback: fallbackOf(route),
    paths: route.paths.map(({ interface: name, peer, link, use, colour, aigp }) => ({
      interface: name,
      peer,
      link,
      use,
      colour: colour ?? null,
      aigp: aigp?.toString() ?? null,
    })),
  };
}

function routesJson(prediction: Prediction, router: string) {
  return [...prediction.routes.get(router)!.values()].map((route) => ({
    prefix: route.prefix.text,
    leaf: route.prefix.leaf,
    host: route.prefix.host ?? null,
    colour: route.prefix.colour ?? null,
    expected: expectedRoute(route),
  }));
}

export function predictionJson(prediction: Prediction) {
  return {
    topology: prediction.plan.topology.name,
    failed: failedLinks(prediction),
    notes: prediction.notes,
    routers: prediction.plan.routers.map(({ name, role, implementation }) => ({
      name,
      role,
      implementation,
      routes: routesJson(prediction, name),
    })),
  };
}

export function verificationJson({ assumed, differences }: Verification, state: FabricState, probes: number | null) {
  const expected = predictionJson(assumed);
  return {
    ...expected,
    same: differences.length === 0,
    differences,
    /** Prefixes that probes were sent to; null without probes. */
    probed: probes,
    routers: withSeen(expected.routers, state).map((router) => ({
      ...router,
      routes: router.routes.map((route) => ({
        ...route,
        kernel: state.routers.get(router.name)?.kernel.filter(({ prefix }) => prefix === route.prefix) ?? [],
      })),
    })),
  };
}

export function captureJson(prediction: Prediction, state: FabricState) {
  const expected = predictionJson(prediction);
  return { ...expected, routers: withSeen(expected.routers, state).filter(({ silent }) => silent === null) };
}

function withSeen(routers: ReturnType<typeof predictionJson>['routers'], state: FabricState) {
  return routers.map((router) => {
    const node = state.routers.get(router.name);
    const routes = router.routes.map((route) => ({
      ...route,
      seen: node?.routes.find(({ prefix }) => prefix === route.prefix)?.paths ?? [],
    }));
    return { ...router, silent: node?.silent ?? null, routes };
  });
}

export function whatIfJson(report: WhatIf) {
  const { after, moves, thinned, loads, cutOff } = report;
  return {
    ...predictionJson(after),
    moves: moves.map(moveJson),
    thinned: thinned.map(moveJson),
    loads,
    cutOff: cutOff.map(({ flow, at, size }) => ({ from: flow.from, to: flow.to, colour: flow.colour, at, size })),
  };
}

function moveJson({ router, prefix, before, after }: Move) {
  return { router, prefix: prefix.text, colour: prefix.colour ?? null, before, after };
}
