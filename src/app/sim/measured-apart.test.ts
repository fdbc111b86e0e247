/** What a run counts apart: flows beside a job, and those of the part of the run that is measured. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RunResult } from '../../simulator/results/run-result.js';
import { readStudy } from './read-study.js';
import { refusalOf } from './refusal.fixture.js';
import { runStudy } from './run-study.js';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'heddle-apart-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

const FABRIC = `name: apart
topology:
  leaf-spine: { leaves: 4, spines: 4, hosts-per-leaf: 4, host-rate: 100G, uplink-rate: 100G, delay: 1us }
schemes: [ecmp, rlb]
`;
const JOB = 'workload: { collective: { kind: all-to-all, octets: 8MB } }\n';
const FLOWS = 'workload: { poisson: { sizes: alistorage2019, load: 60%, duration: 400us } }\n';

function study(text: string) {
  const path = join(folder, 'study.yaml');
  writeFileSync(path, FABRIC + text);
  return readStudy(path);
}

async function results(text: string): Promise<RunResult[]> {
  const read = study(text);
  const runs: RunResult[] = [];
  for (const scheme of read.schemes) runs.push((await runStudy(read, scheme, 1)).result);
  return runs;
}

const refusal = (text: string) => refusalOf(folder, () => study(text));

describe('flows beside a job', () => {
  it('are counted by themselves, cost the job time, and end with it', async () => {
    const alone = await results(JOB);
    const beside = await results(`${JOB}background: { sizes: alistorage2019, load: 40%, duration: 50ms }\n`);
    expect(alone.map(({ background }) => background)).toEqual([undefined, undefined]);
    beside.forEach((run, index) => {
      expect(run.flows).toMatchObject({ count: 1, finished: 1 });
      expect(run.slowdown).toBeUndefined();
      expect(run.busBandwidth!).toBeLessThan(alone[index]!.busBandwidth!);
      expect(run.jobTime!).toBeGreaterThan(alone[index]!.jobTime!);
      expect(run.duration).toBeLessThan(50_000);
      const { flows, slowdown } = run.background!;
      expect(flows.count).toBeGreaterThan(100);
      expect(flows.finished / flows.count).toBeGreaterThan(0.9);
      expect(slowdown!.count).toBe(flows.finished);
      expect(slowdown!.average).toBeGreaterThan(1);
    });
  });

  it('are the same of a seed, whatever the job and the scheme', async () => {
    const background = 'background: { sizes: alistorage2019, load: 40%, duration: 100us }\n';
    const [ecmp, rlb] = await results(JOB + background);
    const [other] = await results(`workload: { permutation: { octets: 8MB } }\n${background}`);
    expect(rlb!.background!.flows.count).toBe(ecmp!.background!.flows.count);
    expect(other!.background!.flows.count).toBe(ecmp!.background!.flows.count);
    expect(other!.slowdown!.count).toBe(16);
  });
});

describe('a part of the run', () => {
  it('is measured by the flows that start in it', async () => {
    const [whole] = await results(FLOWS);
    const [first] = await results(`${FLOWS}measure: { until: 200us }\n`);
    const [second] = await results(`${FLOWS}measure: { from: 200us }\n`);
    expect(first!.slowdown!.count + second!.slowdown!.count).toBe(whole!.slowdown!.count);
    expect(first!.slowdown!.count).toBeGreaterThan(50);
    expect(first!.flows).toEqual(whole!.flows);
    expect(first!.packets).toEqual(whole!.packets);
    expect(second!.imbalance!.count).toBeLessThan(whole!.imbalance!.count);
  });

  it('must be one, and have flows', () => {
    expect(refusal(`${FLOWS}measure: { from: 2ms, until: 1ms }\n`)).toContain(
      'measure.until: expected a time after from',
    );
    expect(refusal(`${JOB}measure: { from: 2ms }\n`)).toContain('has no flows that arrive');
  });
});
