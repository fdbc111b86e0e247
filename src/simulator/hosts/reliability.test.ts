import { describe, expect, it } from 'vitest';
import type { EventQueue } from '../engine/event-queue.js';
import type { FabricSettings, Workload } from '../network/fabric-simulation.js';
import { flowList, smallClos, smallFabric } from '../network/small-fabric.fixture.js';
import type { Topology } from '../network/topology.js';
import { Drill, drill } from '../schemes/drill.js';
import { stridePermutation } from '../workload/arrivals.js';
import { Exchange, intact, type Network } from './exchange.fixture.js';
import { GoBackN } from './go-back-n.js';
import { Irn } from './irn.js';
import { PlacingNic } from './placing-nic.js';
import type { QueuePairs } from './queue-pairs.js';
import type { Reliability } from './reliability.js';

const PAYLOAD = 1000;
const goBackN = (firstPsn = 0) => new Exchange((queuePairs, events) => new GoBackN(queuePairs, events), firstPsn);
const irn = (firstPsn = 0) => new Exchange((queuePairs) => new Irn(queuePairs, PAYLOAD), firstPsn);
const placing = (reorderWindow = 64, firstPsn = 0) =>
  new Exchange((queuePairs) => new PlacingNic(queuePairs, { reorderWindow, timeout: 4e9 }), firstPsn);
const PROFILES = [
  ['go-back-N', goBackN],
  ['IRN', irn],
  ['a placing NIC', () => placing()],
] as const;

const numbers = (from: number, to: number) => Array.from({ length: to - from }, (_, index) => from + index);
/** The first burst with its last two packets swapped. */
const lastTwoSwapped: Network = (burst, round) =>
  round > 0 ? burst : [...burst.slice(0, -2), burst.at(-1)!, burst.at(-2)!];
const lost =
  (...psns: number[]): Network =>
  (burst, round) =>
    round > 0 ? burst : burst.filter((psn) => !psns.includes(psn));

describe.each(PROFILES)('%s', (_, make) => {
  it('says nothing while all is in order', () => {
    const exchange = make();
    exchange.send(50, intact);
    expect([exchange.bursts, exchange.complaints, exchange.timeouts]).toEqual([[numbers(0, 50)], 0, 0]);
  });

  it('learns that the last packet is lost by a time-out only, and sends that one again', () => {
    const exchange = make();
    exchange.send(10, lost(9));
    expect([exchange.complaints, exchange.timeouts]).toEqual([0, 1]);
    expect(exchange.bursts).toEqual([numbers(0, 10), [9]]);
  });

  it('goes on after the same packet is lost several times', () => {
    const exchange = make();
    exchange.send(10, (burst, round) => burst.filter((psn) => round > 3 || psn !== 4));
    expect(exchange.queuePairs.unacknowledged[exchange.qp]).toBe(10);
  });
});

describe('two packets that are swapped', () => {
  it('make go-back-N complain once and go back once', () => {
    const exchange = goBackN();
    exchange.send(10, lastTwoSwapped);
    expect([exchange.complaints, exchange.timeouts]).toEqual([1, 0]);
    expect(exchange.bursts).toEqual([numbers(0, 10), [9]]);
  });

  it('make IRN complain once, and send nothing again that has come', () => {
    const exchange = irn();
    exchange.send(10, lastTwoSwapped);
    expect([exchange.complaints, exchange.bursts.length]).toEqual([1, 1]);
  });

  it('are nothing to a placing NIC', () => {
    const exchange = placing();
    exchange.send(10, lastTwoSwapped);
    expect([exchange.complaints, exchange.bursts.length]).toEqual([0, 1]);
  });
});

