/**
 * Every peer and every feature, live. HEDDLE_MATRIX names one row to measure alone; the page is written by a run of all of them.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { PACKAGE_ROOT } from '../../../src/app/lab/lab.js';
import { labUnusable } from '../../harness/lab.js';
import { CONTENDERS } from './contenders.js';
import { type MeasuredRow, measureRow } from './measure.js';
import type { Contender } from './stage.js';
import { renderTable } from './table.js';

const PAGE = join(PACKAGE_ROOT, 'docs', 'interop.md');
/** Rows measured at a time: most of a row is waiting. */
const AT_A_TIME = 4;
/** Milliseconds, the installation of the peers included. */
const ALL_OF_IT = 2_400_000;

const unusable = labUnusable({ peers: false });
if (unusable) console.log(`skipped: ${unusable}`);

const only = process.env.HEDDLE_MATRIX;
const contenders = CONTENDERS.filter(({ kind }) => only === undefined || kind.name === only);

describe.skipIf(unusable)('the interoperability matrix', () => {
  const rows = new Map<string, MeasuredRow | Error>();

  beforeAll(async () => {
    execFileSync(join(PACKAGE_ROOT, 'scripts', 'peers-install'), ['--all'], {
      stdio: ['ignore', 'inherit', 'inherit'],
    });
    const waiting = [...contenders];
    await Promise.all(Array.from({ length: AT_A_TIME }, () => measureFrom(waiting)));
    if (only) console.log(renderTable(contenders.map(measured)));
  }, ALL_OF_IT);

  async function measureFrom(waiting: Contender[]): Promise<void> {
    for (let contender = waiting.shift(); contender; contender = waiting.shift())
      rows.set(contender.kind.name, await measureRow(contender).catch((error: Error) => error));
  }

  function measured({ kind }: Contender): MeasuredRow {
    const row = rows.get(kind.name);
    if (row instanceof Error) throw row;
    return row!;
  }

  it.each(contenders.map((contender) => [contender.kind.name, contender] as const))(
    '%s: whatever does not hold is its own limit',
    (_, contender) => {
      const { cells, version } = measured(contender);
      expect(`${contender.kind.name.split(' ')[0]} ${version}.`).toContain(`${contender.kind.name}`);
      const failures = [...cells].flatMap(([title, cell]) =>
        cell.flatMap((part) => (part.outcome === 'failed' ? [`${title}, ${part.what}: ${part.seen}`] : [])),
      );
      expect(failures).toEqual([]);
    },
  );

  it.skipIf(only)('docs/interop.md is what was measured', () => {
    const before = existsSync(PAGE) ? readFileSync(PAGE, 'utf8') : '';
    const now = renderTable(contenders.map(measured));
    console.log(now);
    const failed = contenders.some((contender) =>
      [...measured(contender).cells.values()].flat().some(({ outcome }) => outcome === 'failed'),
    );
    if (!failed && now !== before) writeFileSync(PAGE, now);
    expect(now).toBe(before);
  });
});
