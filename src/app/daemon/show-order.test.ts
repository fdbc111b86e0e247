/** One router alone: what it lists keeps its place when a reload replaces it. */
import { describe, expect, it } from 'vitest';
import { parseAddress } from '../../core/net/address.js';
import { link, router } from '../../core/speaker/plain-config.js';
import { VirtualFabric } from '../../simulator/virtual-fabric.js';
import { fabricMatrix } from './fabric-view.js';
import { interfaceViews } from './interface-view.js';
import { neighborViews } from './neighbor-view.js';

const neighbour = (name: string, description = '') => ({
  name,
  address: parseAddress(name)!,
  acceptRemoteAs: [{ kind: 'external' as const }],
  sendColour: true,
  aigp: false,
  description,
});

async function listed() {
  const config = router('leaf', 65101, {
    fabric: [link('to-spine10'), link('to-spine2'), link('to-spine1')],
    neighbours: [neighbour('2001:db8::2'), neighbour('192.0.2.20'), neighbour('192.0.2.3')],
  });
  const log = { write: () => {} };
  const fabric = new VirtualFabric(
    { routers: [{ name: 'leaf', config }], hosts: [], wires: [] },
    { seed: 1, delay: 0.01, log: () => log },
  );
  await fabric.start();
  const speaker = fabric.node('leaf').speaker!;
  const names = () => ({
    neighbors: [...neighborViews(speaker, fabric.clock)].map(({ name }) => name),
    interfaces: [...interfaceViews(speaker)].map(({ name }) => name),
    uplinks: fabricMatrix(speaker).uplinks.map((uplink) => uplink.interface),
  });
  return { speaker, names };
}

const UPLINKS = ['to-spine1', 'to-spine2', 'to-spine10'];
const EXPECTED = {
  neighbors: [...UPLINKS, '192.0.2.3', '192.0.2.20', '2001:db8::2'],
  interfaces: UPLINKS,
  uplinks: UPLINKS,
};

describe('what show lists', () => {
  it('stands in the order of names and addresses', async () => {
    expect((await listed()).names()).toEqual(EXPECTED);
  });

  it('stands in the same order after a reload', async () => {
    const { speaker, names } = await listed();
    const [first, ...rest] = speaker.config.neighbours!;
    const { changes } = await speaker.reconfigure({
      ...speaker.config,
      fabric: speaker.config.fabric.map((one) => (one.name === 'to-spine1' ? { ...one, colour: 3 } : one)),
      neighbours: [{ ...first!, password: 'secret' }, ...rest],
    });
    expect(changes).toHaveLength(2);
    expect(names()).toEqual(EXPECTED);
  });
});
