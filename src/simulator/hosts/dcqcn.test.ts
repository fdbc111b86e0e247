import { describe, expect, it } from 'vitest';
import { EventKind } from '../engine/event-kind.js';
import { EventQueue } from '../engine/event-queue.js';
import { NS3_SWITCHES } from '../network/ns3-profile.js';
import { flowList, smallClos, smallFabric } from '../network/small-fabric.fixture.js';
import { Drill, drill } from '../schemes/drill.js';
import { incast, stridePermutation } from '../workload/arrivals.js';
import type { CongestionControl } from './congestion-control.js';
import { Ns3Dcqcn } from './dcqcn-ns3.js';
import { DCQCN_PAPER, DCQCN_PAPER_MARKING, PaperDcqcn } from './dcqcn-paper.js';
import { QueuePairs } from './queue-pairs.js';

const US = 1e6;
const LINE = 100e9;
const OCTET_PS = 8e12;

/** One sender, told of congestion when a test says. */
class Sender {
  readonly events = new EventQueue();
  readonly queuePairs = new QueuePairs();
  readonly control: CongestionControl;
  readonly qp: number;

  constructor(make: (queuePairs: QueuePairs, events: EventQueue) => CongestionControl) {
    this.control = make(this.queuePairs, this.events);
    const ends = { source: 0, destination: 1, sourceAddress: 0, destinationAddress: 1, serviceClass: 1 };
    this.qp = this.queuePairs.open({ ...ends, words: [0, 1, 2, 3] }, OCTET_PS / LINE);
    this.control.opened(this.qp);
  }

  get rate(): number {
    return OCTET_PS / this.queuePairs.psPerOctet[this.qp]!;
  }

  /** Works its timers until then. */
  until(time: number): void {
    // A mark in the queue, so that the clock is there as well.
    this.events.schedule(time, EventKind.sample, 0, 0);
    while (this.events.take(time)) {
      if (this.events.kind === EventKind.queuePair) this.control.timer(this.qp, this.events.second & 7);
    }
  }

  congested(): void {
    this.control.congested(this.qp);
  }
}

const paper = () => new Sender((queuePairs, events) => new PaperDcqcn(queuePairs, events));
const ns3 = () => new Sender((queuePairs, events) => new Ns3Dcqcn(queuePairs, events));

describe('DCQCN as in the paper', () => {
  it('sends at the rate of the line until it is told of congestion', () => {
    const sender = paper();
    for (let packet = 0; packet < 50_000; packet++) sender.control.sent(sender.qp, 1048);
    sender.until(5000 * US);
    expect(sender.rate).toBe(LINE);
  });

  it('halves at the first CNP, and is back but for 2^-(F+1) after F increases by time', () => {
    const sender = paper();
    sender.until(100 * US);
    sender.congested();
    expect(sender.rate).toBeCloseTo(LINE / 2, -3);
    for (let tick = 1; tick <= DCQCN_PAPER.fastRecovery; tick++) {
      sender.until((100 + 55 * tick) * US - 1);
      expect(sender.rate).toBeCloseTo(LINE * (1 - 2 ** -tick), -3);
      sender.until((100 + 55 * tick) * US);
      expect(sender.rate).toBeGreaterThanOrEqual(LINE * (1 - 2 ** -(tick + 1)) - 1);
    }
  });

  it('increases by octets as by time', () => {
    const sender = paper();
    sender.congested();
    for (let octets = 0; octets < 3 * DCQCN_PAPER.increaseOctets; octets += 1000) sender.control.sent(sender.qp, 1000);
    expect(sender.rate).toBeCloseTo(LINE * (1 - 2 ** -4), -3);
  });

  it('goes beyond the target by additive, then by ever larger hyper steps', () => {
    const sender = paper();
    sender.congested();
    sender.congested();
    sender.congested();
    // An eighth of the line, with a target of a quarter of it: fast recovery leads there and no further.
    for (let tick = 1; tick < DCQCN_PAPER.fastRecovery; tick++) sender.until(55 * tick * US);
    expect(sender.rate).toBeLessThan(LINE / 4 + 1);
    sender.until(55 * 12 * US);
    const afterAdditive = sender.rate;
    expect(afterAdditive).toBeGreaterThan(LINE / 4);
    expect(afterAdditive).toBeLessThan(LINE / 4 + 9 * 40e6);
    for (let increases = 1; increases <= 7; increases++) {
      sender.control.sent(sender.qp, DCQCN_PAPER.increaseOctets);
    }
    expect(sender.rate).toBeGreaterThan(afterAdditive + 400e6 / 2);
  });

  it('cuts less the longer nobody complained: alpha falls by a 256th each 55 us', () => {
    const sender = paper();
    sender.congested();
    sender.until(55 * 256 * US);
    const before = sender.rate;
    sender.congested();
    expect(sender.rate / before).toBeCloseTo(1 - (255 / 256) ** 256 / 2, 6);
  });

  it('does not go below its least rate', () => {
    const sender = paper();
    for (let notice = 0; notice < 40; notice++) sender.congested();
    expect(sender.rate).toBeCloseTo(DCQCN_PAPER.leastRate, 0);
  });

  it('starts over when its queue pair is used again', () => {
    const sender = paper();
    sender.congested();
    sender.queuePairs.psPerOctet[sender.qp] = OCTET_PS / LINE;
    sender.control.opened(sender.qp);
    sender.until(1000 * US);
    expect(sender.rate).toBe(LINE);
  });
});

