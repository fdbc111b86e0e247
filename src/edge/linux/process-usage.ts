/** What this process uses of the machine, from its runtime and from /proc. */
import { readdirSync, readFileSync } from 'node:fs';
import { type IntervalHistogram, monitorEventLoopDelay, performance } from 'node:perf_hooks';

/** Null where /proc does not tell. */
export interface ProcessUsage {
  /** Seconds since 1970. */
  readonly startedAt: number;
  /** Seconds. */
  readonly cpu: { readonly user: number; readonly system: number };
  readonly residentBytes: number;
  readonly virtualBytes: number | null;
  readonly heapUsedBytes: number;
  readonly heapTotalBytes: number;
  readonly externalBytes: number;
  readonly openDescriptors: number | null;
  readonly maxDescriptors: number | null;
  /** Seconds that the event loop came round later than it could, since the last reading. */
  readonly loopDelay: { readonly mean: number; readonly p50: number; readonly p99: number; readonly max: number };
}

/** Milliseconds between looks at the event loop: what keeps it for longer is seen. */
const RESOLUTION = 20;

export class ProcessMeter {
  readonly #delay: IntervalHistogram = monitorEventLoopDelay({ resolution: RESOLUTION });

  constructor() {
    this.#delay.enable();
  }

  read(): ProcessUsage {
    const { user, system } = process.cpuUsage();
    const { rss, heapUsed, heapTotal, external } = process.memoryUsage();
    const virtual = numberIn('/proc/self/status', /^VmSize:\s+(\d+) kB/m);
    return {
      startedAt: performance.timeOrigin / 1000,
      cpu: { user: user / 1e6, system: system / 1e6 },
      residentBytes: rss,
      virtualBytes: virtual === null ? null : virtual * 1024,
      heapUsedBytes: heapUsed,
      heapTotalBytes: heapTotal,
      externalBytes: external,
      openDescriptors: openDescriptors(),
      maxDescriptors: numberIn('/proc/self/limits', /^Max open files\s+(\d+)/m),
      loopDelay: this.#loopDelay(),
    };
  }

  close(): void {
    this.#delay.disable();
  }

  /** The runtime tells how long a look came after the one before. */
  #loopDelay(): ProcessUsage['loopDelay'] {
    const delay = this.#delay;
    const seconds = (nanoseconds: number) => Math.max(0, nanoseconds / 1e6 - RESOLUTION) / 1000;
    const isEmpty = delay.max === 0;
    const found = {
      mean: isEmpty ? 0 : seconds(delay.mean),
      p50: seconds(delay.percentile(50)),
      p99: seconds(delay.percentile(99)),
      max: seconds(delay.max),
    };
    delay.reset();
    return found;
  }
}

function openDescriptors(): number | null {
  try {
    return readdirSync('/proc/self/fd').length;
  } catch {
    return null;
  }
}

function numberIn(file: string, pattern: RegExp): number | null {
  try {
    const found = pattern.exec(readFileSync(file, 'latin1'));
    return found ? Number(found[1]) : null;
  } catch {
    return null;
  }
}