describe('packets that are lost', () => {
  it('make go-back-N send everything from there again', () => {
    const exchange = goBackN();
    exchange.send(10, lost(3));
    expect(exchange.bursts).toEqual([numbers(0, 10), numbers(3, 10)]);
  });

  it('are all that IRN sends again', () => {
    const exchange = irn();
    exchange.send(20, lost(3, 4, 11));
    expect(exchange.bursts).toEqual([numbers(0, 20), [3, 4, 11]]);
    expect(exchange.complaints).toBe(14);
  });

  it('are found by a placing NIC when the window is full; what came within it is not sent again', () => {
    const exchange = placing(4);
    exchange.send(10, lost(3));
    expect(exchange.complaints).toBe(3);
    expect(exchange.bursts).toEqual([numbers(0, 10), [3, 7, 8, 9]]);
  });

  it('are all found by a placing NIC by one time-out while the window has room', () => {
    const exchange = placing(64);
    exchange.send(10, lost(3, 6));
    expect([exchange.complaints, exchange.timeouts]).toEqual([0, 1]);
    expect(exchange.bursts).toEqual([numbers(0, 10), [3, 6]]);
  });

  it.each([
    ['IRN', irn(2 ** 24 - 5)],
    ['a placing NIC', placing(4, 2 ** 24 - 5)],
  ])('are sent again by %s where sequence numbers pass 24 bits and bitmaps begin again', (_, exchange) => {
    exchange.send(400, (burst, round) => burst.filter((psn) => round % 3 !== 0 || psn % 7 !== 0));
    expect(exchange.queuePairs.expected[exchange.qp]).toBe(2 ** 24 + 395);
  });
});

describe('IRN', () => {
  it('has no more under way than its window', () => {
    const exchange = new Exchange(
      (queuePairs) => new Irn(queuePairs, PAYLOAD, { window: 8_500, lowTimeout: 1e6, highTimeout: 2e6, few: 3 }),
    );
    exchange.send(20, intact);
    expect(exchange.bursts).toEqual([numbers(0, 8), numbers(8, 16), numbers(16, 20)]);
  });

  it('waits less long while few packets are under way', () => {
    const { reliability, queuePairs, qp } = irn();
    queuePairs.next[qp] = 3;
    expect(reliability.timeout(qp)).toBe(454e6);
    queuePairs.next[qp] = 4;
    expect(reliability.timeout(qp)).toBe(1350e6);
  });

  it('knows nothing of a queue pair that had the number before', () => {
    const exchange = irn();
    exchange.send(10, (burst, round) => (round > 3 ? burst : burst.filter((psn) => psn !== 2)));
    const { queuePairs, reliability } = exchange;
    reliability.arrived(exchange.qp, 13);
    queuePairs.close(exchange.qp);
    const ends = { source: 0, destination: 1, sourceAddress: 0, destinationAddress: 1, serviceClass: 1 };
    const again = queuePairs.open({ ...ends, words: [0, 1, 2, 3] }, 80);
    expect(again).toBe(exchange.qp);
    reliability.opened(again);
    for (const psn of numbers(0, 13)) reliability.arrived(again, psn);
    expect(queuePairs.expected[again]).toBe(13);
  });
});

