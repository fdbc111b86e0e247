/** Path identifiers (RFC 7911) between whole routers: what each direction carries depends on both ends, and on that direction alone. */
import { describe, expect, it } from 'vitest';
import { parsePrefix } from '../core/net/prefix.js';
import type { AddPathConfig } from '../core/speaker/add-path.js';
import type { SessionConfig } from '../core/speaker/config.js';
import { link, router } from '../core/speaker/plain-config.js';
import { VirtualFabric } from './virtual-fabric.js';

const PREFIX = parsePrefix('2001:db8:1::/64')!;
const both = (directions: NonNullable<AddPathConfig['ipv6-unicast']>): Partial<SessionConfig> => ({
  addPath: { 'ipv6-unicast': directions },
});

/** Two sources announce one prefix to a middle, which tells a far router. */
async function chain(middle: Partial<SessionConfig>, far: Partial<SessionConfig>): Promise<VirtualFabric> {
  const source = (n: number) =>
    router(`source${n}`, 65000 + n, {
      role: 'leaf',
      fabric: [link('up')],
      advertise: [{ prefix: PREFIX }],
    });
  const routers = [
    source(1),
    source(2),
    router('middle', 65010, { fabric: [link('source1'), link('source2'), link('far', middle)] }),
    router('far', 65020, { fabric: [link('up', far)] }),
  ];
  const fabric = new VirtualFabric(
    {
      routers: routers.map((config) => ({ name: config.name, config })),
      hosts: [],
      wires: ['source1', 'source2', 'far'].map((name) => ({
        a: { node: 'middle', interface: name },
        b: { node: name, interface: 'up' },
      })),
    },
    { seed: 3, delay: 0.01, log: () => ({ write: () => {} }) },
  );
  await fabric.start();
  fabric.raiseLinks();
  await fabric.clock.runUntil(3000);
  return fabric;
}

function heard(fabric: VirtualFabric): { readonly from: number; readonly pathId: number }[] {
  const { rib } = fabric.node('far').speaker!.engine;
  const id = rib.find(PREFIX);
  const paths = id === undefined ? [] : rib.explain(id).paths;
  return paths.map(({ attributes, pathId }) => ({ from: attributes.asPath[0]!.asns[1]!, pathId }));
}

const origins = (fabric: VirtualFabric) =>
  heard(fabric)
    .map(({ from }) => from)
    .sort();

describe('several paths of a prefix', () => {
  it('reach a router that takes them from one that sends them', async () => {
    const fabric = await chain(both({ receive: false, send: 'all' }), both({ receive: true }));
    expect(origins(fabric)).toEqual([65001, 65002]);
    expect(new Set(heard(fabric).map(({ pathId }) => pathId)).size).toBe(2);
  });

  it('go one by one, and by their identifiers', async () => {
    const fabric = await chain(both({ receive: true, send: { best: 2 } }), both({ receive: true, send: 'all' }));
    const before = heard(fabric);
    fabric.fail('middle', 'source1');
    await fabric.clock.runUntil(6000);
    expect(heard(fabric)).toEqual(before.filter(({ from }) => from === 65002));
    fabric.heal('middle', 'source1');
    await fabric.clock.runUntil(12_000);
    expect(origins(fabric)).toEqual([65001, 65002]);
    expect(heard(fabric)).toEqual(expect.arrayContaining(before.filter(({ from }) => from === 65002)));
  });

  it.each([
    ['sends alone', both({ receive: false, send: 'all' }), {}],
    [
      'may send, to one that would send too',
      both({ receive: false, send: 'all' }),
      both({ receive: false, send: 'all' }),
    ],
    ['takes, to one that takes', both({ receive: true }), both({ receive: true })],
    [
      'has the capability off',
      { ...both({ receive: true, send: 'all' }), capabilitiesOff: ['add-path'] },
      both({ receive: true }),
    ],
  ] as const)('do not leave a router that %s: the best one goes, without an identifier', async (_, middle, far) => {
    const fabric = await chain(middle, far);
    expect(heard(fabric)).toEqual([{ from: 65001, pathId: 0 }]);
  });

  it('are told anew to a neighbour that asks', async () => {
    const fabric = await chain(both({ receive: false, send: 'all' }), both({ receive: true }));
    const before = heard(fabric);
    const speaker = fabric.node('far').speaker!;
    for (const session of speaker.fabricLinks[0]!.sessions()) expect(session.requestRefresh()).toBe(true);
    await fabric.clock.runUntil(5000);
    expect(heard(fabric)).toEqual(before);
  });
});
