/** Policies on a running fabric, on virtual time: two leaves over two spines, a host prefix of each colour behind leaf 1. */
import { describe, expect, it } from 'vitest';
import { parseAddress } from '../core/net/address.js';
import { parsePrefix } from '../core/net/prefix.js';
import { policy } from '../core/policy/policy.fixture.js';
import type { PolicyChain } from '../core/policy/policy.js';
import type { FabricInterfaceConfig } from '../core/speaker/config.js';
import { link, router } from '../core/speaker/plain-config.js';
import { VirtualFabric } from './virtual-fabric.js';

const SECOND = 1000;

const prefixOf = (colour: number) => parsePrefix(`fc00:1:1:${colour}::/64`)!;

interface Chains {
  /** Of leaf 1 towards both spines. */
  readonly exports?: PolicyChain;
  /** Of leaf 2 from spine 1. */
  readonly imports?: PolicyChain;
}

async function started({ exports, imports }: Chains = {}) {
  const leaf1 = router('leaf1', 65101, {
    role: 'leaf',
    fabric: [1, 2].map((spine) =>
      link(`to-spine${spine}`, { colour: spine, ...(exports && { exportPolicy: exports }) }),
    ),
    advertise: [1, 2].map((colour) => ({ prefix: prefixOf(colour), colour })),
  });
  const leaf2 = router('leaf2', 65102, {
    role: 'leaf',
    fabric: [
      link('to-spine1', { colour: 1, ...(imports && { importPolicy: imports }) }),
      link('to-spine2', { colour: 2 }),
    ],
  });
  const spines = [1, 2].map((spine) =>
    router(`spine${spine}`, 65000 + spine, { fabric: [link('to-leaf1'), link('to-leaf2')] }),
  );
  const routers = [leaf1, leaf2, ...spines].map((config) => ({ name: config.name, config }));
  const wires = [1, 2].flatMap((leaf) =>
    [1, 2].map((spine) => ({
      a: { node: `leaf${leaf}`, interface: `to-spine${spine}` },
      b: { node: `spine${spine}`, interface: `to-leaf${leaf}` },
    })),
  );
  const log = { write: () => {} };
  const fabric = new VirtualFabric({ routers, hosts: [], wires }, { seed: 1, delay: 0.01, log: () => log });
  await fabric.start();
  fabric.raiseLinks();
  await fabric.clock.runUntil(3 * SECOND);
  return fabric;
}

/** What leaf 2 has of the prefix of a colour: interface and status of each path, best first. */
function seen(fabric: VirtualFabric, colour: number): string[] {
  const { rib } = fabric.node('leaf2').speaker!.engine;
  const id = rib.find(prefixOf(colour));
  return id === undefined
    ? []
    : rib.explain(id).paths.map(({ interfaceName, status, reason }) => `${interfaceName} ${reason ?? status}`);
}

async function reconfigured(
  fabric: VirtualFabric,
  name: string,
  change: (link: FabricInterfaceConfig) => FabricInterfaceConfig,
) {
  const { speaker } = fabric.node(name);
  const done = speaker!.reconfigure({ ...speaker!.config, fabric: speaker!.config.fabric.map(change) });
  await fabric.clock.runUntil(fabric.clock.now() + SECOND);
  return done;
}

const sessionsOf = (fabric: VirtualFabric, name: string) =>
  fabric
    .node(name)
    .speaker!.fabricLinks.flatMap((one) => one.sessions().map((session) => session.summary().establishedCount));

const closed = [policy('closed', { match: { colour: [1] }, action: 'reject' })];

describe('policies on a fabric', () => {
  it('leave DPF as it is where there are none', async () => {
    const fabric = await started();
    expect([1, 2].map((colour) => seen(fabric, colour))).toEqual([
      ['to-spine1 best', 'to-spine2 fallback'],
      ['to-spine2 best', 'to-spine1 fallback'],
    ]);
  });

  it('hide what an import policy rejects, with the term, and forward over the rest', async () => {
    const fabric = await started({ imports: closed });
    expect(seen(fabric, 1)).toEqual(['to-spine2 best', 'to-spine1 rejected by import policy closed term 1']);
    expect(seen(fabric, 2)).toEqual(['to-spine2 best', 'to-spine1 fallback']);
    const address = parseAddress('fc00:1:1:1::10')!;
    expect(fabric.node('leaf2').tables.lookup(address)).toHaveLength(1);
  });

  it('pin a prefix to another uplink by the colour that the origin exports', async () => {
    const fabric = await started({ exports: [policy('swap', { match: { colour: [1] }, set: { colour: 2 } })] });
    expect(seen(fabric, 1)).toEqual(['to-spine2 best', 'to-spine1 fallback']);
  });

  it('change while sessions go on: what came in is judged again, what went out is corrected', async () => {
    const fabric = await started();
    await reconfigured(fabric, 'leaf2', (one) => (one.name === 'to-spine1' ? { ...one, importPolicy: closed } : one));
    expect(seen(fabric, 1)[1]).toBe('to-spine1 rejected by import policy closed term 1');
    await reconfigured(fabric, 'leaf1', (one) => ({ ...one, exportPolicy: closed }));
    expect(seen(fabric, 1)).toEqual([]);
    await reconfigured(fabric, 'leaf1', ({ exportPolicy: _, ...one }) => one);
    await reconfigured(fabric, 'leaf2', ({ importPolicy: _, ...one }) => one);
    expect(seen(fabric, 1)).toEqual(['to-spine1 best', 'to-spine2 fallback']);
    expect([...sessionsOf(fabric, 'leaf1'), ...sessionsOf(fabric, 'leaf2')]).toEqual([1, 1, 1, 1]);
  });
});
