/** Routes of FRR as `show bgp ipv6 unicast detail json` prints them (10.x). */
import { z } from 'zod';
import type { SeenPath, SeenRoute } from './observation.js';

const frrPath = z.object({
  valid: z.boolean().optional(),
  multipath: z.boolean().optional(),
  bestpath: z.object({ overall: z.boolean().optional() }).optional(),
  aigpMetric: z.int().optional(),
  extendedCommunity: z.object({ string: z.string() }).optional(),
  nexthops: z.array(z.object({ accessible: z.boolean().optional() })).optional(),
  peer: z.object({ interface: z.string().optional() }).optional(),
});
type FrrPath = z.infer<typeof frrPath>;

/** Either a list of paths, or an object that holds it, by version. */
const frrRoutes = z.object({
  routes: z.record(z.string(), z.union([z.array(frrPath), z.object({ paths: z.array(frrPath) })])).optional(),
});

/** Only what it learned: its own routes have no interface. Throws for anything that is not that output. */
export function readFrrRoutes(json: string): SeenRoute[] {
  const { routes = {} } = frrRoutes.parse(JSON.parse(json));
  return Object.entries(routes).map(([prefix, value]) => ({
    prefix,
    paths: (Array.isArray(value) ? value : value.paths).flatMap(seenPath),
  }));
}

function seenPath(path: FrrPath): SeenPath[] {
  const name = path.peer?.interface;
  if (name === undefined) return [];
  const usable = path.valid === true && (path.nexthops ?? []).every(({ accessible }) => accessible !== false);
  const chosen = path.bestpath?.overall === true || path.multipath === true;
  return [
    {
      interface: name,
      use: usable ? (chosen ? 'preferred' : 'spare') : 'hidden',
      colour: colourIn(path.extendedCommunity?.string),
      aigp: path.aigpMetric?.toString() ?? null,
      reason: usable ? null : 'its next hop is inaccessible',
    },
  ];
}

/** `Color:00:3`, `CO:00:3`. */
function colourIn(communities = ''): number | null {
  const match = /\b(?:color|co):\d+:(\d+)/i.exec(communities);
  return match ? Number(match[1]) : null;
}
