/** What a configuration file says, whole: the speaker's part and the process's own. */
import type { LogLevel } from '../../core/ports/event-log.js';
import type { SpeakerConfig } from '../../core/speaker/config.js';

export interface DaemonConfig {
  readonly speaker: SpeakerConfig;
  /** Path of the unix socket that `heddle show` talks to. */
  readonly controlSocket: string;
  readonly logLevel: LogLevel;
}
