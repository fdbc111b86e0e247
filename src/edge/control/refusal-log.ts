/** Who comes without the right token, told to the log: one line for a source and minute, however often it knocks. */
import type { EventLog } from '../../core/ports/event-log.js';

const WINDOW_MS = 60_000;
/** Told apart at the same time; others are counted with none. */
const MOST_SOURCES = 256;

interface Window {
  readonly until: number;
  untold: number;
}

export class RefusalLog {
  readonly #windows = new Map<string, Window>();

  constructor(
    private readonly log: EventLog,
    /** Milliseconds of a clock that goes one way. */
    private readonly now: () => number = () => performance.now(),
  ) {}

  tell(source: string, why: string): void {
    const open = this.#windows.get(source);
    if (open && this.now() < open.until) {
      open.untold++;
      return;
    }
    if (!open && this.#windows.size >= MOST_SOURCES && !this.#forgetOld()) return;
    const before = open?.untold ? ` (${open.untold} more since the last line)` : '';
    this.#windows.set(source, { until: this.now() + WINDOW_MS, untold: 0 });
    const message = `a request from ${source} is refused: ${why}${before}`;
    this.log.write({ level: 'warn', topic: 'control', message });
  }

  /** False when there is none. */
  #forgetOld(): boolean {
    const before = this.#windows.size;
    for (const [source, { until }] of this.#windows) if (until <= this.now()) this.#windows.delete(source);
    return this.#windows.size < before;
  }
}
