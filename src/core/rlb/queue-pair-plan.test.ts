import { describe, expect, it } from 'vitest';
import fc from '../../../test/harness/properties.js';
import { formatAddress, parseAddress } from '../net/address.js';
import { roceV2GidIndex } from './gid-table.js';
import type { GpuPort, Uplink } from './gpu-port.js';
import { jobPairs, planJob } from './job-plan.js';
import { planConnection } from './queue-pair-plan.js';

const UPLINKS: readonly Uplink[] = [1, 2, 3, 4].map((number) => ({
  number,
  name: `spine${number}`,
  spine: `spine${number}`,
  colour: number,
}));

function port(host: number, leaf: number, uplinks: readonly number[] = [1, 2, 3, 4]): GpuPort {
  return {
    host: `host${host}`,
    leaf: `leaf${leaf}`,
    addresses: uplinks.map((uplink, position) => ({
      address: parseAddress(`fc00:${leaf}:${host}:${uplink}::${host}`)!,
      uplink,
      gidIndex: roceV2GidIndex(position),
    })),
  };
}

const settings = { uplinks: UPLINKS, sourcePort: (a: number, b: number) => 0xc000 | (a ^ b) };
const ends = { source: port(1, 1), destination: port(2, 2) };
const uplinksOf = (plan: ReturnType<typeof planConnection>) => plan.queuePairs.map(({ uplink }) => uplink.name);

describe('one connection', () => {
  it('gives every queue pair addresses of one uplink at both ends', () => {
    const plan = planConnection(ends, { ...settings, firstQueuePair: { source: 0x20, destination: 0x31 } });
    expect(
      plan.queuePairs.map(({ source, destination, ...pair }) => ({
        ...pair,
        uplink: pair.uplink.name,
        from: formatAddress(source),
        to: formatAddress(destination),
      })),
    ).toEqual(
      [1, 2, 3, 4].map((number) => ({
        number,
        uplink: `spine${number}`,
        from: `fc00:1:1:${number}::1`,
        to: `fc00:2:2:${number}::2`,
        sourceQp: 0x1f + number,
        destinationQp: 0x30 + number,
        sourcePort: 0xc000 | ((0x1f + number) ^ (0x30 + number)),
        gidIndex: 1 + 2 * number,
        destinationGidIndex: 1 + 2 * number,
      })),
    );
    expect(plan.verdict).toEqual({
      even: true,
      lines: ['4 queue pairs = 4 addresses = 4 uplinks: each uplink carries one'],
    });
  });

  it('names the uplinks that idle when there are fewer queue pairs', () => {
    const plan = planConnection(ends, { ...settings, queuePairs: 2 });
    expect(uplinksOf(plan)).toEqual(['spine1', 'spine2']);
    expect(plan.verdict).toEqual({
      even: false,
      lines: [
        '2 queue pairs, 4 addresses, 4 uplinks: 4 queue pairs on as many addresses would put one on each uplink',
        'spine3 and spine4 idle',
      ],
    });
  });

  it('names the uplinks that carry two when there are more', () => {
    const six = planConnection(ends, { ...settings, queuePairs: 6 });
    expect(uplinksOf(six)).toEqual(['spine1', 'spine2', 'spine3', 'spine4', 'spine1', 'spine2']);
    expect(six.verdict.lines.slice(1)).toEqual(['spine1 and spine2 carry 2 each, the others fewer']);
    const five = planConnection(ends, { ...settings, queuePairs: 5 });
    expect(five.verdict.lines.slice(1)).toEqual(['spine1 carries 2, the others fewer']);
    const eight = planConnection(ends, { ...settings, queuePairs: 8 });
    expect(eight.verdict.even).toBe(false);
    expect(eight.verdict.lines.slice(1)).toEqual(['spine1, spine2, spine3 and spine4 carry 2 each']);
  });

  it('pairs addresses by their uplink, and names those that a host lacks', () => {
    const plan = planConnection({ source: port(1, 1, [1, 2, 4]), destination: port(2, 2, [4, 3, 2]) }, settings);
    expect(uplinksOf(plan)).toEqual(['spine2', 'spine4']);
    expect(plan.queuePairs.map(({ gidIndex, destinationGidIndex }) => [gidIndex, destinationGidIndex])).toEqual([
      [5, 7],
      [7, 3],
    ]);
    expect(plan.verdict.lines).toEqual([
      '2 queue pairs, 3 addresses, 4 uplinks: 4 queue pairs on as many addresses would put one on each uplink',
      'host1 has no usable address for spine3 (colour 3)',
      'host2 has no usable address for spine1 (colour 1)',
      'spine1 and spine3 idle',
    ]);
  });

  it('has no queue pairs without a common address, however many are asked for', () => {
    const plan = planConnection({ source: port(1, 1, []), destination: port(2, 2) }, { ...settings, queuePairs: 4 });
    expect(plan.queuePairs).toEqual([]);
    expect(plan.verdict.even).toBe(false);
    expect(plan.verdict.lines[0]).toMatch(/^0 queue pairs, 0 addresses, 4 uplinks/);
  });

  it('uses no uplink between hosts of one leaf', () => {
    const plan = planConnection({ source: port(1, 1), destination: port(2, 1) }, settings);
    expect(plan.within).toBe('leaf1');
    expect(plan.verdict.lines).toEqual([
      'host1 and host2 are both behind leaf1, which forwards between them: no uplink is used',
    ]);
  });

  it('keeps queue pair numbers within 24 bits', () => {
    const firstQueuePair = { source: 0xffffff, destination: 0x11 };
    const plan = planConnection(ends, { ...settings, firstQueuePair });
    expect(plan.queuePairs.map(({ sourceQp }) => sourceQp)).toEqual([0xffffff, 0, 1, 2]);
  });

  it('loads uplinks that differ by one at most, whatever the number of queue pairs', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 40 }), (queuePairs) => {
        const plan = planConnection(ends, { ...settings, queuePairs });
        const loads = UPLINKS.map(({ name }) => uplinksOf(plan).filter((used) => used === name).length);
        expect(Math.max(...loads) - Math.min(...loads)).toBeLessThanOrEqual(1);
        expect(loads.reduce((sum, load) => sum + load)).toBe(queuePairs);
        expect(plan.verdict.even).toBe(queuePairs === 4);
      }),
    );
  });
});

