/** Where the core tells what happened. One line an event; fields are for machines, the message is for people. */
export type LogLevel = 'debug' | 'info' | 'warn' | 'error';

export interface LogEvent {
  readonly level: LogLevel;
  /** The module that speaks: `session`, `discovery`, `rib`, `fib`, `host`, `bfd`, `control`. */
  readonly topic: string;
  readonly message: string;
  readonly fields?: Readonly<Record<string, string | number | boolean>>;
}

export interface EventLog {
  write(event: LogEvent): void;
}
