/** Whose AS stands first in the AS_PATH of what a neighbour sends. */
import { describe, expect, it } from 'vitest';
import type { PathAttributes } from '../wire/bgp/path-attributes.js';
import { attributesFrom, feed, LOCAL_AS, peerInfo, prefix, settle } from './rib.fixture.js';
import { Rib } from './rib.js';
import type { RibPeerInfo } from './types.js';

const P = '2001:db8::/64';
const HIDDEN = { status: 'hidden', reason: "the AS path does not begin with the neighbour's AS 65001" };
const USED = { status: 'best' };

/** What becomes of a path of the neighbour in AS 65001. */
function judged(asPath: PathAttributes['asPath'], peer: Partial<RibPeerInfo> = {}) {
  const rib = new Rib({ localAs: LOCAL_AS });
  const index = rib.addPeer(peerInfo(1, { options: { enforceFirstAs: true }, ...peer }));
  feed(rib, index, { announce: [P], attributes: attributesFrom(1, { asPath, localPref: 100 }) });
  settle(rib);
  return { rib, index, path: () => rib.explain(rib.find(prefix(P))!).paths[0]! };
}

const sequence = (...asns: number[]): PathAttributes['asPath'] => (asns.length > 0 ? [{ kind: 'sequence', asns }] : []);

describe('a path of an external neighbour', () => {
  it('is used when it begins with the AS of the neighbour', () => {
    expect(judged(sequence(65001, 65009)).path()).toMatchObject(USED);
  });

  it.each([
    ['another AS', sequence(65009, 65001)],
    ['no AS', sequence()],
    ['a set', [{ kind: 'set' as const, asns: [65001] }, ...sequence(65001)]],
  ])('is hidden when it begins with %s, and says so', (_what, asPath) => {
    const { context } = peerInfo(1);
    expect(judged(asPath, { context: { ...context, asSets: true } }).path()).toMatchObject(HIDDEN);
  });

  it('is used whatever it begins with where that is not asked, as behind a route server', () => {
    expect(judged(sequence(65009), { options: {} }).path()).toMatchObject(USED);
  });

  it('is judged anew when that changes', () => {
    const { rib, index, path } = judged(sequence(65009));
    rib.reevaluate(index, { options: {} });
    settle(rib);
    expect(path()).toMatchObject(USED);
    rib.reevaluate(index, { options: { enforceFirstAs: true } });
    settle(rib);
    expect(path()).toMatchObject(HIDDEN);
  });
});

describe('a path of an internal neighbour', () => {
  it('may begin with any AS', () => {
    expect(judged(sequence(65009), { ...peerInfo(1, { external: false }) }).path()).toMatchObject(USED);
  });
});
