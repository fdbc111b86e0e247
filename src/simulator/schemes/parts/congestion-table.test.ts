import { describe, expect, it } from 'vitest';
import { EventQueue } from '../../engine/event-queue.js';
import { CongestionTable } from './congestion-table.js';

const AGING = 1000;

function table() {
  const events = new EventQueue();
  return { events, of: new CongestionTable(events, 3, 4, AGING) };
}

describe('CongestionTable', () => {
  it('has a metric for each pair and uplink, 0 where nothing is known', () => {
    const { of } = table();
    of.set(2, 1, 3, 7);
    expect([of.metric(2, 1, 3), of.metric(1, 2, 3), of.metric(2, 1, 2), of.metric(2, 2, 3)]).toEqual([7, 0, 0, 0]);
  });

  it('tells in turn, and of what has changed before that', () => {
    const { of } = table();
    expect(of.nextInTurn(0, 1)).toBe(-1);
    for (const uplink of [0, 1, 3]) of.set(0, 1, uplink, 1);
    const told = () => of.nextInTurn(0, 1);
    expect([told(), told(), told(), told(), told()]).toEqual([1, 3, 0, 1, 3]);
    of.set(0, 1, 3, 1);
    of.set(0, 1, 1, 2);
    expect([told(), told(), told()]).toEqual([1, 3, 0]);
  });

  it('does not tell of what is too old', () => {
    const { of, events } = table();
    of.set(0, 1, 0, 5);
    events.now = 600;
    of.set(0, 1, 2, 5);
    events.now = AGING + 1;
    expect([of.metric(0, 1, 0), of.nextInTurn(0, 1), of.nextInTurn(0, 1)]).toEqual([0, 2, 2]);
    expect(of.any(0, 1, () => 0.99)).toBe(2);
    events.now = 5000;
    expect(of.any(0, 1, () => 0)).toBe(-1);
  });

  it('draws any that is known', () => {
    const { of } = table();
    for (const uplink of [1, 2]) of.set(1, 0, uplink, 0);
    expect([0, 0.49, 0.5, 0.99].map((drawn) => of.any(1, 0, () => drawn))).toEqual([1, 1, 2, 2]);
  });
});
