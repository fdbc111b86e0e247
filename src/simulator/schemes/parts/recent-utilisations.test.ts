import { describe, expect, it } from 'vitest';
import { EventQueue } from '../../engine/event-queue.js';
import { Packets } from '../../network/packets.js';
import { Ports } from '../../network/ports.js';
import { RecentUtilisations } from './recent-utilisations.js';

const TIME_CONSTANT = 210e6;
const PS_PER_OCTET = 80;

function oneLink() {
  const link = { a: 0, b: 1, rate: 100e9, delay: 1e6, loss: 0 };
  const ports = new Ports({ hosts: 0, switches: 2, links: [link], tiers: [0, 1], names: [] }, new Packets());
  const events = new EventQueue();
  return { events, of: new RecentUtilisations(ports, events, TIME_CONSTANT) };
}

describe('RecentUtilisations', () => {
  it('comes to the share of the rate that is in use', () => {
    const { events, of } = oneLink();
    for (const share of [1, 0.25]) {
      const gap = (1000 * PS_PER_OCTET) / share;
      for (let packet = 0; packet < 20_000 * share; packet++) {
        of.add(0, 1000);
        events.now += gap;
      }
      expect(of.utilisation(0)).toBeCloseTo(share, 1);
    }
    expect(of.utilisation(1)).toBe(0);
  });

  it('fades in proportion to the time that passes, and is nothing after its time constant', () => {
    const { events, of } = oneLink();
    of.add(0, 1e6);
    const full = of.utilisation(0);
    events.now = TIME_CONSTANT / 4;
    expect(of.utilisation(0)).toBeCloseTo(full * 0.75, 12);
    of.add(0, 1e6);
    expect(of.utilisation(0)).toBeCloseTo(full * 1.75, 12);
    events.now = TIME_CONSTANT * 2;
    expect(of.utilisation(0)).toBe(0);
  });
});
