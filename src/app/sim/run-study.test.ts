import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { compare } from '../../simulator/results/comparison.js';
import { readStudy } from './read-study.js';
import { reportPage } from './report/report-page.js';
import { resultsCsv } from './results-csv.js';
import { runTasks, shardOf, tasksOf } from './run-tasks.js';
import type { Study } from './study.js';
import { documentOf, ResultsError, readResults, resultsOf } from './study-results.js';

const STUDY = `name: small & quick
profile: ns3-conweave
topology:
  leaf-spine: { leaves: 2, spines: 2, hosts-per-leaf: 4, host-rate: 100G, uplink-rate: 100G }
workload:
  poisson: { sizes: alistorage2019, load: 60%, duration: 100us }
schemes: [ecmp, letflow]
seeds: 2
`;

let folder = '';
let study: Study;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'heddle-run-'));
  writeFileSync(join(folder, 'study.yaml'), STUDY);
  study = readStudy(join(folder, 'study.yaml'));
});
afterAll(() => rmSync(folder, { recursive: true }));

const silent = { progress: () => {}, done: () => {}, failed: () => {} };
const runAll = async (tasks = tasksOf(study), flows = false) => {
  const { runs, failures } = await runTasks(study, join(folder, 'study.yaml'), tasks, {
    jobs: 1,
    flows,
    watcher: silent,
  });
  expect(failures).toEqual([]);
  return runs;
};

describe('the runs of a study', () => {
  it('end with all flows, of which schemes have the same, and are the same again', async () => {
    const runs = await runAll();
    const results = runs.map(({ result }) => result);
    expect(results.map(({ scheme, seed }) => `${scheme} ${seed}`)).toEqual([
      'ecmp 1',
      'letflow 1',
      'ecmp 2',
      'letflow 2',
    ]);
    for (const { flows, slowdown } of results) {
      expect(flows.count).toBeGreaterThan(50);
      expect(flows.finished).toBe(flows.count);
      expect(slowdown!.p50).toBeGreaterThan(0.95);
    }
    expect(results[0]!.flows).toEqual(results[1]!.flows);
    expect(results[0]!.flows).not.toEqual(results[2]!.flows);
    const again = await runAll();
    expect(again.map(({ result }) => result)).toEqual(results);
  });

  it('go on when one of them fails', async () => {
    const broken = {
      ...study.schemes[0]!,
      label: 'broken',
      definition: {
        ...study.schemes[0]!.definition,
        create: () => {
          throw new Error('no such chip');
        },
      },
    };
    const done: string[] = [];
    const watcher = { ...silent, done: () => done.push('done'), failed: () => done.push('failed') };
    const { runs, failures } = await runTasks(
      { ...study, schemes: [broken, study.schemes[1]!] },
      'study.yaml',
      [
        { scheme: 0, seed: 1 },
        { scheme: 1, seed: 1 },
      ],
      { jobs: 1, flows: false, watcher },
    );
    expect(failures).toEqual([{ scheme: 0, seed: 1, reason: 'no such chip' }]);
    expect(runs.map(({ result }) => result.scheme)).toEqual(['letflow']);
    expect(done).toEqual(['failed', 'done']);
  });

  it('are put together from shards, and reported as a page, a table and lines', async () => {
    const files: string[] = [];
    for (const shard of [1, 2, 3]) {
      const tasks = shardOf(tasksOf(study), shard, 3);
      const file = join(folder, `part${shard}.json`);
      writeFileSync(file, JSON.stringify(resultsOf(study, await runAll(tasks))));
      files.push(file);
    }
    const results = readResults(files);
    expect(
      compare(results.runs)
        .map(({ scheme, runs }) => [scheme, runs])
        .sort(),
    ).toEqual([
      ['ecmp', 2],
      ['letflow', 2],
    ]);
    const lines = resultsCsv(results).trimEnd().split('\n');
    expect(lines).toHaveLength(5);
    expect(new Set(lines.map((line) => line.split(',').length)).size).toBe(1);
    const page = reportPage(documentOf(results));
    expect(page).toContain('small &amp; quick');
    expect(page).not.toMatch(/NaN|Infinity|undefined/);
    expect(page.match(/<svg/g)!.length).toBeGreaterThan(8);
    expect(documentOf(results).comparison.map(({ scheme, unfinished }) => [scheme, unfinished])).toEqual([
      ['ecmp', 0],
      ['letflow', 0],
    ]);
    expect(() => readResults([files[0]!, files[0]!])).toThrow(ResultsError);
  });
});
