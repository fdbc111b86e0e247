/** Somebody on a link invents addresses: real routers still get their sessions. */
import { describe, expect, it } from 'vitest';
import { advertisementOn } from '../core/discovery/router-link.js';
import { type Address, formatAddress, parseAddress } from '../core/net/address.js';
import { encodeRouterAdvertisement } from '../core/wire/icmpv6/encode-nd-message.js';
import { HostileStage, SECOND } from './hostile-stage.fixture.js';

/** As long as it can be: nothing ages out by itself. */
const advertisement = encodeRouterAdvertisement(
  advertisementOn({ linkLocal: parseAddress('fe80::1')!, mac: new Uint8Array(0), mtu: 9216 }, 9000),
);

const invented = (number: number): Address => parseAddress(`fe80::dead:${number.toString(16)}`)!;

async function crowded(): Promise<HostileStage> {
  const stage = await HostileStage.ready();
  for (let number = 1; number <= 100; number++) stage.deliver(invented(number), advertisement);
  expect(stage.toFoe.sessions()).toHaveLength(64);
  return stage;
}

describe('a link with more invented addresses than there is room for', () => {
  it('has a session with the router that connects, at once', async () => {
    const stage = await crowded();
    const foe = await stage.established();
    expect(foe.closed).toBe(false);
    expect(stage.toFoe.sessions()).toHaveLength(65);
    expect(stage.toFoe.sessions().at(-1)!.summary().state).toBe('established');
  });

  it('has a place for a router that is heard later', async () => {
    const stage = await crowded();
    await stage.pass(11 * SECOND);
    const { linkLocal } = stage.foePort;
    stage.deliver(linkLocal!, advertisement);
    const names = stage.toFoe.sessions().map(({ address }) => formatAddress(address));
    expect(names).toHaveLength(64);
    expect(names).toContain(formatAddress(linkLocal!));
    await stage.established();
    // Who has spoken BGP keeps its place, whatever comes after it.
    for (let number = 200; number <= 400; number++) {
      await stage.pass(SECOND / 4);
      stage.deliver(invented(number), advertisement);
    }
    expect(stage.toFoe.heard().map(({ address }) => formatAddress(address))).toContain(formatAddress(linkLocal!));
  });

  it('forgets the one without a connection first when they connect and hang up', async () => {
    const stage = await HostileStage.ready();
    const foe = await stage.established();
    const { toFoe } = stage;
    const stream = (number: number, closed: (close: () => void) => void) => ({
      interfaceName: 'to-foe',
      local: toFoe.linkLocal!,
      remote: invented(number),
      localPort: 179,
      remotePort: 50_000 + number,
      pending: 0,
      start: (handlers: { closed(error?: Error): void }) => closed(() => handlers.closed()),
      write: () => true,
      pause: () => undefined,
      resume: () => undefined,
      end: () => {},
      destroy: () => {},
    });
    for (let number = 1; number <= 200; number++) toFoe.accept(stream(number, (close) => close()));
    expect(toFoe.sessions()).toHaveLength(64);
    expect(foe.closed).toBe(false);
    for (let number = 201; number <= 400; number++) toFoe.accept(stream(number, () => {}));
    expect(toFoe.sessions()).toHaveLength(64);
    expect(toFoe.sessions().every(({ openConnections }) => openConnections === 1)).toBe(true);
    expect(foe.closed).toBe(false);
  });
});
