import { describe, expect, it } from 'vitest';
import type { Path, Route } from '../../../edge/control/schema.js';
import { plainPaint } from './paint.js';
import { PATH, path, ROUTE } from './route.fixture.js';
import { renderRoute } from './route.js';

const LOCAL = path(0, {
  interface: null,
  neighbor: null,
  nextHops: [],
  asPath: '',
  communities: [],
  reason: 'best path',
});

describe('renderRoute', () => {
  it('draws how the decision went, from what never came into it to what is left', () => {
    expect(renderRoute(ROUTE, plainPaint)).toEqual([
      'fc00:2:1:1::/64  colour 1 (green)  from AS 65102  in the kernel',
      '',
      '4 paths',
      '│',
      '├─ not eligible',
      '│    to-spine3  AS 65003 65102 65101  no AIGP  own AS in AS_PATH',
      '│      next hop fe80::3, origin igp, color:00:1, 1m02s',
      '│',
      '├─ local-pref',
      '│    to-spine4  AS 65004 65102        no AIGP  unused: lower local preference',
      '│      next hop fe80::4, origin igp, local-pref 50, med 7, color:00:1, 1m02s',
      '│',
      '├─ aigp',
      '│    to-spine2  AS 65002 65102        no AIGP  fallback: no AIGP counts as infinite',
      '│      next hop fe80::2, origin igp, color:00:1, 1m02s',
      '│',
      '└▶ preferred, decided by aigp',
      '     to-spine1  AS 65001 65102        AIGP 1   best path',
      '       next hop fe80::1, origin igp, color:00:1, 1m02s',
    ]);
  });

  it('says how a next hop is reached that is not on the neighbour’s link', () => {
    const resolved = { nextHop: '10.255.0.9', onLink: false, cost: 20 };
    const via = [
      { interface: 'eth1', gateway: '10.0.1.7' },
      { interface: 'eth2', gateway: '10.0.2.7' },
    ];
    const shown = (rest: Partial<Path>) =>
      renderRoute({ ...ROUTE, paths: [path(1, { status: 'ineligible', reason: 'why', ...rest })] }, plainPaint).slice(
        5,
        7,
      );
    expect(shown({ resolved: { ...resolved, via } })[1]).toBe(
      '│      next hop 10.255.0.9 via 10.0.1.7 eth1 or 10.0.2.7 eth2, cost 20, origin igp, color:00:1, 1m02s',
    );
    expect(shown({ resolved: { ...resolved, onLink: true, cost: 0, via: via.slice(0, 1) } })[1]).toContain(
      'next hop 10.255.0.9 on the link eth1, origin',
    );
    expect(shown({ interface: '', neighbor: '10.255.0.1', nextHops: [] })).toEqual([
      '│    10.255.0.1  AS 65001 65102  no AIGP  why',
      '│      next hop -, origin igp, color:00:1, 1m02s',
    ]);
  });

  it('names paths of one neighbour by their identifiers', () => {
    const paths = [path(1, { ...PATH, pathId: 7 }), path(1, { pathId: 12 })];
    const lines = renderRoute({ ...ROUTE, paths }, plainPaint);
    expect(lines.filter((line) => line.includes('to-spine1'))).toEqual([
      expect.stringContaining('to-spine1 path 12  AS'),
      expect.stringContaining('to-spine1 path 7   AS'),
    ]);
  });

  it('names no step when there was nothing to decide', () => {
    const only = { ...ROUTE, paths: [PATH] };
    const bottom = (route: Route) => renderRoute(route, plainPaint).find((line) => line.startsWith('└'));
    expect(bottom({ ...only, decidedBy: 'only-path' })).toBe('└▶ preferred, the only path');
    expect(bottom({ ...only, decidedBy: null })).toBe('└▶ preferred');
    expect(bottom({ ...only, decidedBy: null, paths: ROUTE.paths.slice(3) })).toBe('└─ no path is left');
  });

  it('shows a route of our own', () => {
    const local = { ...LOCAL, status: 'preferred', ageMs: 500 } as const;
    const route: Route = { ...ROUTE, colour: null, decidedBy: 'only-path', fib: 'none', paths: [local] };
    expect(renderRoute(route, plainPaint)).toEqual([
      'fc00:2:1:1::/64  from AS 65102  not for the kernel',
      '',
      '1 path',
      '│',
      '└▶ preferred, the only path',
      '     local    no AIGP  best path',
      '       origin igp, 0.5s',
    ]);
  });

  it.each([
    ['pending', null, 'on its way to the kernel'],
    ['failed', 'ENETUNREACH: no route', 'refused by the kernel: ENETUNREACH: no route'],
    ['failed', null, 'refused by the kernel: no reason given'],
  ] as const)('a %s one with error %s', (fib, fibError, words) => {
    const [head] = renderRoute({ ...ROUTE, colour: null, origin: null, fib, fibError }, plainPaint);
    expect(head).toBe(`fc00:2:1:1::/64  ${words}`);
  });
});