it('the two profiles recover from one CNP in different times', () => {
  const recovery = (sender: Sender) => {
    sender.congested();
    sender.until(6 * US);
    expect(sender.rate).toBeLessThan(LINE * 0.51);
    let microseconds = 6;
    while (sender.rate < LINE * 0.98) sender.until(++microseconds * US);
    return microseconds;
  };
  // 5 increases 55 us apart, against as many 300 us apart from the cut on, 5 us after the mark.
  expect(recovery(paper())).toBe(275);
  const slow = recovery(ns3());
  expect(slow).toBeGreaterThan(1200);
  expect(slow).toBeLessThan(1600);
});

describe('in a fabric', () => {
  const rate = 10e9;
  const topology = smallClos(1, 1, 17, rate);
  const run = () =>
    smallFabric(topology, {
      congestion: (queuePairs, events) => new PaperDcqcn(queuePairs, events),
      switches: { marking: DCQCN_PAPER_MARKING, pauseTime: 5e6, pauseBytes: 43 },
    });

  it('two senders come to equal shares of a link, though one was first', () => {
    const simulation = run();
    const [first, second] = incast(topology, 0, { senders: [1, 2], octets: 60_000_000, start: 0 });
    const list = flowList(simulation, [first!, { ...second!, start: 2e9 }]);
    simulation.run(list, 20e9);
    const { unacknowledged } = simulation.queuePairs;
    const before = [unacknowledged[0]!, unacknowledged[1]!];
    simulation.proceed(list, 30e9);
    const [one, other] = [unacknowledged[0]! - before[0]!, unacknowledged[1]! - before[1]!];
    expect(one + other).toBeGreaterThan(0.85 * ((rate * 0.01) / 8 / 1048));
    expect(Math.abs(one - other) / (one + other)).toBeLessThan(0.05);
    expect(simulation.hosts.congestionNotices).toBeGreaterThan(10);
  });

  it.each([2, 4, 8, 16])('%i senders at once lose nothing with PFC', (count) => {
    const senders = Array.from({ length: count }, (_, index) => index + 1);
    const simulation = run();
    const list = flowList(simulation, incast(topology, 0, { senders, octets: 400_000, start: 0 }));
    simulation.run(list, 100e9);
    expect(list.isDone).toBe(true);
    expect([simulation.switches.droppedFull, simulation.hosts.resent]).toEqual([0, 0]);
    expect(simulation.switches.marked).toBeGreaterThan(0);
  });
});

it('senders count echoes of marks and those of gaps alone apart', () => {
  const topology = smallClos(2, 2, 4);
  const notices = (limit: number) => {
    const marking = { minimum: limit, maximum: limit, probability: 1 };
    const simulation = smallFabric(topology, {
      scheme: (context) => new Drill(context, drill.defaults),
      switches: { ...NS3_SWITCHES, marking },
    });
    simulation.run(flowList(simulation, stridePermutation(topology, 4, { octets: 500_000, start: 0 })), 100e9);
    return { all: simulation.hosts.congestionNotices, ofGaps: simulation.hosts.complaintNotices };
  };
  const unmarked = notices(1e9);
  expect(unmarked.all).toBeGreaterThan(10);
  expect(unmarked.ofGaps).toBe(unmarked.all);
  // Everything is marked, gaps or not.
  const marked = notices(-1);
  expect(marked.all).toBeGreaterThan(10);
  expect(marked.ofGaps).toBe(0);
});
