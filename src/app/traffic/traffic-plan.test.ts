import { describe, expect, it } from 'vitest';
import { parseAddress } from '../../core/net/address.js';
import type { GpuPort, Uplink } from '../../core/rlb/gpu-port.js';
import { entropyPort } from '../../core/wire/rocev2/entropy-port.js';
import { planTraffic, type TrafficQuestion } from './traffic-plan.js';
import type { AgentReport } from './traffic-report.js';
import { type AgentOutcome, trafficReport } from './traffic-report.js';

const UPLINKS: readonly Uplink[] = [1, 2].map((number) => ({
  number,
  name: `spine${number}`,
  spine: `spine${number}`,
  colour: number,
}));

function port(host: number, leaf: number, uplinks: readonly number[] = [1, 2]): GpuPort {
  const addresses = uplinks.map((uplink) => ({
    address: parseAddress(`fc00:${leaf}:${host}:${uplink}::${host}`)!,
    uplink,
    gidIndex: 1,
  }));
  return { host: `host${host}`, leaf: `leaf${leaf}`, addresses };
}

const QUESTION: TrafficQuestion = {
  pattern: 'send',
  ports: [port(1, 1), port(2, 2)],
  uplinks: UPLINKS,
  queuePairs: 2,
  rlb: true,
  octets: 4096,
  seed: 1,
  transport: { pathMtu: 1024, window: 64, ackTimeout: 500, retryLimit: 7 },
};

describe('the plan of a job', () => {
  it('claims no uplinks where there are no colours', () => {
    const { subflows } = planTraffic({ ...QUESTION, hashed: true });
    expect(subflows.map(({ uplink, colour }) => [uplink, colour])).toEqual([
      [null, null],
      [null, null],
    ]);
    expect(new Set(subflows.map(({ sourceAddress }) => sourceAddress)).size).toBe(2);
  });

  it('gives both ends of a queue pair the same numbers, the other way round', () => {
    const { subflows, tasks } = planTraffic(QUESTION);
    expect(
      subflows.map(({ uplink, sourceAddress, destinationAddress }) => [uplink, sourceAddress, destinationAddress]),
    ).toEqual([
      ['spine1', 'fc00:1:1:1::1', 'fc00:2:2:1::2'],
      ['spine2', 'fc00:1:1:2::1', 'fc00:2:2:2::2'],
    ]);
    const [sender, receiver] = tasks;
    expect(sender!.queuePairs.map(({ direction, peer }) => [direction, peer])).toEqual([
      ['out', 1],
      ['out', 1],
    ]);
    for (const [index, end] of sender!.queuePairs.entries())
      expect(receiver!.queuePairs[index]).toEqual({
        ...end,
        direction: 'in',
        peer: 0,
        local: end.remote,
        remote: end.local,
        localQp: end.remoteQp,
        remoteQp: end.localQp,
      });
    expect(subflows.every((one) => one.sourcePort === entropyPort(one.sourceQp, one.destinationQp))).toBe(true);
  });

  it('without load balancing has one address and other ports, which the seed draws', () => {
    const ports = [port(1, 1), port(2, 2, [2, 1])];
    const draw = (seed: number) => planTraffic({ ...QUESTION, ports, rlb: false, queuePairs: 4, seed }).subflows;
    const first = draw(1);
    expect(new Set(first.map(({ sourceAddress }) => sourceAddress)).size).toBe(1);
    expect(first[0]).toMatchObject({ destinationAddress: 'fc00:2:2:1::2', uplink: null, colour: null });
    expect(new Set(first.map(({ sourcePort }) => sourcePort)).size).toBe(4);
    expect(draw(2).map(({ sourcePort }) => sourcePort)).not.toEqual(first.map(({ sourcePort }) => sourcePort));
    expect(draw(1)).toEqual(first);
  });

  it('of many has no queue pair number twice at a host', () => {
    const ports = [1, 2, 3, 4].map((host) => port(host, 1 + (host % 2)));
    for (const pattern of ['all-reduce', 'all-to-all'] as const) {
      const { tasks, subflows } = planTraffic({ ...QUESTION, pattern, ports });
      expect(subflows).toHaveLength(pattern === 'all-reduce' ? 8 : 24);
      for (const { queuePairs } of tasks)
        expect(new Set(queuePairs.map(({ localQp }) => localQp)).size).toBe(queuePairs.length);
    }
  });
});

describe('the report of a job', () => {
  const { subflows } = planTraffic(QUESTION);
  const sending = {
    sent: 12,
    retransmitted: 2,
    sequenceErrors: 1,
    timeouts: 0,
    octets: 2000,
    startedAt: 100,
    endedAt: 110,
  };
  const receiving = {
    received: 9,
    duplicates: 1,
    outOfOrder: 3,
    refused: 0,
    icrcErrors: 1,
    malformed: 0,
    problem: null,
  };
  const quiet = { wrong: null, strays: 0, sendError: null };

  function outcomes(failure: string | null, changes: Partial<AgentReport> = {}): AgentOutcome[] {
    const out = subflows.map((_, subflow) => ({
      subflow,
      direction: 'out' as const,
      counters: { ...sending, failure },
    }));
    const into = subflows.map((_, subflow) => ({ subflow, direction: 'in' as const, counters: receiving }));
    const finished = { kind: 'finished' as const, startedAt: 100 };
    return [
      { end: { ...finished, finishedAt: 110 }, report: { kind: 'report', ends: out, ...quiet } },
      {
        end: { ...finished, startedAt: 99, finishedAt: 109 },
        report: { kind: 'report', ends: into, ...quiet, ...changes },
      },
    ];
  }

  it('sets what was sent against what arrived', () => {
    const report = trafficReport(QUESTION, subflows, outcomes(null));
    expect(report).toMatchObject({ verified: true, milliseconds: 11, failures: [] });
    expect(report.algorithmBandwidth).toBeCloseTo((4096 * 8) / 11 / 1000);
    expect(report.subflows[1]).toMatchObject({
      uplink: 'spine2',
      bandwidth: 1.6,
      lost: 2,
      outOfOrder: 3,
      icrcErrors: 1,
    });
    expect(report.warnings[0]).toBe(
      'host1 -> host2 queue pair 1 (fc00:1:1:1::1 -> fc00:2:2:1::2, spine1): 1 with a wrong invariant CRC, not taken',
    );
  });

  it('names what failed, and words that are wrong', () => {
    const failed = trafficReport(QUESTION, subflows, outcomes('no answer'));
    expect(failed.verified).toBe(false);
    expect(failed.failures[1]).toBe('host1 -> host2 queue pair 2 (fc00:1:1:2::1 -> fc00:2:2:2::2, spine2): no answer');
    const wrong = { index: 7, found: 1, expected: 0xabc };
    const spoilt = trafficReport(QUESTION, subflows, outcomes(null, { wrong, strays: 2, sendError: 'ENETUNREACH' }));
    expect(spoilt).toMatchObject({
      verified: false,
      failures: ['host2: word 7 is 0x00000001, and should be 0x00000abc'],
    });
    expect(spoilt.warnings.slice(2)).toEqual([
      'host2: 2 for queue pairs that are not here, not taken',
      'host2: not all could be sent at once: ENETUNREACH',
    ]);
  });

  it('of a job that did not end has no time', () => {
    const [first, second] = outcomes(null);
    const report = trafficReport(QUESTION, subflows, [first!, { report: second!.report }]);
    expect(report).toMatchObject({ verified: false, milliseconds: 0, algorithmBandwidth: 0 });
  });
});
