/** A leaf's routes as the matrix that `heddle show fabric` prints: from the model, or as they were seen. */
import type { Fabric, FabricCell } from '../../edge/control/schema.js';
import type { PlannedRouter } from '../lab/plan.js';
import type { ModelRoute, PathUse, Prediction } from './model.js';
import type { NodeState, SeenPath } from './observation.js';

const STATE: Readonly<Record<PathUse, FabricCell['state']>> = {
  preferred: 'preferred',
  fallback: 'fallback',
  spare: 'unused',
  hidden: 'unused',
};

const ABSENT: FabricCell = { state: 'absent', colour: null, aigp: null };

/** Prefixes that the leaf does not originate itself, all or those that `wanted` takes. */
export function expectedMatrix(
  prediction: Prediction,
  leaf: PlannedRouter,
  wanted: (route: ModelRoute) => boolean = () => true,
): Fabric {
  const rows = learned(prediction, leaf).filter(wanted);
  return {
    uplinks: uplinks(leaf, (name) => linkUp(prediction, leaf.name, name)),
    rows: rows.map(({ prefix, paths }) => ({
      prefix: prefix.text,
      colour: prefix.colour ?? null,
      origin: null,
      cells: leaf.fabric.map((port) => {
        const path = paths.find((one) => one.interface === port.interface);
        if (!path) return ABSENT;
        return { state: STATE[path.use], colour: path.colour ?? null, aigp: path.aigp?.toString() ?? null };
      }),
    })),
  };
}

/** What the leaf's own tables say; where they do not tell which paths are taken, its kernel does. */
export function seenMatrix(prediction: Prediction, leaf: PlannedRouter, state: NodeState): Fabric {
  const seen = new Map(state.routes.map((route) => [route.prefix, route.paths]));
  const rows = learned(prediction, leaf).map(({ prefix }) => ({
    prefix: prefix.text,
    colour: prefix.colour ?? null,
    origin: null,
    cells: leaf.fabric.map((port) => {
      const path = seen.get(prefix.text)?.find((one) => one.interface === port.interface);
      return path ? seenCell(path, isForwarded(state, prefix.text, port.interface)) : ABSENT;
    }),
  }));
  const isUp = (name: string) => state.sessions.some((session) => session.interface === name && session.up);
  return { uplinks: uplinks(leaf, isUp), rows };
}

function seenCell({ use, colour, aigp }: SeenPath, forwarded: boolean): FabricCell {
  return { state: STATE[use ?? (forwarded ? 'preferred' : 'spare')], colour, aigp };
}

function isForwarded({ kernel }: NodeState, prefix: string, name: string): boolean {
  return kernel.some((route) => route.prefix === prefix && route.interfaces.includes(name));
}

function learned({ routes }: Prediction, { name }: PlannedRouter): ModelRoute[] {
  return [...(routes.get(name)?.values() ?? [])].filter(({ local }) => !local);
}

function linkUp({ links }: Prediction, node: string, name: string): boolean {
  return links.some(({ a, up }) => up && a.node === node && a.interface === name);
}

function uplinks({ fabric }: PlannedRouter, isUp: (name: string) => boolean): Fabric['uplinks'] {
  return fabric.map((port) => {
    const up = isUp(port.interface);
    return { interface: port.interface, colour: port.colour, up, reason: up ? null : 'down' };
  });
}
