import { describe, expect, it } from 'vitest';
import { EventQueue } from '../../engine/event-queue.js';
import { Packets } from '../../network/packets.js';
import { Ports } from '../../network/ports.js';
import { RateEstimators } from './rate-estimators.js';

const PS = { octet: 80, interval: 50e6 };

function oneLink() {
  const link = { a: 0, b: 1, rate: 100e9, delay: 1e6, loss: 0 };
  const ports = new Ports({ hosts: 0, switches: 2, links: [link], tiers: [0, 1], names: [] }, new Packets());
  const events = new EventQueue();
  const estimators = new RateEstimators(ports, events, { interval: PS.interval, decay: 0.2 });
  const wait = (time: number) => {
    events.schedule(time, 0, 0, 0);
    events.take(time);
  };
  return { estimators, wait };
}

describe('RateEstimators', () => {
  it('is at 1 under line rate, whatever it was before, and forgets by a fifth an interval', () => {
    const { estimators, wait } = oneLink();
    const octets = 1000;
    for (let sent = 0; sent * octets * PS.octet < 5e9; sent++) {
      wait(sent * octets * PS.octet);
      estimators.add(0, octets);
    }
    // Between decays the register climbs from 4/5 to 1.
    wait(5e9 - 1);
    expect(estimators.utilisation(0)).toBeCloseTo(1, 2);
    wait(5e9);
    expect(estimators.utilisation(0)).toBeCloseTo(0.8, 2);
    wait(5e9 + 3 * PS.interval);
    expect(estimators.utilisation(0)).toBeCloseTo(0.8 ** 4, 2);
    expect(estimators.utilisation(1)).toBe(0);
    wait(5e9 + 400 * PS.interval);
    expect(estimators.utilisation(0)).toBe(0);
  });

  it('looked at often or once, decays the same', () => {
    const often = oneLink();
    const once = oneLink();
    for (const { estimators } of [often, once]) estimators.add(0, 1e6);
    for (let interval = 1; interval <= 20; interval++) {
      often.wait(interval * PS.interval);
      often.estimators.utilisation(0);
    }
    once.wait(20 * PS.interval);
    expect(once.estimators.utilisation(0)).toBeCloseTo(often.estimators.utilisation(0), 12);
    expect(once.estimators.level(0, 8)).toBe(Math.floor((1e6 * 80 * 0.8 ** 20 * 8) / 250e6));
  });
});
