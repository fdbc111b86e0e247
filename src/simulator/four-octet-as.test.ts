/** A session without AS numbers of four octets between routers that have them (RFC 6793 section 4.2), on virtual time. */
import { describe, expect, it } from 'vitest';
import { parsePrefix } from '../core/net/prefix.js';
import { link, router } from '../core/speaker/plain-config.js';
import { VirtualFabric } from './virtual-fabric.js';

const NEAR = parsePrefix('fc00:1::/64')!;
const FAR = parsePrefix('fc00:2::/64')!;

/** near - here - there - far; `here` switches them off towards `there`. */
async function chain(): Promise<VirtualFabric> {
  const off = { capabilitiesOff: ['four-octet-as' as const] };
  const routers = [
    router('near', 4200000101, { fabric: [link('a')], advertise: [{ prefix: NEAR }] }),
    router('here', 65001, { fabric: [link('a'), link('b', off)] }),
    router('there', 65002, { fabric: [link('b'), link('c')] }),
    router('far', 4200000102, { fabric: [link('c')], advertise: [{ prefix: FAR }] }),
  ];
  const wire = (name: string, a: string, b: string) => ({
    a: { node: a, interface: name },
    b: { node: b, interface: name },
  });
  const fabric = new VirtualFabric(
    {
      routers: routers.map((config) => ({ name: config.name, config })),
      hosts: [],
      wires: [wire('a', 'near', 'here'), wire('b', 'here', 'there'), wire('c', 'there', 'far')],
    },
    { seed: 5, delay: 0.01, log: () => ({ write: () => {} }) },
  );
  await fabric.start();
  fabric.raiseLinks();
  await fabric.clock.runUntil(5000);
  return fabric;
}

function pathAt(fabric: VirtualFabric, node: string, prefix: typeof NEAR) {
  const { rib } = fabric.node(node).speaker!.engine;
  const id = rib.find(prefix);
  return id === undefined ? undefined : rib.explain(id).paths.map(({ attributes }) => attributes.asPath);
}

describe('four-octet-as: false', () => {
  it('speaks two octets on that session alone, and loses no AS number in either direction', async () => {
    const fabric = await chain();
    const agreed = ['near', 'here', 'there', 'far'].map((node) =>
      fabric
        .node(node)
        .speaker!.fabricLinks.map((one) => [one.config.name, one.sessions()[0]?.summary().negotiated?.fourOctetAs]),
    );
    expect(agreed).toEqual([
      [['a', true]],
      [
        ['a', true],
        ['b', false],
      ],
      [
        ['b', false],
        ['c', true],
      ],
      [['c', true]],
    ]);
    expect(pathAt(fabric, 'far', NEAR)).toEqual([[{ kind: 'sequence', asns: [65002, 65001, 4200000101] }]]);
    expect(pathAt(fabric, 'near', FAR)).toEqual([[{ kind: 'sequence', asns: [65001, 65002, 4200000102] }]]);
    expect(pathAt(fabric, 'there', NEAR)).toEqual([[{ kind: 'sequence', asns: [65001, 4200000101] }]]);
  });
});
