/** One run of all fuzzers side by side: a round of each in turn until the counts are reached or the time is over. */
import { octetsInUse } from '../bench/octets-in-use.js';
import { coverageOf, type FolderCoverage } from './code-coverage.js';
import { capturedSeeds, corpusUpdates, octetsOf } from './corpus.js';
import { DecoderFuzzer } from './decoder-fuzzer.js';
import { Finds } from './finds.js';
import { PlaneFuzzer } from './plane-fuzzer.js';
import { SessionFuzzer } from './session-fuzzer.js';
import { UpdateFuzzer } from './update-fuzzer.js';

export interface RunPlan {
  readonly seed: number;
  /** Infinite where only time ends the run. */
  readonly updates: number;
  readonly sessions: number;
  readonly inputs: number;
  /** Frames for the eBPF plane, which takes the rights that bpf(2) needs. */
  readonly frames: number;
  /** One decoder alone. */
  readonly decoder?: string | undefined;
  readonly minutes: number;
}

export interface HeapSample {
  /** Share of the run that is done, or minutes where nothing says how long it is. */
  readonly updates: number;
  readonly sessions: number;
  readonly octets: number;
}

const ROUND = { updates: 20_000, sessions: 2000, inputs: 500, frames: 5000 };
const COVERED = { updates: 30_000, sessions: 480, inputs: 500 };
/** Milliseconds between two lines of progress, and two looks at the heap. */
const BETWEEN = 20_000;
/** The heap may be so much above its level after the first rounds. */
const SLACK = 8 << 20;

export class FuzzRun {
  readonly finds: Finds;
  readonly updates: UpdateFuzzer;
  readonly sessions: SessionFuzzer;
  readonly decoders: DecoderFuzzer;
  readonly heap: HeapSample[] = [];
  /** Absent where the kernel refuses its programs and nobody asked for so many. */
  readonly frames: PlaneFuzzer | undefined;
  readonly seconds = { updates: 0, sessions: 0, inputs: 0, frames: 0 };
  readonly computing = { updates: 0, sessions: 0, inputs: 0, frames: 0 };
  coverage: readonly FolderCoverage[] = [];
  stopped = false;
  private readonly seeds: readonly Uint8Array[];
  private readonly captured = capturedSeeds();
  private started = 0;
  private lastLook = 0;

  constructor(
    readonly plan: RunPlan,
    private readonly print: (line: string) => void,
  ) {
    this.finds = new Finds(({ place, kind, detail, input }) =>
      print(`FIND ${place}: ${kind}\n  ${detail.slice(0, 2000)}\n  input ${input}`),
    );
    this.seeds = [...this.captured.updateBodies, ...corpusUpdates().map((row) => octetsOf(row.body))];
    this.updates = this.newUpdates(this.finds);
    this.sessions = new SessionFuzzer(plan.seed, this.finds);
    this.decoders = new DecoderFuzzer(plan.seed, this.finds, { captured: this.captured, only: plan.decoder });
    if (plan.frames > 0) this.frames = this.newFrames();
  }

  async run(): Promise<void> {
    this.started = performance.now();
    this.lastLook = this.started;
    while (!this.isOver()) {
      await this.timed('updates', this.left('updates'), (count) => this.updates.run(count));
      await this.timed('frames', this.left('frames'), (count) => this.frames?.run(count));
      await this.timed('inputs', this.left('inputs'), (count) => this.decoders.run(count));
      await this.timed('sessions', this.left('sessions'), (count) => this.sessions.run(count));
      if (performance.now() - this.lastLook > BETWEEN) this.look();
    }
    this.frames?.close();
    this.updates.target.checkLevel();
    this.look();
    this.checkHeap();
  }

  /** What a short run of this seed reaches in the code; apart from the run itself, which it would slow down. */
  async measureCoverage(): Promise<void> {
    const finds = new Finds();
    this.coverage = await coverageOf(async () => {
      this.newUpdates(finds).run(COVERED.updates);
      new DecoderFuzzer(this.plan.seed, finds, { captured: this.captured }).run(COVERED.inputs);
      await new SessionFuzzer(this.plan.seed, finds).run(COVERED.sessions);
    });
  }

  get minutes(): number {
    return (performance.now() - this.started) / 60_000;
  }

  private newUpdates(finds: Finds): UpdateFuzzer {
    return new UpdateFuzzer({ seed: this.plan.seed, finds, seeds: this.seeds, guided: true });
  }

  /** Throws when they were asked for by count and cannot be had. */
  private newFrames(): PlaneFuzzer | undefined {
    try {
      return new PlaneFuzzer(this.plan.seed, this.finds);
    } catch (error) {
      if (Number.isFinite(this.plan.frames)) throw error;
      this.print(`without frames for the eBPF plane: ${error instanceof Error ? error.message : String(error)}`);
      return undefined;
    }
  }

  private done(part: keyof typeof ROUND): number {
    if (part === 'updates') return this.updates.count;
    if (part === 'frames') return this.frames?.count ?? Number.POSITIVE_INFINITY;
    return part === 'sessions' ? this.sessions.count : this.decoders.count;
  }

  private left(part: keyof typeof ROUND): number {
    const done = this.done(part);
    const left = Number.isFinite(done) ? this.plan[part] - done : 0;
    return this.stopped ? 0 : Math.max(0, Math.min(ROUND[part], left));
  }

  private isOver(): boolean {
    const parts = ['updates', 'sessions', 'inputs', 'frames'] as const;
    return this.stopped || this.minutes >= this.plan.minutes || parts.every((part) => this.left(part) === 0);
  }

  private async timed(
    part: keyof typeof ROUND,
    count: number,
    work: (count: number) => void | Promise<void>,
  ): Promise<void> {
    if (count === 0) return;
    const before = performance.now();
    const { user, system } = process.cpuUsage();
    await work(count);
    const after = process.cpuUsage();
    this.seconds[part] += (performance.now() - before) / 1000;
    this.computing[part] += (after.user - user + after.system - system) / 1e6;
  }

  private look(): void {
    this.lastLook = performance.now();
    const { updates, sessions, decoders, frames, finds } = this;
    const octets = octetsInUse();
    this.heap.push({ updates: updates.count, sessions: sessions.count, octets });
    const rate = (part: keyof typeof ROUND) => Math.round(this.done(part) / Math.max(this.computing[part], 0.001));
    this.print(
      `${this.minutes.toFixed(1)} min: ${updates.count} UPDATEs (${rate('updates')}/s), ${sessions.count} sessions ` +
        `(${rate('sessions')}/s), ${decoders.count} other inputs (${rate('inputs')}/s)${frames ? `, ${frames.count} frames (${rate('frames')}/s)` : ''}; heap ${(octets / 2 ** 20).toFixed(1)} MiB; ${finds.count} finds`,
    );
  }

  /** Flat: the last level against that of the first quarter, when code is compiled and stores are full. */
  private checkHeap(): void {
    const { heap } = this;
    if (heap.length < 4) return;
    const first = Math.max(...heap.slice(0, Math.ceil(heap.length / 4)).map(({ octets }) => octets));
    const last = heap.at(-1)!.octets;
    if (last > first + SLACK)
      this.finds.add('the heap grows', 'run', { detail: `${first} octets at first, ${last} at last`, input: '' });
  }
}
