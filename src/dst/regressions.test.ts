/** What seeds once found, shrunk to a few faults or written down by hand: it is not to come back. */
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { runScenario } from './run-scenario.js';
import type { Scenario } from './scenario.js';

const FOLDER = new URL('../../test/dst/regressions/', import.meta.url);
const files = readdirSync(FOLDER).filter((name) => name.endsWith('.json'));

describe('a scenario that failed once', () => {
  it.each(files)('%s', async (file) => {
    const scenario: Scenario = JSON.parse(readFileSync(new URL(file, FOLDER), 'utf8'));
    expect((await runScenario(scenario)).violations).toEqual([]);
  });
});