describe('a link that loses one packet in two hundred', () => {
  const topology = smallClos(2, 2, 4);
  const lossy = { ...topology, links: topology.links.map((link) => ({ ...link, loss: link.a < 8 ? 0 : 0.005 })) };
  const flows = stridePermutation(lossy, 4, { octets: 500_000, start: 0 });
  const run = (reliability: (queuePairs: QueuePairs, events: EventQueue) => Reliability) => {
    const simulation = smallFabric(lossy, { reliability });
    const list = flowList(simulation, flows);
    simulation.run(list, 100e9);
    expect(list.isDone).toBe(true);
    expect(simulation.wire.lost).toBeGreaterThan(20);
    return simulation.hosts.resent / (simulation.wire.lost + simulation.packets.lostAnswers);
  };

  it.each([
    ['IRN', (queuePairs: QueuePairs) => new Irn(queuePairs, PAYLOAD)],
    ['a placing NIC', (queuePairs: QueuePairs) => new PlacingNic(queuePairs, { reorderWindow: 1024, timeout: 100e6 })],
    ['go-back-N', (queuePairs: QueuePairs, events: EventQueue) => new GoBackN(queuePairs, events)],
  ] as const)('is nothing else to %s where sequence numbers pass 24 bits', (_, reliability) => {
    const outcome = (firstPsn: number) => {
      const simulation = smallFabric(lossy, { reliability });
      const { hosts, queuePairs } = simulation;
      hosts.opened = (qp) => {
        for (const column of ['unacknowledged', 'next', 'end', 'highest', 'located', 'expected'] as const) {
          queuePairs[column][qp] = firstPsn;
        }
      };
      const list = flowList(simulation, flows);
      simulation.run(list, 100e9);
      expect(list.isDone).toBe(true);
      return [[...list.completionTimes], hosts.resent, hosts.complaints, hosts.outOfOrder, simulation.wire.lost];
    };
    expect(outcome(2 ** 24 - 100)).toEqual(outcome(0));
  });

  it('is got over by all profiles; the selective ones send little more than was lost', () => {
    expect(run((queuePairs) => new Irn(queuePairs, PAYLOAD))).toBeLessThan(1.5);
    expect(run((queuePairs) => new PlacingNic(queuePairs, { reorderWindow: 1024, timeout: 100e6 }))).toBeLessThan(1.5);
    expect(run((queuePairs, events) => new GoBackN(queuePairs, events))).toBeGreaterThan(5);
  });

  it('overtakes nobody, though much comes out of order behind a gap; spraying does, and loses nothing', () => {
    const outOfOrder = (changes: Partial<FabricSettings>, fabric: Topology = lossy) => {
      const simulation = smallFabric(fabric, changes);
      simulation.run(flowList(simulation, flows), 100e9);
      const { hosts, wire } = simulation;
      return { came: hosts.outOfOrder, overtaken: hosts.overtaken, lost: wire.lost };
    };
    const gaps = outOfOrder({});
    expect(gaps.came).toBeGreaterThan(2 * gaps.lost);
    expect(gaps.overtaken).toBe(0);
    const sprayed = outOfOrder({ scheme: (context) => new Drill(context, drill.defaults) }, topology);
    expect(sprayed.lost).toBe(0);
    expect(sprayed.overtaken).toBeGreaterThan(10);
    expect(sprayed.overtaken).toBeLessThan(sprayed.came);
  });
});

it('a message is delivered half a round trip before it is acknowledged, once, in order, whatever was lost', () => {
  const topology = smallClos(2, 1, 1);
  const lossy = { ...topology, links: topology.links.map((link) => ({ ...link, loss: link.a < 2 ? 0 : 0.02 })) };
  for (const fabric of [topology, lossy]) {
    const simulation = smallFabric(fabric, { reliability: (queuePairs) => new Irn(queuePairs, PAYLOAD) });
    const { events, hosts } = simulation;
    const delivered: [tag: number, time: number][] = [];
    const completed: [tag: number, time: number][] = [];
    const ends = { source: 0, destination: 1, sourceAddress: 0, destinationAddress: 1, serviceClass: 1 };
    const workload: Workload = {
      start() {
        const qp = hosts.open({ ...ends, words: [1, 2, 3, 4] });
        for (let tag = 0; tag < 40; tag++) hosts.post(qp, 5000, tag);
      },
      timer() {},
      delivered: (_, tag) => delivered.push([tag, events.now]),
      completed: (_, tag) => completed.push([tag, events.now]),
      get isDone() {
        return completed.length === 40;
      },
    };
    simulation.run(workload, 100e9);
    expect(delivered.map(([tag]) => tag)).toEqual(numbers(0, 40));
    expect(completed.map(([tag]) => tag)).toEqual(numbers(0, 40));
    expect(delivered.every(([, time], index) => time < completed[index]![1])).toBe(true);
    // Four links of a microsecond, and an ACK four times.
    if (fabric === topology) expect(completed[39]![1] - delivered[39]![1]).toBe(4e6 + 4 * 60 * 80);
  }
});
