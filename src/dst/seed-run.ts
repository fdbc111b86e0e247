/** Seed after seed over worker processes, with progress, failures and a report. */

import type { DstCommand } from './command-line.js';
import { drawScenario } from './draw.js';
import type { RunResult } from './run-scenario.js';
import type { Violation } from './violation.js';
import type { WorkerPool } from './worker-pool.js';

/** Milliseconds between two lines of progress. */
const BETWEEN = 20_000;

export interface Failure {
  readonly seed: number;
  readonly violation: Violation;
}

export class SeedRun {
  readonly failures: Failure[] = [];
  stopped = false;
  private done = 0;
  private messages = 0;
  private updates = 0;
  private virtual = 0;
  private slowest = 0;
  private readonly started = performance.now();
  private shownAt = performance.now();

  constructor(
    private readonly command: DstCommand,
    private readonly pool: Pick<WorkerPool, 'run'>,
    private readonly print: (line: string) => void,
  ) {}

  async run(): Promise<void> {
    const { from, seeds, jobs } = this.command;
    let next = from;
    const lane = async () => {
      while (next < from + seeds && !this.stopped) {
        const seed = next++;
        this.take(seed, await this.pool.run(drawScenario(seed, this.command.options)));
      }
    };
    await Promise.all(Array.from({ length: jobs }, lane));
    this.progress();
  }

  report(command: string): string {
    const { faults, spines, leaves } = this.command.options;
    const number = (value: number) => Math.round(value).toLocaleString('en');
    return [
      `Command: \`${command}\`. ${number(this.done)} seeds from ${this.command.from}, ${spines} x ${leaves}, ${faults} faults each: ` +
        `${number(this.virtual / 3_600_000)} hours of virtual time, ${number(this.messages)} packets and writes, ${number(this.updates)} UPDATEs; ` +
        `after an episode at most ${(this.slowest / 1000).toFixed(0)} s until all was as it must be.`,
      '',
      this.failures.length === 0 ? 'Violated: nothing.' : `Violated: in ${this.failures.length} seeds.`,
      ...this.failures.map(({ seed, violation }) => `- seed ${seed}: ${textOf(violation)}`),
      '',
    ].join('\n');
  }

  private take(seed: number, { violations, messages, updates, time, slowest }: RunResult): void {
    this.done++;
    this.messages += messages;
    this.updates += updates;
    this.virtual += time;
    this.slowest = Math.max(this.slowest, slowest);
    const [violation] = violations;
    if (violation) {
      this.failures.push({ seed, violation });
      this.print(`FAILED seed ${seed}: ${textOf(violation)}`);
    }
    if (performance.now() - this.shownAt > BETWEEN) this.progress();
  }

  private progress(): void {
    this.shownAt = performance.now();
    const minutes = (this.shownAt - this.started) / 60_000;
    this.print(
      `${minutes.toFixed(1)} min: ${this.done} of ${this.command.seeds} seeds, ${(this.done / minutes / 60).toFixed(2)}/s, ${this.failures.length} failed`,
    );
  }
}

function textOf({ invariant, place, detail }: Violation): string {
  return `${invariant} at ${place}: ${detail.split('\n')[0]!.slice(0, 400)}`;
}
