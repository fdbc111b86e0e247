/**
 * When a program was done: the end of its last work before it stood still. Its CPU time is looked at again and again, and it stands
 * still when it has used almost none for a while; no cooperation is needed, so the same holds for everybody. Pure.
 */

/** Milliseconds that it must stand still. */
const STILL = 700;
/** Part of a core that counts as standing still: timers and the like. */
const STILL_SHARE = 0.03;
/** Seconds of CPU that come after the work: rounding of the kernel's ticks, and timers. */
const AFTERWARDS = 0.025;

interface Look {
  /** Milliseconds. */
  readonly at: number;
  /** Seconds of CPU. */
  readonly cpu: number;
}

export class Quiet {
  private readonly looks: Look[] = [];

  /** `start`: milliseconds before which it cannot be done. */
  constructor(private readonly start: number) {}

  /** True once it stands still. */
  look(at: number, cpu: number): boolean {
    this.looks.push({ at, cpu });
    const before = this.looks.findLast((look) => look.at <= at - STILL);
    if (before === undefined || at - STILL < this.start) return false;
    return cpu - before.cpu <= (STILL_SHARE * (at - before.at)) / 1000 + 0.01;
  }

  /** Milliseconds: the first look that had seen all of the work. */
  get doneAt(): number {
    const last = this.looks.at(-1);
    const done = last && this.looks.find(({ cpu }) => cpu >= last.cpu - AFTERWARDS);
    return Math.max(this.start, done?.at ?? this.start);
  }
}
