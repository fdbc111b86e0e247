/** Prefixes that are decided together, against the same ones that are decided one by one: what was decided before must not matter. */

import { expect, it } from 'vitest';
import fc from '../../../test/harness/properties.js';
import { attributesFrom, feed, LOCAL_AS, peerInfo, prefix, settle } from './rib.fixture.js';
import { Rib } from './rib.js';

const PREFIXES = ['2001:db8:1::/64', '2001:db8:2::/64', '2001:db8:3::/64', '2001:db8:4::/64'] as const;
const LENGTHS = [1, 2] as const;

/** By prefix, what each of three peers says of it: the length of its AS_PATH, or nothing. */
const tableArb = fc.array(fc.tuple(...[1, 2, 3].map(() => fc.option(fc.constantFrom(...LENGTHS)))), {
  minLength: PREFIXES.length,
  maxLength: PREFIXES.length,
});
type Table = typeof tableArb extends fc.Arbitrary<infer T> ? T : never;

function ribAfter(tables: readonly Table[], isOneByOne: boolean): Rib {
  const rib = new Rib({ localAs: LOCAL_AS });
  // The last two share what paths are told apart by.
  const peers = [peerInfo(1), peerInfo(2), peerInfo(3, { identifier: 2 })].map((info) => rib.addPeer(info));
  for (const table of tables) {
    for (const [place, said] of table.entries()) {
      const text = PREFIXES[place]!;
      for (const [at, length] of said.entries()) {
        const attributes = attributesFrom(1, { asPath: [{ kind: 'sequence', asns: Array(length ?? 0).fill(66000) }] });
        feed(rib, peers[at]!, length === null ? { withdraw: [text] } : { announce: [text], attributes });
      }
      if (isOneByOne) settle(rib);
    }
    settle(rib);
  }
  return rib;
}

it('decides prefixes together as it does one by one', () => {
  fc.assert(
    fc.property(fc.array(tableArb, { minLength: 1, maxLength: 4 }), (tables) => {
      const [together, alone] = [ribAfter(tables, false), ribAfter(tables, true)];
      const explained = (rib: Rib, text: string) => {
        const id = rib.find(prefix(text));
        return id === undefined ? undefined : rib.explain(id);
      };
      for (const text of PREFIXES) expect(explained(together, text)).toEqual(explained(alone, text));
    }),
    { numRuns: 60 },
  );
});

it('does not take a decision for that about others with the same attributes', () => {
  const rib = ribAfter(
    [
      [
        [1, 2, 2],
        [2, 1, 2],
        [2, 1, 2],
        [null, 1, 2],
      ],
    ],
    false,
  );
  const best = PREFIXES.map((text) => rib.selection(rib.find(prefix(text))!).best?.peer);
  expect(best).toEqual([1, 2, 2, 2]);
});
