/** What a configuration file says, whole: the speaker's part and the process's own. */
import type { LogLevel } from '../../core/ports/event-log.js';
import type { SpeakerConfig } from '../../core/speaker/config.js';
import type { BmpStationConfig } from '../../core/speaker/monitoring/bmp-station.js';
import type { MrtConfig } from './monitoring-settings.js';

export interface DaemonConfig {
  readonly speaker: SpeakerConfig;
  /** Path of the unix socket that `heddle show` talks to. */
  readonly controlSocket: string;
  readonly logLevel: LogLevel;
  /** Monitoring stations. */
  readonly bmp: readonly BmpStationConfig[];
  readonly mrt?: MrtConfig;
}
