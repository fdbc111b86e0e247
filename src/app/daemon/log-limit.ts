/**
 * Keeps one neighbour, or one host that knocks at the BGP port, from filling the log: what is said about one interface (about one
 * topic where no interface is named) is cut off after some lines, and the number of those left out is told when the time is over. The
 * interface and not the neighbour, because addresses cost a neighbour nothing.
 */
import { counted } from '../../core/net/counted.js';
import type { Clock } from '../../core/ports/clock.js';
import type { LogEvent } from '../../core/ports/event-log.js';

const WINDOW_MS = 10_000;
/** Enough for an interface that comes up with a session, goes and comes again, three times. */
const LINES = 30;

export class LogLimit {
  /** Lines asked for in the window that is open, by what they are about. */
  private readonly windows = new Map<string, number>();

  constructor(
    private readonly clock: Clock,
    private readonly leftOut: (event: LogEvent) => void,
  ) {}

  /** False when the line is to be left out. */
  allows(event: LogEvent): boolean {
    const about = subject(event);
    const lines = (this.windows.get(about) ?? 0) + 1;
    this.windows.set(about, lines);
    if (lines === 1) this.clock.schedule(this.clock.now() + WINDOW_MS, () => this.close(about, event.topic));
    return lines <= LINES;
  }

  private close(about: string, topic: LogEvent['topic']): void {
    const excess = (this.windows.get(about) ?? 0) - LINES;
    this.windows.delete(about);
    if (excess <= 0) return;
    this.leftOut({
      level: 'warn',
      topic,
      message: `left out: ${counted(excess, 'more line')} about ${about} in ${WINDOW_MS / 1000} s`,
    });
  }
}

function subject({ topic, fields = {} }: LogEvent): string {
  if (fields.interface !== undefined) return String(fields.interface);
  const neighbour = fields.neighbour ?? fields.peer;
  return neighbour === undefined ? topic : String(neighbour).replace(/^.*%/, '');
}
