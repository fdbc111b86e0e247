/** Next hops that are not on a neighbour's link, as a whole router on virtual time: from what the host reaches down to packets. */
import { beforeEach, describe, expect, it } from 'vitest';
import { formatAddress, parseAddress } from '../core/net/address.js';
import { parsePrefix } from '../core/net/prefix.js';
import type { NeighbourConfig } from '../core/speaker/config.js';
import { router } from '../core/speaker/plain-config.js';
import { VirtualFabric } from './virtual-fabric.js';

const SECOND = 1000;
const FAR = '2001:db8:f::/64';
const B = '2001:db8:2::1';
const address = (text: string) => parseAddress(text)!;

function internal(text: string, source: string): NeighbourConfig {
  return {
    ...{ name: text, address: address(text), source: address(source), multihop: 4 },
    ...{ acceptRemoteAs: [{ kind: 'internal' }], sendColour: true, aigp: true },
  };
}

/** a and b have two wires and one IBGP session, each by an address of its own, which static routes lead to. */
describe('an IBGP neighbour behind static routes', () => {
  let fabric: VirtualFabric;

  /** Ways of `a` to what `b` is at, as `GATEWAY INTERFACE-INDEX`. */
  function routes(...ways: string[]): void {
    const { reachability } = fabric.node('a');
    const hops = ways.map((way) => {
      const [gateway, index] = way.split(' ');
      return { gateway: address(gateway!), interfaceIndex: Number(index) };
    });
    const route = { prefix: parsePrefix('2001:db8:2::/64')!, metric: 10 };
    if (hops.length > 0) reachability.put({ ...route, hops }, true);
    else reachability.removeHops(({ prefix }) => formatAddress(prefix.address) === '2001:db8:2::');
  }

  const installed = () =>
    fabric
      .node('a')
      .tables.lookup(address('2001:db8:f::9'))
      .map(({ gateway, interfaceIndex }) => `${formatAddress(gateway)} ${interfaceIndex}`)
      .sort();
  const path = () => {
    const { rib } = fabric.node('a').speaker!.engine;
    return rib.explain(rib.find(parsePrefix(FAR)!)!).paths[0]!;
  };
  const settled = () => fabric.clock.runUntil(fabric.clock.now() + SECOND / 2);

  /** `others`: neighbours of each beside the other's loopback address. */
  async function start(others: { readonly a: readonly NeighbourConfig[]; readonly b: readonly NeighbourConfig[] }) {
    const a = router('a', 65001, { neighbours: [internal(B, '2001:db8:1::1'), ...others.a] });
    const advertise = [{ prefix: parsePrefix(FAR)! }];
    const toA = internal('2001:db8:1::1', B);
    const b = router('b', 65001, { identifier: 2, advertise, neighbours: [toA, ...others.b] });
    const wires = ['one', 'two'].map((name) => ({
      a: { node: 'a', interface: name },
      b: { node: 'b', interface: name },
    }));
    const shape = {
      routers: [
        { name: 'a', config: a },
        { name: 'b', config: b },
      ],
      hosts: [],
      wires,
    };
    fabric = new VirtualFabric(shape, { seed: 5, delay: 0.01, log: () => ({ write: () => {} }) });
    await fabric.start();
    fabric.raiseLinks();
    for (const [node, own, last] of [
      ['a', '2001:db8:1::1', 1],
      ['b', B, 2],
    ] as const) {
      const [one, two] = [...fabric.node(node).links.all()];
      one!.addAddress(address(`2001:db8:a::${last}`), 64);
      two!.addAddress(address(`2001:db8:b::${last}`), 64);
      one!.addAddress(address(own), 128);
    }
    const back = {
      prefix: parsePrefix('2001:db8:1::/64')!,
      metric: 1,
      hops: [{ interfaceIndex: 1, gateway: address('2001:db8:a::1') }],
    };
    fabric.node('b').reachability.put(back, false);
    routes('2001:db8:a::2 1');
    await fabric.clock.runUntil(8 * SECOND);
  }

  beforeEach(() => start({ a: [], b: [] }));

  it('is forwarded to over the way that the route has', () => {
    expect(installed()).toEqual(['2001:db8:a::2 1']);
    expect(path()).toMatchObject({ status: 'best', resolution: { onLink: false, cost: 10 } });
  });

  it('moves with the route, and spreads over two ways', async () => {
    routes('2001:db8:b::2 2');
    await settled();
    expect(installed()).toEqual(['2001:db8:b::2 2']);
    routes('2001:db8:a::2 1', '2001:db8:b::2 2');
    await settled();
    expect(installed()).toEqual(['2001:db8:a::2 1', '2001:db8:b::2 2']);
  });

  it('goes on over the other way when one loses carrier, at first in the kernel alone', async () => {
    routes('2001:db8:a::2 1', '2001:db8:b::2 2');
    await settled();
    fabric.fail('a', 'b', 2);
    expect(installed()).toEqual(['2001:db8:a::2 1']);
    await settled();
    expect(path().resolution?.reaches).toHaveLength(1);
    fabric.heal('a', 'b', 2);
    await fabric.clock.runUntil(fabric.clock.now() + 2 * SECOND);
    expect(installed()).toEqual(['2001:db8:a::2 1', '2001:db8:b::2 2']);
  });

  it('has its routes hidden without a way, and back with one', async () => {
    routes();
    await settled();
    expect(installed()).toEqual([]);
    expect(path()).toMatchObject({ status: 'hidden', reason: `next hop ${B} cannot be resolved: no route to it` });
    routes('2001:db8:b::2 2');
    await settled();
    expect(installed()).toEqual(['2001:db8:b::2 2']);
  });

  it('is still forwarded to over both ways when a session with the router on one of them ends', async () => {
    const onLink = (text: string): NeighbourConfig => {
      const { source: _, multihop: __, ...place } = internal(text, text);
      return place;
    };
    await start({ a: [onLink('2001:db8:a::2')], b: [onLink('2001:db8:a::1')] });
    routes('2001:db8:a::2 1', '2001:db8:b::2 2');
    await settled();
    expect(installed()).toEqual(['2001:db8:a::2 1']);
    fabric.node('a').speaker!.configured.all[1]!.keeper.shutdown('2001:db8:a::2');
    await settled();
    expect(installed()).toEqual(['2001:db8:a::2 1', '2001:db8:b::2 2']);
  });
});
