/** A route with four paths, for tests of what is said of it. */
import type { Path, Route } from '../../../edge/control/schema.js';

export function path(spine: number, rest: Partial<Path>): Path {
  return {
    interface: `to-spine${spine}`,
    neighbor: `to-spine${spine}`,
    pathId: null,
    status: 'fallback',
    step: 'aigp',
    reason: 'no AIGP counts as infinite',
    nextHops: [`fe80::${spine}`],
    asPath: `6500${spine} 65102`,
    origin: 'igp',
    localPref: null,
    med: null,
    aigp: null,
    colours: [1],
    communities: ['color:00:1'],
    ageMs: 62_000,
    stale: false,
    ...rest,
  };
}

export const PATH = path(1, { status: 'preferred', step: 'aigp', reason: 'best path', aigp: '1' });

export const ROUTE: Route = {
  prefix: 'fc00:2:1:1::/64',
  family: 'ipv6-unicast',
  colour: 1,
  origin: 65102,
  decidedBy: 'aigp',
  fib: 'installed',
  fibError: null,
  paths: [
    PATH,
    path(2, {}),
    path(4, { status: 'unused', step: 'local-pref', reason: 'lower local preference', localPref: 50, med: 7 }),
    path(3, { status: 'ineligible', step: null, reason: 'own AS in AS_PATH', asPath: '65003 65102 65101' }),
  ],
};
