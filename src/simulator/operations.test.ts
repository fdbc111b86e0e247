/** What an operator does to a running fabric, on virtual time: a leaf between two spines, with a host behind it. */
import { describe, expect, it } from 'vitest';
import { parseAddress } from '../core/net/address.js';
import { parsePrefix } from '../core/net/prefix.js';
import type { FabricInterfaceConfig, SpeakerConfig } from '../core/speaker/config.js';
import { VirtualFabric } from './virtual-fabric.js';

const SECOND = 1000;

function uplink(name: string, part: Partial<FabricInterfaceConfig> = {}): FabricInterfaceConfig {
  return { name, acceptRemoteAs: [{ kind: 'external' }], sendColour: true, aigp: true, ...part };
}

function speaker(name: string, asn: number, part: Partial<SpeakerConfig>): SpeakerConfig {
  return {
    name,
    role: 'spine',
    asn,
    identifier: asn,
    families: ['ipv6-unicast', 'ipv4-unicast'],
    port: 179,
    fabric: [],
    hosts: [],
    advertise: [],
    dpf: { mode: 'policy', aigpOrigin: 0n, aigpStep: 1n },
    timers: { hold: 9, connectRetry: 10, sendHold: 480, routerAdvertisement: 10_000, neighbourLifetime: 30_000 },
    fib: { buckets: 128, idleTimer: 1 },
    manageSwitches: true,
    ...part,
  };
}

const advertised = (...texts: string[]) => texts.map((text) => ({ prefix: parsePrefix(text)! }));

const LEAF = speaker('leaf', 65101, {
  role: 'leaf',
  fabric: [uplink('to-spine1'), uplink('to-spine2')],
  hosts: [
    { name: 'to-host', prefixes: [{ prefix: parsePrefix('fc00:1::/64')!, gateway: parseAddress('fc00:1::1')! }] },
  ],
  advertise: advertised('fc00:a::/64'),
});
const SPINES = [1, 2].map((number) => speaker(`spine${number}`, 65000 + number, { fabric: [uplink('to-leaf')] }));

interface Changes {
  readonly leaf?: Partial<SpeakerConfig>;
  readonly spine?: Partial<SpeakerConfig>;
}

async function running({ leaf = {}, spine = {} }: Changes = {}) {
  const routers = [{ ...LEAF, ...leaf }, { ...SPINES[0]!, ...spine }, SPINES[1]!];
  const log: string[] = [];
  const fabric = new VirtualFabric(
    {
      routers: routers.map((config) => ({ name: config.name, config })),
      hosts: ['host'],
      wires: [
        ...[1, 2].map((number) => ({
          a: { node: 'leaf', interface: `to-spine${number}` },
          b: { node: `spine${number}`, interface: 'to-leaf' },
        })),
        { a: { node: 'leaf', interface: 'to-host' }, b: { node: 'host', interface: 'eth0' } },
      ],
    },
    { seed: 7, delay: 0.01, log: (node) => ({ write: ({ message }) => void log.push(`${node}: ${message}`) }) },
  );
  await fabric.start();
  fabric.raiseLinks();
  await fabric.clock.runUntil(10 * SECOND);
  return { fabric, log };
}

const session = (fabric: VirtualFabric, node: string, link: string) =>
  fabric
    .node(node)
    .speaker!.fabricLinks.find(({ config }) => config.name === link)!
    .sessions()[0]!;

describe('a capability that is switched off on one interface', () => {
  it('is not agreed there, and is elsewhere', async () => {
    const fabricConfig = [uplink('to-spine1', { capabilitiesOff: ['extended-message'] }), uplink('to-spine2')];
    const { fabric } = await running({ leaf: { fabric: fabricConfig } });
    const agreed = ['to-spine1', 'to-spine2'].map((link) => session(fabric, 'leaf', link).summary().negotiated);
    expect(agreed.map((negotiated) => negotiated?.extendedMessage)).toEqual([false, true]);
    expect(agreed.map((negotiated) => negotiated?.routeRefresh)).toEqual([true, true]);
  });
});
