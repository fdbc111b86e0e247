/** The event log on standard error: one line an event, fields as key=value, control characters escaped. */
import type { EventLog, LogEvent, LogLevel } from '../../core/ports/event-log.js';
import type { LogLimit } from './log-limit.js';

const RANK: Readonly<Record<LogLevel, number>> = { debug: 0, info: 1, warn: 2, error: 3 };

export interface LogWriterOptions {
  /** Events below this level are dropped. */
  readonly level: LogLevel;
  readonly print: (line: string) => void;
  readonly now?: () => Date;
  readonly limit?: LogLimit;
}

export class LogWriter implements EventLog {
  private level: LogLevel;

  constructor(private readonly options: LogWriterOptions) {
    this.level = options.level;
  }

  setLevel(level: LogLevel): void {
    this.level = level;
  }

  /** Whoever asks for debug lines asks for all of them. */
  write(event: LogEvent): void {
    const { level } = this;
    if (RANK[event.level] < RANK[level]) return;
    if (level === 'debug' || (this.options.limit?.allows(event) ?? true)) this.print(event);
  }

  /** Without a limit. */
  print(event: LogEvent): void {
    const { print, now = () => new Date() } = this.options;
    const fields = Object.entries(event.fields ?? {}).map(([key, value]) => ` ${key}=${printable(String(value))}`);
    const head = `${now().toISOString()} ${event.level.padEnd(5)} ${event.topic}:`;
    print(`${head} ${printable(event.message)}${fields.join('')}\n`);
  }
}

/** What a peer says may hold control characters: they reach no terminal. */
function printable(text: string): string {
  return text.replaceAll(/\p{Cc}/gu, (character) => `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`);
}
