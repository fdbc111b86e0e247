/** The event log on standard error: one line an event, fields as key=value, control characters escaped. */
import type { EventLog, LogEvent, LogLevel } from '../../core/ports/event-log.js';

const RANK: Readonly<Record<LogLevel, number>> = { debug: 0, info: 1, warn: 2, error: 3 };

export class LogWriter implements EventLog {
  constructor(
    /** Events below this level are dropped. */
    private readonly level: LogLevel,
    private readonly print: (line: string) => void,
    private readonly now: () => Date = () => new Date(),
  ) {}

  write(event: LogEvent): void {
    if (RANK[event.level] < RANK[this.level]) return;
    const fields = Object.entries(event.fields ?? {}).map(([key, value]) => ` ${key}=${printable(String(value))}`);
    const head = `${this.now().toISOString()} ${event.level.padEnd(5)} ${event.topic}:`;
    this.print(`${head} ${printable(event.message)}${fields.join('')}\n`);
  }
}

/** What a peer says may hold control characters: they reach no terminal. */
function printable(text: string): string {
  return text.replaceAll(/\p{Cc}/gu, (character) => `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`);
}
