/** A process that runs scenarios, one at a time, as it is told to: one that dies or hangs costs a seed and is a finding itself. */
import { runScenario } from './run-scenario.js';
import type { Scenario } from './scenario.js';
import { describe } from './testbed.js';
import type { Violation } from './violation.js';

const rejections: Violation[] = [];
process.on('unhandledRejection', (reason) => {
  rejections.push({ invariant: 'no-exception', place: 'a rejection that nobody handles', detail: describe(reason) });
});

process.on('message', (scenario: Scenario) => {
  void runScenario(scenario).then((result) => {
    const violations = [...result.violations, ...rejections.splice(0)];
    process.send?.({ ...result, violations });
  });
});
process.on('disconnect', () => process.exit(0));
