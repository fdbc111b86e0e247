import { describe, expect, it } from 'vitest';
import { NEIGHBOR } from '../../../edge/control/samples.fixture.js';
import type { Neighbor, Route } from '../../../edge/control/schema.js';
import { PATH, path, ROUTE } from '../render/route.fixture.js';
import { explainNoRoute, explainRoute } from './explanation.js';

function neighbor(spine: number, rest: Partial<Neighbor> = {}): Neighbor {
  return { ...NEIGHBOR, interface: `to-spine${spine}`, address: `fe80::${spine}`, hostname: `spine${spine}`, ...rest };
}

const NEIGHBORS = [1, 2, 3, 4].map((spine) => neighbor(spine));

describe('a route', () => {
  it('is told with its way, the reason, what takes over, the kernel, and why not the others', () => {
    expect(explainRoute(ROUTE, NEIGHBORS).map(({ text }) => text)).toEqual([
      'fc00:2:1:1::/64 of colour 1 (green) goes over to-spine1, towards AS 65102.',
      'Its accumulated metric (AIGP) and the cost to its next hop are the lowest: the AIGP is 1; to-spine2 has none, which counts as infinite.',
      'When that fails, packets go over to-spine2: that route is in place behind it.',
      'The kernel has it so.',
      'Not preferred: to-spine2, no AIGP counts as infinite.',
      'Not preferred: to-spine4, lower local preference.',
      'Not preferred: to-spine3, own AS in AS_PATH.',
    ]);
  });

  it('is told the same whatever came first', () => {
    const reversed = { ...ROUTE, paths: ROUTE.paths.toReversed() };
    expect(explainRoute(reversed, NEIGHBORS)).toEqual(explainRoute(ROUTE, NEIGHBORS));
  });

  it('is told with the neighbours that no path is from, and why', () => {
    const alone = { ...ROUTE, decidedBy: 'only-path', paths: [ROUTE.paths[0]!] };
    const down = { state: 'idle', why: 'nobody answers at TCP port 179', next: 'start BGP there' } as const;
    const texts = explainRoute(alone, [neighbor(1), neighbor(2), neighbor(3, down)]).map(({ text }) => text);
    expect(texts.slice(1)).toEqual([
      'It is the only path that can be used.',
      'Nothing is behind it: when that fails, the prefix is withdrawn.',
      'The kernel has it so.',
      'to-spine2 (spine2) has a session and tells no path to it.',
      'to-spine3 (spine3) has no session, down for 1m40s: nobody answers at TCP port 179. Next: start BGP there.',
    ]);
  });

  it('has several ways that are equal, and one reason for those that are not', () => {
    const [first, second, third, fourth] = [1, 2, 3, 4].map((spine) =>
      path(spine, { status: 'preferred', step: null }),
    );
    const far = { status: 'fallback', step: 'as-path-length', reason: 'longer AS_PATH' } as const;
    const paths = [first!, second!, { ...third!, ...far }, { ...fourth!, ...far }];
    const texts = explainRoute({ ...ROUTE, decidedBy: 'router-id', paths }, NEIGHBORS).map(({ text }) => text);
    expect(texts).toEqual([
      'fc00:2:1:1::/64 of colour 1 (green) goes over to-spine1 and to-spine2, towards AS 65102.',
      'They are equal in all that comes before the neighbours themselves are compared, and share the load.',
      'When that fails, packets go over to-spine3 and to-spine4: that route is in place behind it.',
      'The kernel has it so.',
      'Not preferred: to-spine3 and to-spine4, longer AS_PATH.',
    ]);
  });

  it('of our own has no way and nothing behind it', () => {
    const local = { ...PATH, interface: null, neighbor: null };
    const own: Route = { ...ROUTE, colour: null, decidedBy: 'local-origin', fib: 'none', paths: [local] };
    expect(explainRoute(own, [])).toEqual([
      { topic: 'way', text: 'fc00:2:1:1::/64 is originated here.' },
      { topic: 'why', text: 'Of 1 path it was chosen because a route of our own is before any that is learned.' },
    ]);
  });

  it('goes nowhere when no path can be used, and says what the kernel refused', () => {
    const looped = { ...PATH, status: 'ineligible', reason: 'own AS in AS_PATH' } as const;
    expect(
      explainRoute({ ...ROUTE, decidedBy: 'no-path', fib: 'none', paths: [looped] }, []).map(({ text }) => text),
    ).toEqual([
      'fc00:2:1:1::/64 of colour 1 (green) goes nowhere: no path to it can be used.',
      `Not preferred: ${looped.interface}, own AS in AS_PATH.`,
    ]);
    const refused = explainRoute({ ...ROUTE, fib: 'failed', fibError: 'ENOSPC' }, NEIGHBORS);
    expect(refused).toContainEqual({ topic: 'kernel', text: 'The kernel refused it: ENOSPC.' });
  });

  it('that is not there may be missing because of who has no session', () => {
    const down = neighbor(2, { state: 'active', why: null, reason: 'no answer', next: null });
    expect(explainNoRoute('no route to ::1', [neighbor(1), down]).map(({ text }) => text)).toEqual([
      'There is no route to ::1.',
      'to-spine2 (spine2) has no session, down for 1m40s: no answer.',
    ]);
    expect(explainNoRoute('no route to ::1', [neighbor(1)])[0]?.text).toContain('every neighbour has a session');
  });
});
