/** What goes wrong with cables, streams, addresses and clocks of a simulated fabric, and what a router makes of it. */
import { describe, expect, it } from 'vitest';
import { Impairment } from './impairment.js';
import { leafSpine } from './leaf-spine.fixture.js';
import { SeededRandom } from './seeded-random.js';
import type { VirtualFabric } from './virtual-fabric.js';

const fabricOf = () =>
  leafSpine({
    uplinks: [{ spine: 1, leafEnd: { colour: 1 } }],
    prefixes: [{ prefix: 'fc00:1:1:1::/64', colour: 1 }],
  });
const wait = (fabric: VirtualFabric, milliseconds: number) => fabric.clock.runUntil(fabric.clock.now() + milliseconds);
const session = (fabric: VirtualFabric) => fabric.node('leaf2').speaker!.fabricLinks[0]!.sessions()[0]!.summary();
const uplink = (fabric: VirtualFabric) => fabric.between('leaf2', 'spine1')[0]!;

describe('an impairment', () => {
  const departures = (rates: ConstructorParameters<typeof Impairment>[0]) => {
    const impairment = new Impairment(rates, new SeededRandom(3));
    return Array.from({ length: 1000 }, () => impairment.departures(100, 0));
  };

  it('loses and doubles its share of packets', () => {
    const lost = departures({ loss: 0.25 }).filter(({ length }) => length === 0).length;
    expect(lost).toBeGreaterThan(200);
    expect(lost).toBeLessThan(300);
    expect(departures({ duplication: 1 }).every(({ length }) => length === 2)).toBe(true);
  });

  it('sends one behind the other at its rate, and some out of order', () => {
    expect(departures({ rate: 100_000 })[2]).toEqual([3]);
    const late = departures({ reordering: 0.5, jitter: 10 }).filter(([at = 0]) => at > 0).length;
    expect(late).toBeGreaterThan(400);
    expect(late).toBeLessThan(600);
  });

  it('changes one bit of what it damages', () => {
    const [sent, arrived] = [
      new Uint8Array(8),
      new Impairment({ damage: 1 }, new SeededRandom(3)).damaged(new Uint8Array(8)),
    ];
    expect(arrived.filter((octet, at) => octet !== sent[at])).toHaveLength(1);
  });
});

describe('a session', () => {
  it('stays up over a cable that loses and reorders', async () => {
    const fabric = await fabricOf();
    const end = uplink(fabric);
    end.cable!.impair(
      end,
      new Impairment({ loss: 0.3, duplication: 0.3, reordering: 0.5, jitter: 5 }, new SeededRandom(1)),
    );
    await wait(fabric, 60_000);
    expect(session(fabric)).toMatchObject({ state: 'established', establishedCount: 1 });
  });

  it('comes back after a reset and after a lost end of its connection', async () => {
    const fabric = await fabricOf();
    fabric.node('leaf2').transport.reset('up1');
    await wait(fabric, 15_000);
    expect(session(fabric)).toMatchObject({ state: 'established', establishedCount: 2 });
    fabric.node('leaf2').transport.abandon('up1');
    await wait(fabric, 40_000);
    expect(session(fabric)).toMatchObject({ state: 'established', establishedCount: 3 });
  });

  it('ends by the hold timer of whoever reads nothing, and comes back', async () => {
    const fabric = await fabricOf();
    const { transport } = fabric.node('leaf2');
    transport.stall('up1', true);
    await wait(fabric, 12_000);
    expect(session(fabric).state).not.toBe('established');
    transport.stall('up1', false);
    await wait(fabric, 40_000);
    expect(session(fabric)).toMatchObject({ state: 'established' });
  });

  it('ends by octets that are no message, and comes back', async () => {
    const fabric = await fabricOf();
    fabric.node('leaf2').transport.inject('up1', new Uint8Array(19));
    await wait(fabric, 40_000);
    expect(session(fabric)).toMatchObject({ state: 'established', establishedCount: 2 });
    expect(session(fabric).lastDown).toMatchObject({ kind: 'notification-received', code: 1 });
  });

  it('is with another neighbour when the address of the link changes', async () => {
    const fabric = await fabricOf();
    const end = uplink(fabric);
    end.changeMac(Uint8Array.of(2, 0xff, 0, 0, 0, 1));
    await wait(fabric, 45_000);
    expect(session(fabric)).toMatchObject({ state: 'established' });
    expect(fabric.node('spine1').speaker!.sessions()).toHaveLength(2);
  });

  it('ends by the hold timer of a router whose clock jumps, and comes back', async () => {
    const fabric = await fabricOf();
    const { clock } = fabric.node('leaf2');
    const before = clock.now();
    clock.jump(3_600_000);
    expect(clock.now()).toBe(before + 3_600_000);
    await wait(fabric, 40_000);
    expect(session(fabric)).toMatchObject({ state: 'established', establishedCount: 2 });
  });
});
