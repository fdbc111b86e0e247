/** NNHN through a fabric: a spine says of each prefix which leaves are behind it, and forwards what nobody else said. */
import { describe, expect, it } from 'vitest';
import { parsePrefix } from '../core/net/prefix.js';
import { receivedNextNextHops } from '../core/rib/next-next-hops.js';
import { leafSpine } from './leaf-spine.fixture.js';

const P = 'fc00:1:1:1::/64';

async function behind(nextNextHop: boolean, links = 1) {
  const uplinks = [...Array.from({ length: links }, () => ({ spine: 1 })), { spine: 2 }];
  const fabric = await leafSpine({ uplinks, prefixes: [{ prefix: P }], changes: { nextNextHop } });
  const { rib } = fabric.node('leaf2').speaker!.engine;
  const { paths } = rib.explain(rib.find(parsePrefix(P)!)!);
  return paths.map((path) => receivedNextNextHops(path.attributes, rib.peer(path.peer)!.identifier));
}

describe('next-next-hop nodes in a fabric', () => {
  it('are the far leaf on every path, on each session with its own next hop', async () => {
    expect(await behind(true)).toEqual([[65101], [65101]]);
  });

  it('name a leaf once, however many links lead to it', async () => {
    expect(await behind(true, 2)).toEqual([[65101], [65101], [65101]]);
  });

  it('are not said unless they are configured', async () => {
    expect(await behind(false)).toEqual([undefined, undefined]);
  });
});
