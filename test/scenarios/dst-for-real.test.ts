/** Scenarios of the deterministic tests (test/dst) once more, over namespaces: what holds on virtual time holds of daemons and kernels. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { tearDown } from '../../src/app/lab/build.js';
import { knownLabs, loadLab } from '../../src/app/lab/lab.js';
import { RealStage } from '../../src/dst/real/real-stage.js';
import { runOn } from '../../src/dst/run-scenario.js';
import type { Scenario } from '../../src/dst/scenario.js';
import { labUnusable } from '../harness/lab.js';

const unusable = labUnusable({ peers: false });
if (unusable) console.log(`skipped: ${unusable}`);

describe.skipIf(unusable)('a scenario over namespaces', () => {
  it.each(['links-fail-in-every-way', 'processes-end-and-change'])('%s', async (name) => {
    const file = new URL(`../dst/regressions/${name}.json`, import.meta.url);
    const scenario: Scenario = JSON.parse(readFileSync(file, 'utf8'));
    const lines: string[] = [];
    const stage = new RealStage(scenario, { prefix: 'test', trace: (line) => lines.push(line) });
    // What an interrupted run has left.
    if (knownLabs().includes(stage.lab.name)) await tearDown(loadLab(stage.lab.name));
    await stage.build();
    await runOn(stage);
    expect(stage.violations, lines.join('\n')).toEqual([]);
  });
});
