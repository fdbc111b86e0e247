/** Sessions over link-local addresses found by router advertisements: bugs of the field as seen by whole routers. docs/field-bugs.md has all. */
import { describe, expect, it } from 'vitest';
import { formatAddress, parseAddress } from '../../src/core/net/address.js';
import { parsePrefix } from '../../src/core/net/prefix.js';
import { link, router } from '../../src/core/speaker/plain-config.js';
import { keepalive, open, rawMessage } from '../../src/simulator/hostile-peer.js';
import { FRIEND_PREFIX, HostileStage, SECOND } from '../../src/simulator/hostile-stage.fixture.js';
import { VirtualFabric } from '../../src/simulator/virtual-fabric.js';
import { bytes } from '../harness/bgp-bytes.js';

describe('unnumbered', () => {
  it('two routers on one link each have a session, whichever link-local addresses they have', async () => {
    const stage = await HostileStage.ready();
    const second = parseAddress('fe80:0:0:1::7')!;
    stage.foePort.addAddress(second, 64);
    const foes = [await stage.established(), await stage.established({ identifier: 7 }, second)];
    expect(foes.map(({ closed }) => closed)).toEqual([false, false]);
    const sessions = stage.toFoe.sessions();
    expect(sessions.map((session) => session.summary().state)).toEqual(['established', 'established']);
    expect(sessions.map(({ address }) => formatAddress(address))).toContain('fe80:0:0:1::7');
  });

  it('the same link-local address on every port, ours and theirs, is a session for every port', async () => {
    const fabric = twoLinks();
    for (const name of ['a', 'b']) for (const port of fabric.node(name).links.all()) port.mac[5] = 1;
    await fabric.start();
    fabric.raiseLinks();
    await fabric.clock.runUntil(3 * SECOND);
    const a = fabric.node('a').speaker!;
    const sessions = a.fabricLinks.flatMap((one) => one.sessions());
    expect(sessions.map((session) => session.summary().state)).toEqual(['established', 'established']);
    expect(new Set(sessions.map(({ address }) => formatAddress(address))).size).toBe(1);
    const { rib } = a.engine;
    const ways = () => rib.selection(rib.find(parsePrefix('fc00:b::/64')!)!).primary.map((path) => path.interfaceName);
    expect(ways().sort()).toEqual(['one', 'two']);
    fabric.fail('a', 'b', 1);
    await fabric.clock.runUntil(4 * SECOND);
    expect(ways()).toEqual(['two']);
  });

  it('nothing is connected or told before our link-local address is usable, and no next hop is ever ::', async () => {
    const stage = new HostileStage();
    await stage.fabric.start();
    stage.fabric.raiseLinks();
    await stage.pass(0.9 * SECOND);
    const [toFriend] = stage.router.fabricLinks;
    expect(toFriend!.reason).toMatch(/^link-local address fe80::.* is tentative/);
    expect(toFriend!.sessions()).toEqual([]);
    await stage.pass(2 * SECOND);
    expect(toFriend!.sessions().map((session) => session.summary().state)).toEqual(['established']);
    expect(stage.routeOf(FRIEND_PREFIX)?.attributes.nextHop?.linkLocal).toEqual(friendAddress(stage));
  });

  it('router advertisements leave by declared links only', async () => {
    const stage = new HostileStage({ router: { fabric: [link('to-friend')] } });
    let packets = 0;
    stage.foePort.receivers.add(() => packets++);
    await stage.fabric.start();
    stage.fabric.raiseLinks();
    await stage.pass(60 * SECOND);
    expect(packets).toBe(0);
  });

  it('addresses that come and go, on this interface or another, change no next hop and end no session', async () => {
    const stage = await HostileStage.ready();
    const address = parseAddress('2001:db8::1')!;
    const ports = ['to-friend', 'to-foe'].map((name) => stage.fabric.node('router').links.byName(name)!);
    const friendPort = stage.fabric.node('friend').links.byName('to-router')!;
    for (const port of [...ports, friendPort]) port.addAddress(address, 64);
    await stage.pass(SECOND);
    for (const port of [...ports, friendPort]) port.deleteAddress(address);
    await stage.pass(SECOND);
    expect(stage.routeOf(FRIEND_PREFIX)?.attributes.nextHop).toEqual({ linkLocal: friendAddress(stage) });
    stage.expectUnharmed();
  });

  it('what is offered is the same in the first session, after a flap of the link and after a restart', async () => {
    const stage = await HostileStage.ready();
    const offered = () => stage.router.fabricLinks[0]!.sessions()[0]?.summary().negotiated?.localOpen.capabilities;
    const first = offered();
    expect(first?.map(({ kind }) => kind)).toContain('extended-next-hop');
    stage.fabric.fail('router', 'friend');
    await stage.pass(SECOND);
    stage.fabric.heal('router', 'friend');
    await stage.pass(4 * SECOND);
    expect(offered()).toEqual(first);
    const before = stage.router;
    void before.stop();
    await stage.pass(2 * SECOND);
    await stage.fabric.node('router').start(stage.config);
    await stage.pass(4 * SECOND);
    expect(stage.router).not.toBe(before);
    expect(offered()).toEqual(first);
  });

  it('a neighbour that lets nobody in is shown with what it said', async () => {
    const stage = await HostileStage.ready();
    const foe = await stage.connect();
    foe.send(open(), keepalive, rawMessage(3, bytes('0605')));
    await stage.pass(SECOND);
    expect(stage.toFoe.sessions()[0]!.summary().lastDown?.message).toContain('Connection Rejected');
  });

  it('a neighbour whose kernel resets each connection is shown with that', async () => {
    const stage = await HostileStage.ready();
    (await stage.connect()).hangUp();
    await stage.pass(10);
    expect(stage.toFoe.sessions()[0]!.summary().lastDown?.message).toContain('reset');
  });
});

function friendAddress(stage: HostileStage) {
  return stage.fabric.node('friend').links.byName('to-router')!.linkLocal;
}

function twoLinks(): VirtualFabric {
  const names = ['one', 'two'];
  const routers = ['a', 'b'].map((name, index) => ({
    name,
    config: router(name, 65001 + index, {
      fabric: names.map((port) => link(port)),
      advertise: [{ prefix: parsePrefix(`fc00:${name}::/64`)! }],
    }),
  }));
  const wires = names.map((port) => ({ a: { node: 'a', interface: port }, b: { node: 'b', interface: port } }));
  return new VirtualFabric({ routers, hosts: [], wires }, { seed: 3, delay: 0.01, log: () => ({ write: () => {} }) });
}
