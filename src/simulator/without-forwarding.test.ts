/** A router beside the way of the packets (`fib: { install: false }`), whole and on virtual time. */
import { expect, it } from 'vitest';
import { parsePrefix } from '../core/net/prefix.js';
import { leafSpine } from './leaf-spine.fixture.js';

const PREFIX = 'fc00:1:1:1::/64';

it('selects and passes on routes, and puts none into its kernel', async () => {
  const fabric = await leafSpine({
    uplinks: [{ spine: 1 }],
    prefixes: [{ prefix: PREFIX }],
    changes: { fib: { buckets: 128, idleTimer: 1, install: false } },
  });
  for (const name of ['spine1', 'leaf2']) {
    const { rib } = fabric.node(name).speaker!.engine;
    expect(rib.selection(rib.find(parsePrefix(PREFIX)!)!).best, name).toBeDefined();
    const { nextHops, groups, routes } = await fabric.node(name).tables.dump('everything');
    expect([nextHops, groups, routes], name).toEqual([[], [], []]);
  }
});
