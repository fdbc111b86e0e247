import { describe, expect, it } from 'vitest';
import { preferredOf, routeOf } from '../app/verify/model.js';
import { expectationOf } from './expectation.js';
import { fabricPlan } from './fabric-plan.js';
import { Intent } from './intent.js';
import { PLAIN_FABRIC } from './plain-fabric.js';

const plan = fabricPlan({ ...PLAIN_FABRIC, pods: 2 });
const PREFIX = 'fc00:1:1:1::/64';

function pathsAt(router: string, ...cut: readonly string[]) {
  const intent = new Intent(plan);
  for (const link of cut) intent.cut.add(link);
  const route = routeOf(expectationOf(intent).prediction, router, PREFIX);
  return route.paths.map(({ peer, use, aigp }) => `${peer} ${use} ${aigp ?? '-'}`);
}

describe('two pods of two spines and two leaves under superspines', () => {
  it('have links of leaves in their pods, and of spines in their planes', () => {
    const names = plan.links.map(({ a, b }) => `${a.node}:${b.node}`);
    expect(names).toContain('leaf3:spine4');
    expect(names).not.toContain('leaf3:spine1');
    expect(names.filter((name) => name.includes('super'))).toEqual([
      'spine1:super1',
      'spine1:super2',
      'spine2:super3',
      'spine2:super4',
      'spine3:super1',
      'spine3:super2',
      'spine4:super3',
      'spine4:super4',
    ]);
  });

  it('reach a prefix over the plane of its colour, with the others behind', () => {
    expect(pathsAt('leaf3')).toEqual(['spine3 preferred 3', 'spine4 fallback -']);
    expect(pathsAt('spine3')).toEqual(['super1 preferred 2', 'super2 preferred 2']);
    expect(pathsAt('super1')).toEqual(['spine1 preferred 1']);
    // The way down and up again that spine 3 has over the other superspine.
    expect(pathsAt('super2')).toEqual(['spine1 preferred 1', 'spine3 fallback 3']);
  });

  it('go down and up again where a superspine has no other way', () => {
    expect(pathsAt('super1', 'spine1:super1')).toEqual(['spine3 preferred 3']);
    expect(pathsAt('spine3', 'spine1:super1')).toEqual(['super2 preferred 2']);
  });

  it('take another plane where the spine of the origin has lost it', () => {
    const intent = new Intent(plan);
    intent.cut.add('leaf1:spine1');
    const { prediction } = expectationOf(intent);
    expect(preferredOf(routeOf(prediction, 'leaf3', PREFIX))).toEqual(['to-spine4']);
    expect(routeOf(prediction, 'super1', PREFIX).paths).toEqual([]);
  });
});
