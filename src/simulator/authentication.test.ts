/** TCP-AO between two routers on virtual time, and on a kernel that has none. */
import { describe, expect, it } from 'vitest';
import type { AuthenticationKey } from '../core/ports/transport.js';
import { link, router } from '../core/speaker/plain-config.js';
import { VirtualFabric } from './virtual-fabric.js';

const KEY: AuthenticationKey = { sendId: 7, receiveId: 9, algorithm: 'hmac-sha-1-96', password: 'let me in' };
const MIRRORED: AuthenticationKey = { ...KEY, sendId: 9, receiveId: 7 };

const keyed = (name: string, key: AuthenticationKey | undefined) => link(name, key ? { authenticationKey: key } : {});

function pair(a: AuthenticationKey | undefined, b: AuthenticationKey | undefined): VirtualFabric {
  const routers = [
    router('a', 65001, { fabric: [keyed('x', a)] }),
    router('b', 65002, { fabric: [keyed('x', b)] }),
  ].map((config) => ({ name: config.name, config }));
  const wires = [{ a: { node: 'a', interface: 'x' }, b: { node: 'b', interface: 'x' } }];
  const log = { write: () => {} };
  return new VirtualFabric({ routers, hosts: [], wires }, { seed: 5, delay: 0.01, log: () => log });
}

const stateOf = (fabric: VirtualFabric) => fabric.node('a').speaker!.fabricLinks[0]!.sessions()[0]?.summary().state;

async function settled(a: AuthenticationKey | undefined, b: AuthenticationKey | undefined) {
  const fabric = pair(a, b);
  await fabric.start();
  fabric.raiseLinks();
  await fabric.clock.runUntil(10_000);
  return stateOf(fabric);
}

describe('a session with TCP-AO', () => {
  it('comes up where each end sends the id that the other one expects', async () => {
    expect(await settled(KEY, MIRRORED)).toBe('established');
  });

  it.each<[string, AuthenticationKey | undefined]>([
    ['another password', { ...MIRRORED, password: 'let me out' }],
    ['another id', { ...MIRRORED, sendId: 10 }],
    ['another algorithm', { ...MIRRORED, algorithm: 'aes-128-cmac-96' }],
    ['no key', undefined],
  ])('does not come up with %s', async (_name, other) => {
    expect(await settled(KEY, other)).not.toBe('established');
  });
});

describe('a kernel without TCP-AO', () => {
  it('lets no router start that needs it', async () => {
    const fabric = pair(KEY, MIRRORED);
    fabric.node('a').transport.authenticationObstacle = 'the kernel has no TCP-AO';
    await expect(fabric.start()).rejects.toThrow('fabric.x.tcp-ao: the kernel has no TCP-AO');
  });

  it('lets no router change to it, and nothing is applied', async () => {
    const fabric = pair(undefined, undefined);
    await fabric.start();
    fabric.raiseLinks();
    await fabric.clock.runUntil(10_000);
    const { speaker, transport } = fabric.node('a');
    transport.authenticationObstacle = 'the kernel has no TCP-AO';
    const before = speaker!.config;
    expect(await speaker!.reconfigure({ ...before, fabric: [keyed('x', KEY)] })).toEqual({
      restart: [],
      changes: [],
      problem: 'fabric.x.tcp-ao: the kernel has no TCP-AO',
    });
    expect(speaker!.config).toBe(before);
    expect(stateOf(fabric)).toBe('established');
  });
});
