/**
 * Reads the configuration file again and applies what differs, for SIGHUP and `heddle reload`. A file that is wrong, or that asks
 * for what only a restart can do, changes nothing.
 */
import type { EventLog, LogLevel } from '../../core/ports/event-log.js';
import type { Speaker } from '../../core/speaker/speaker.js';
import type { Reloaded } from '../../edge/control/commands.js';
import type { Credentials } from '../../edge/control/credentials.js';
import type { DaemonConfig } from '../config/daemon-config.js';
import { readConfig } from '../config/read-config.js';
import { ConfigError } from '../config/read-text.js';
import type { ForwardingPlane } from './forwarding-plane.js';

/** What the process sets up once. */
const PROCESS_SETTINGS: readonly (readonly [string, (config: DaemonConfig) => unknown])[] = [
  ['control-socket', ({ controlSocket }) => controlSocket],
  ['control', ({ control }) => control],
  ['bmp', ({ bmp }) => bmp],
  ['mrt', ({ mrt }) => mrt],
];

export interface ReloadTarget {
  readonly file: string;
  readonly speaker: Pick<Speaker, 'reconfigure'>;
  readonly plane: Pick<ForwardingPlane, 'reconfigure'>;
  /** Of the control API over TCP. */
  readonly credentials?: Pick<Credentials, 'prepare'>;
  readonly log: EventLog & { setLevel(level: LogLevel): void };
}

type ReloadResult = Reloaded | { readonly problems: readonly string[] };

export class Reloader {
  /** Reloads come one after the other. */
  private last: Promise<unknown> = Promise.resolve();
  private isLastSuccessful = true;
  private successAt = Date.now();

  constructor(
    private config: DaemonConfig,
    private readonly target: ReloadTarget,
  ) {}

  /** How the last reload went, and when the configuration that runs was read, in seconds since 1970. */
  get status(): { readonly lastSuccessful: boolean; readonly lastSuccessAt: number } {
    return { lastSuccessful: this.isLastSuccessful, lastSuccessAt: this.successAt / 1000 };
  }

  reload(): Promise<ReloadResult> {
    const result = this.last.then(() => this.run());
    this.last = result.catch(() => {});
    return result;
  }

  private async run(): Promise<ReloadResult> {
    this.isLastSuccessful = false;
    const result = await this.apply();
    if (!('problems' in result)) {
      this.isLastSuccessful = true;
      this.successAt = Date.now();
    }
    const write = (level: 'info' | 'error', message: string) =>
      this.target.log.write({ level, topic: 'speaker', message });
    if ('problems' in result) for (const problem of result.problems) write('error', `reload: ${problem}`);
    else write('info', `reload: ${result.changes.join('; ') || 'nothing changed'}`);
    return result;
  }

  private async apply(): Promise<ReloadResult> {
    const { file, speaker, plane, log } = this.target;
    const read = this.read();
    if ('problems' in read) return read;
    const { config, warnings } = read;
    const changed = PROCESS_SETTINGS.filter(([, of]) => JSON.stringify(of(config)) !== JSON.stringify(of(this.config)));
    if (changed.length > 0)
      return restartNeeded(
        file,
        changed.map(([name]) => name),
      );
    const renewed = this.renewed();
    if ('problems' in renewed) return renewed;
    const { restart, problem, changes } = await speaker.reconfigure(config.speaker);
    if (restart.length > 0) return restartNeeded(file, restart);
    if (problem !== undefined) return { problems: [`${file}: ${problem}: nothing was applied`] };
    const { logLevel } = config;
    const forwarding = await plane.reconfigure(config);
    const level = logLevel === this.config.logLevel ? [] : [`log level ${logLevel}`];
    log.setLevel(logLevel);
    this.config = config;
    return { changes: [...changes, ...forwarding, ...level, ...renewed.apply()], warnings: [...warnings] };
  }

  /** Token and certificate, read before anything is applied: that they have not changed their names says nothing of what is in them. */
  private renewed(): { readonly apply: () => string[] } | { readonly problems: readonly string[] } {
    const { credentials, file } = this.target;
    try {
      return { apply: credentials?.prepare() ?? (() => []) };
    } catch (error) {
      return { problems: [`${file}: ${error instanceof Error ? error.message : String(error)}: nothing was applied`] };
    }
  }

  private read(): ReturnType<typeof readConfig> | { readonly problems: readonly string[] } {
    try {
      return readConfig(this.target.file);
    } catch (error) {
      if (error instanceof ConfigError) return { problems: error.lines };
      throw error;
    }
  }
}

function restartNeeded(file: string, keys: readonly string[]): { readonly problems: readonly string[] } {
  return { problems: [`${file}: ${keys.join(', ')} changed: that needs a restart, so nothing was applied`] };
}
