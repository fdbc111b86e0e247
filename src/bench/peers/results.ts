/** Everything that was measured, by workload, step, figure and who, and as Markdown. Pure. */
import { type Spread, spreadOf } from '../common/statistics.js';
import { renderTable, spreadCell } from '../common/table.js';
import type { StepResult } from './measure.js';
import type { Subject } from './subject.js';
import { HEDDLE } from './subjects.js';
import type { Step, Workload } from './workloads.js';

interface Entry {
  readonly workload: Workload;
  readonly subject: Pick<Subject, 'name'>;
  readonly result: StepResult;
}

const FIGURES = ['wall', 'told', 'cpu', 'memory', 'lateness'] as const;
type Figure = (typeof FIGURES)[number];

const FIGURE_TITLES: Readonly<Record<Figure, string>> = {
  wall: 'until quiet, s',
  told: 'until the last is told, s',
  cpu: 'CPU, s',
  memory: 'peak memory, MB',
  lateness: 'worst KEEPALIVE, ms late',
};

const STEP_TITLES: Readonly<Record<Step, string>> = {
  announce: 'announced',
  withdraw: 'withdrawn',
  drop: 'connections lost',
};

export class Results {
  private readonly entries: Entry[] = [];
  private readonly failures = new Map<string, string>();

  add(entry: Entry): void {
    this.entries.push(entry);
  }

  fail(workload: Workload, subject: Pick<Subject, 'name'>, why: string): void {
    this.failures.set(`${workload.name} ${subject.name}`, why);
  }

  failure(workload: Workload, { name }: Pick<Subject, 'name'>): string | undefined {
    return this.failures.get(`${workload.name} ${name}`);
  }

  get workloads(): readonly Workload[] {
    return [...new Set(this.entries.map(({ workload }) => workload))];
  }

  subjects(workload: Workload): readonly string[] {
    return [...new Set(this.of(workload).map(({ subject }) => subject.name))];
  }

  spread(workload: Workload, step: Step, figure: Figure, name: string): Spread | undefined {
    const values = this.of(workload)
      .filter(({ subject, result }) => subject.name === name && result.step === step)
      .flatMap(({ result }) => result[figure] ?? []);
    return values.length === 0 ? undefined : spreadOf(values);
  }

  failuresOf(workload: Workload): readonly string[] {
    return [...this.failures].flatMap(([key, why]) => (key.startsWith(`${workload.name} `) ? [why] : []));
  }

  private of(workload: Workload): readonly Entry[] {
    return this.entries.filter((entry) => entry.workload === workload);
  }
}

/** A section a workload: a row a step and figure, a column for everybody, and heddle's ratio to each of the others. */
export function renderResults(results: Results): string[] {
  return results.workloads.flatMap((workload) => [
    `### ${workload.title}`,
    '',
    ...renderTable(tableOf(results, workload)),
    '',
    ...results.failuresOf(workload).map((why) => `- ${why}`),
    '',
  ]);
}

function tableOf(results: Results, workload: Workload): readonly (readonly string[])[] {
  const names = results.subjects(workload);
  const others = names.filter((name) => name !== HEDDLE);
  const rows = workload.steps.flatMap((step) =>
    FIGURES.flatMap((figure) => {
      const spreads = new Map(names.map((name) => [name, results.spread(workload, step, figure, name)]));
      if ([...spreads.values()].every((spread) => spread === undefined)) return [];
      const cells = names.map((name) => spreadCell(spreads.get(name)));
      const ratios = others.map((name) => ratio(spreads.get(HEDDLE), spreads.get(name)));
      return [[`${STEP_TITLES[step]}: ${FIGURE_TITLES[figure]}`, ...cells, ...ratios]];
    }),
  );
  return [['', ...names, ...others.map((name) => `heddle / ${name}`)], ...rows];
}

function ratio(own: Spread | undefined, other: Spread | undefined): string {
  return own === undefined || other === undefined || other.median === 0 ? '' : (own.median / other.median).toFixed(2);
}
