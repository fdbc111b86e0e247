/** What a configuration file says, whole: the speaker's part and the process's own. */

import type { EbpfPlaneOptions } from '../../core/ebpf-plane/plane-options.js';
import type { Policy } from '../../core/policy/policy.js';
import type { LogLevel } from '../../core/ports/event-log.js';
import type { SpeakerConfig } from '../../core/speaker/config.js';
import type { BmpStationConfig } from '../../core/speaker/monitoring/bmp-station.js';
import type { ControlListenerConfig } from './control-settings.js';
import type { MrtConfig } from './monitoring-settings.js';

export interface DaemonConfig {
  readonly speaker: SpeakerConfig;
  /** All that the file names, attached or not. */
  readonly policies: readonly Policy[];
  /** Path of the unix socket that `heddle show` talks to. */
  readonly controlSocket: string;
  /** The same over TCP. */
  readonly control?: ControlListenerConfig;
  readonly logLevel: LogLevel;
  /** Monitoring stations. */
  readonly bmp: readonly BmpStationConfig[];
  readonly mrt?: MrtConfig;
  /** The daemon warms its code up once it has started (app/rehearsal). */
  readonly rehearsal: boolean;
  /** Absent: the kernel forwards. */
  readonly plane?: EbpfPlaneOptions;
}
