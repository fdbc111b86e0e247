import { expect, it } from 'vitest';
import { FLOWS_HEAD, flowLines } from './flow-records.js';
import { runsOf, studyFrom } from './study.fixture.js';

const study = studyFrom({
  workload: { permutation: { octets: '1MB', stride: 4 } },
  schemes: ['ecmp', { dlb: { mode: 'per-packet' } }, 'conweave', 'rlb'],
});

it('every flow by itself: what the sums of the run are made of, and the ways it came by', async () => {
  const runs = await runsOf(study, true);
  const alone = await runsOf(study);
  for (const [index, { result, flows }] of runs.entries()) {
    expect(flows).toHaveLength(16);
    const sum = (of: (flow: NonNullable<typeof flows>[number]) => number) =>
      flows!.reduce((sum, flow) => sum + of(flow), 0);
    expect(sum(({ octets }) => octets)).toBe(result.flows.octets);
    expect(sum(({ slowdown }) => slowdown!) / 16).toBeCloseTo(result.slowdown!.average, 9);
    // What comes for a flow after its end is in the run, and in no flow.
    expect(sum(({ sentAgain }) => sentAgain)).toBeLessThanOrEqual(result.packets.resent);
    expect(sum(({ sentAgain }) => sentAgain)).toBeGreaterThanOrEqual(0.9 * result.packets.resent);
    expect(sum(({ outOfOrder }) => outOfOrder)).toBe(result.packets['out-of-order']);
    // Looking changes nothing.
    expect(result).toEqual(alone[index]!.result);
    expect(alone[index]!.flows).toBeUndefined();
  }
  const paths = runs.map(({ flows }) => flows!.map(({ paths }) => paths));
  expect(paths[0]).toEqual(new Array(16).fill(1));
  expect(paths[1]).toEqual(new Array(16).fill(4));
  expect(Math.max(...paths[2]!)).toBeGreaterThan(1);
  expect(paths[3]).toEqual(new Array(16).fill(4));
});

it('a flow that did not end has no end, and what its packets did so far', async () => {
  const [run] = await runsOf(studyFrom({ limit: '40us' }), true);
  expect(run!.result.flows.finished).toBe(0);
  expect(run!.flows![0]).toMatchObject({ source: 'host1', destination: 'host5', start: 0, paths: 1 });
  expect(run!.flows![0]).not.toHaveProperty('end');
  const lines = flowLines({ scheme: 'letflow gap=50, really', seed: 3 }, run!.flows!).split('\n');
  expect(lines[0]).toBe('"letflow gap=50, really",3,1,host1,host5,1000000,0,,,0,0,1');
  expect(FLOWS_HEAD.split(',')).toHaveLength(12);
});
