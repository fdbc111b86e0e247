import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { plainPaint } from '../cli/render/paint.js';
import { renderSweep } from '../cli/render/sweep.js';
import { readSweep } from './read-study.js';
import { refusalOf } from './refusal.fixture.js';
import { SWEEP_FIGURES, sweepPage } from './report/sweep-page.js';
import { runTasks, shardOf, tasksOf } from './run-tasks.js';
import type { Study } from './study.js';
import { ResultsError, resultsOf, type StudyResults } from './study-results.js';
import { pointText, sweepPoints } from './sweep.js';
import { isSweepFile, readSweepResults, sweepCsv, sweepDocumentOf, sweepResultsOf } from './sweep-results.js';

const STUDY = `name: over size and queue pairs
topology:
  leaf-spine: { leaves: 2, spines: 2, hosts-per-leaf: 2, host-rate: 100G, uplink-rate: 100G }
workload: { collective: { kind: all-to-all, octets: 64KB } }
sweep:
  workload.collective.octets: [64KB, 256KB]
  transport.reliability: [go-back-n, irn]
schemes: [ecmp, rlb]
`;

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'heddle-sweep-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

function read(text: string): readonly Study[] {
  const path = join(folder, 'study.yaml');
  writeFileSync(path, text);
  return readSweep(path);
}

const refusal = (text: string) => refusalOf(folder, () => read(text));

const watcher = { progress: () => {}, done: () => {}, failed: () => {} };

/** Of each point the runs of the `index`th of `count` parts. */
async function part(studies: readonly Study[], index: number, count: number) {
  let before = 0;
  const results: StudyResults[] = [];
  for (const study of studies) {
    const tasks = shardOf(tasksOf(study), index, count, before);
    before += tasksOf(study).length;
    const { runs } = await runTasks(study, join(folder, 'study.yaml'), tasks, { jobs: 1, flows: false, watcher });
    results.push(resultsOf(study, runs));
  }
  return sweepDocumentOf(sweepResultsOf(studies, results));
}

describe('a sweep', () => {
  it('is every combination, the first key slowest', () => {
    expect(sweepPoints({}).map(pointText)).toEqual(['']);
    expect(sweepPoints({ 'a.load': ['50%', '80%'], b: [1, 2] }).map(pointText)).toEqual([
      'load 50%, b 1',
      'load 50%, b 2',
      'load 80%, b 1',
      'load 80%, b 2',
    ]);
  });

  it('changes the study at each point, sections that it does not have included', () => {
    const studies = read(STUDY);
    expect(studies.map(({ file }) => file.workload.collective!.octets)).toEqual([64e3, 64e3, 256e3, 256e3]);
    expect(studies.map(({ profile }) => profile.reliability)).toEqual(['go-back-n', 'irn', 'go-back-n', 'irn']);
    expect(studies.map(({ schemes }) => schemes.length)).toEqual([2, 2, 2, 2]);
  });

  it('is refused with the point, whatever of it cannot be', () => {
    expect(refusal(STUDY.replace('256KB', '9QB'))).toMatch(
      /study\.yaml:4:\d+: workload\.collective\.octets: .*at octets 9QB/,
    );
    expect(refusal(STUDY.replace('collective.octets:', 'colective.octets:'))).toContain('did you mean collective?');
    expect(refusal(STUDY.replace('transport.reliability', 'name.first'))).toContain('name has no keys in it');
  });

  it('is put together from shards, and shown as tables, lines and a page', async () => {
    const studies = read(STUDY);
    const whole = await part(studies, 1, 1);
    const files: string[] = [];
    for (const index of [1, 2, 3]) {
      const file = join(folder, `part${index}.json`);
      writeFileSync(file, JSON.stringify(await part(studies, index, 3)));
      files.push(file);
    }
    expect(isSweepFile(files[0]!)).toBe(true);
    const together = sweepDocumentOf(readSweepResults([...files].reverse()));
    const figures = (document: typeof whole) =>
      document.points.map(({ point, results }) => [point, results.comparison.map(({ figures }) => figures)]);
    expect(figures(together)).toEqual(figures(whole));
    expect(() => readSweepResults([files[0]!, files[0]!])).toThrow(ResultsError);
    const table = renderSweep(together, { figures: SWEEP_FIGURES, width: 100, paint: plainPaint }).join('\n');
    expect(table).toContain('SCHEME  64KB, go-back-n  64KB, irn  256KB, go-back-n  256KB, irn');
    const lines = sweepCsv(together).trimEnd().split('\n');
    expect(lines).toHaveLength(9);
    expect(lines[0]).toMatch(/^workload\.collective\.octets,transport\.reliability,scheme,seed,/);
    expect(lines[1]).toMatch(/^64KB,go-back-n,ecmp,1,/);
    const page = sweepPage(together);
    expect(page).toContain('<h1>over size and queue pairs</h1>');
    expect(page.match(/<svg/g)!.length).toBeGreaterThanOrEqual(2);
    expect(page).not.toMatch(/NaN|Infinity|undefined/);
  });
});
