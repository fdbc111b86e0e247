/** What granularity comes to with RDMA: flowlets have no gaps to use in flows that NICs pace, and packets that take many ways undo go-back-N. */
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { leavesOfHosts } from '../../simulator/network/topology.js';
import type { RunResult } from '../../simulator/results/run-result.js';
import { readStudy } from './read-study.js';
import { runStudy } from './run-study.js';
import type { Study } from './study.js';
import { flowsOf } from './study-workload.js';

const TIME_LIMIT = 120_000;

function studyNamed(name: string): Study {
  return readStudy(fileURLToPath(new URL(`../../../studies/${name}.yaml`, import.meta.url)));
}

async function runsOf(study: Study, labels: readonly string[], seeds: readonly number[]) {
  const runs = new Map<string, RunResult[]>();
  for (const scheme of study.schemes.filter(({ label }) => labels.includes(label))) {
    const own: RunResult[] = [];
    for (const seed of seeds) own.push((await runStudy(study, scheme, seed)).result);
    runs.set(scheme.label, own);
  }
  return runs;
}

function meanSlowdown(runs: readonly RunResult[]): number {
  return runs.reduce((sum, { slowdown }) => sum + slowdown!.average, 0) / runs.length;
}

describe('granularity with RDMA', () => {
  it(
    'flowlets of paced flows: within a few per cent of ECMP, and nothing that assigning flows does not do',
    async () => {
      const runs = await runsOf(studyNamed('flowlets-paced'), ['ecmp', 'dlb', 'dlb mode=assigned-flow'], [1, 2, 3]);
      const [ecmp, flowlets] = ['ecmp', 'dlb'].map((name) => meanSlowdown(runs.get(name)!));
      expect(Math.abs(flowlets! / ecmp! - 1)).toBeLessThan(0.08);
      const bare = (name: string) =>
        runs.get(name)!.map(({ slowdown, completionTime }) => ({ slowdown, completionTime }));
      expect(bare('dlb')).toEqual(bare('dlb mode=assigned-flow'));
    },
    TIME_LIMIT,
  );

  it(
    'packets sprayed to NICs that go back N: only flows that cross no spine end, where ECMP ends all',
    async () => {
      const study = studyNamed('spraying-go-back-n');
      const sprayed = ['dlb mode=per-packet', 'drill'];
      const runs = await runsOf(study, ['ecmp', ...sprayed], [1]);
      const leaves = leavesOfHosts(study.topology);
      const within = flowsOf(study, 1).filter(({ source, destination }) => leaves[source] === leaves[destination]);
      const [ecmp] = runs.get('ecmp')!;
      expect(ecmp!.flows).toMatchObject({ count: 32, finished: 32 });
      // csg-htsim: the last at 897 us.
      expect(ecmp!.jobTime! / 897).toBeGreaterThan(0.8);
      expect(ecmp!.jobTime! / 897).toBeLessThan(1.2);
      for (const scheme of sprayed) {
        const [run] = runs.get(scheme)!;
        expect(run!.flows.finished).toBe(within.length);
        expect(run!.packets.resent / run!.packets.data).toBeGreaterThan(0.5);
      }
    },
    TIME_LIMIT,
  );
});