describe('a whole job', () => {
  const ports = [port(1, 1), port(2, 1), port(3, 2), port(4, 2)];

  it('knows who sends to whom', () => {
    expect(jobPairs(['a', 'b', 'c'], 'ring')).toEqual([
      ['a', 'b'],
      ['b', 'c'],
      ['c', 'a'],
    ]);
    expect(jobPairs(['a', 'b', 'c'], 'all-to-all')).toHaveLength(6);
    expect(jobPairs(['a'], 'all-to-all')).toEqual([]);
  });

  it('loads every uplink alike, in a ring and in AllToAll', () => {
    const ring = planJob(ports, 'ring', settings);
    expect(ring.loads.map(({ leaf, uplink, out, in: into }) => `${leaf} ${uplink.name} ${out} ${into}`)).toEqual(
      ['leaf1', 'leaf2'].flatMap((leaf) => UPLINKS.map(({ name }) => `${leaf} ${name} 1 1`)),
    );
    expect(ring.even).toBe(true);
    const all = planJob(ports, 'all-to-all', settings);
    expect(all.connections).toHaveLength(12);
    expect(all.loads.every((load) => load.out === 4 && load.in === 4)).toBe(true);
  });

  it('sees what one host without an address does to the load', () => {
    const job = planJob([port(1, 1, [1, 2, 3]), port(3, 2)], 'ring', settings);
    expect(job.even).toBe(false);
    expect(job.loads.find(({ leaf, uplink }) => leaf === 'leaf1' && uplink.number === 4)).toMatchObject({
      out: 0,
      in: 0,
    });
  });

  it('gives no queue pair number of a port out twice', () => {
    const { connections } = planJob(ports, 'all-to-all', { ...settings, firstQueuePair: () => 100 });
    for (const { host } of ports) {
      const numbers = connections.flatMap(({ source, destination, queuePairs }) =>
        queuePairs.flatMap((pair) => [
          ...(source === host ? [pair.sourceQp] : []),
          ...(destination === host ? [pair.destinationQp] : []),
        ]),
      );
      expect(numbers).toHaveLength(24);
      expect(numbers.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 24 }, (_, index) => 100 + index));
    }
  });
});

describe('the GID table', () => {
  it('has two entries an address where the NIC speaks both versions of RoCE, after two of its own', () => {
    expect([0, 1, 2, 3].map((position) => roceV2GidIndex(position))).toEqual([3, 5, 7, 9]);
    expect([0, 1, 2, 3].map((position) => roceV2GidIndex(position, 1))).toEqual([1, 2, 3, 4]);
  });
});
