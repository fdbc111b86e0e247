/** `heddle doctor`. Pure. */
import { counted } from '../../../core/net/counted.js';
import type { Finding, Status } from '../../doctor/finding.js';
import type { Paint } from './paint.js';
import { wrapped } from './table.js';

interface Screen {
  readonly paint: Paint;
  readonly width: number;
}

const GAP = '  ';

/** A line or more for each finding, what would be changed apart from what was looked at, and the sum of it. */
export function renderDoctor(findings: readonly Finding[], screen: Screen): string[] {
  const looked = findings.filter(({ check }) => check !== 'changes');
  const changes = findings.filter(({ check }) => check === 'changes');
  const { paint } = screen;
  return [
    paint.strong(`${'STATUS'.padEnd(STATUS_WIDTH)}${GAP}${'CHECK'.padEnd(widest(looked))}${GAP}FOUND`),
    ...looked.flatMap((finding) => findingLines(finding, widest(looked), screen)),
    ...(changes.length > 0 ? ['', paint.strong('A DAEMON WOULD CHANGE')] : []),
    ...changes.flatMap((change) => changeLines(change, screen)),
    '',
    sumLine(findings, paint),
  ];
}

/** What `--json` prints; fields are added, none is renamed. */
export function doctorJson(findings: readonly Finding[]) {
  return {
    problems: findings.filter(({ status }) => status === 'problem').length,
    warnings: findings.filter(({ status }) => status === 'warning').length,
    findings,
  };
}

const STATUS_WIDTH = 'problem'.length;

function widest(findings: readonly Finding[]): number {
  return Math.max(0, ...findings.map(({ check }) => check.length));
}

function findingLines(
  { status, check, subject, ...rest }: Finding,
  column: number,
  { paint, width }: Screen,
): string[] {
  const indent = STATUS_WIDTH + GAP.length + column + GAP.length;
  const found = subject === null ? rest.found : `${subject}: ${rest.found}`;
  const [first = '', ...more] = wrapped(found, width - indent);
  const below = [
    ...more,
    ...(rest.meaning === null ? [] : wrapped(rest.meaning, width - indent).map(paint.dim)),
    ...(rest.action === null ? [] : wrapped(`-> ${rest.action}`, width - indent)),
  ];
  const head = [styleOf(status, paint)(status.padEnd(STATUS_WIDTH)), check.padEnd(column), first].join(GAP);
  return [head, ...below.map((line) => `${' '.repeat(indent)}${line}`)];
}

function changeLines({ subject, found }: Finding, { width }: Screen): string[] {
  return wrapped(subject === null ? found : `${subject}: ${found}`, width - GAP.length).map((line) => `${GAP}${line}`);
}

function sumLine(findings: readonly Finding[], paint: Paint): string {
  const { problems, warnings } = doctorJson(findings);
  if (problems > 0) return paint.bad(`${counted(problems, 'problem')}, ${counted(warnings, 'warning')}`);
  return warnings > 0 ? paint.warn(`no problem, ${counted(warnings, 'warning')}`) : paint.good('all is well');
}

function styleOf(status: Status, paint: Paint) {
  return { ok: paint.good, warning: paint.warn, problem: paint.bad }[status];
}
