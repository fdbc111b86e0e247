/** Results of sizes as Markdown. Pure. */
import { renderTable, short } from '../bench/common/table.js';
import type { StepResult, TrialResult } from './scale-trial.js';
import { sizeText } from './size.js';

const MEGA = 1e6;

export function renderResults(results: readonly TrialResult[]): string {
  return [
    '### Cold start',
    '',
    ...renderTable([COLD_HEAD, ...results.map(coldRow)]),
    '',
    ...results.flatMap(failures),
    ...results.flatMap(complaints),
  ].join('\n');
}

const COLD_HEAD = [
  'size',
  'routers',
  'sessions',
  'paths',
  'quiet after, virtual s',
  'UPDATEs',
  'MB sent',
  'CPU s',
  'CPU ms a router',
  'MB',
  'MB a router',
  'octets a path',
];

function coldRow({ size, routers, links, paths, memory, steps }: TrialResult): string[] {
  const cold = steps[0]!;
  return [
    sizeText(size),
    String(routers),
    String(links),
    String(paths),
    (cold.convergence / 1000).toFixed(2),
    String(cold.updates),
    short(cold.octets / MEGA),
    short(cold.cpu),
    short((cold.cpu * 1000) / routers),
    short(memory / MEGA),
    short(memory / MEGA / routers),
    short(Math.round(memory / paths)),
  ];
}

const STEP_HEAD = ['step', 'quiet after, virtual ms', 'UPDATEs', 'kB sent', 'table operations', 'CPU ms'];

function failures({ size, steps }: TrialResult): string[] {
  if (steps.length < 2) return [];
  return [`### Failures, ${sizeText(size)}`, '', ...renderTable([STEP_HEAD, ...steps.slice(1).map(stepRow)]), ''];
}

function stepRow({ step, convergence, updates, octets, operations, cpu }: StepResult): string[] {
  const figures = [updates, octets / 1000, operations, Math.round(cpu * 1000)].map(short);
  return [step, convergence.toFixed(2), ...figures];
}

/** What is right is said too. */
function complaints({ size, checked }: TrialResult): string[] {
  if (checked.wrong.length === 0)
    return [`${sizeText(size)}: ${checked.prefixes} prefixes checked in forwarding tables, all right.`, ''];
  return [`${sizeText(size)}: WRONG`, '', ...checked.wrong.map((line) => `- ${line}`), ''];
}
