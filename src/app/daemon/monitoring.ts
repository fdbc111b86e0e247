/** BMP stations and the MRT file of updates: built before the speaker whose sessions they watch, ended after it. */
import { hostname } from 'node:os';
import { type BmpPorts, BmpStation } from '../../core/speaker/monitoring/bmp-station.js';
import { MrtUpdates } from '../../core/speaker/monitoring/mrt-updates.js';
import type { SessionWatcher } from '../../core/speaker/session-watcher.js';
import type { Speaker } from '../../core/speaker/speaker.js';
import { TcpCollectors } from '../../edge/bmp/tcp-collectors.js';
import type { Summary } from '../../edge/control/schema.js';
import { AppendFile } from '../../edge/record/append-file.js';
import type { DaemonConfig } from '../config/daemon-config.js';
import { packageVersion } from '../version.js';

export class Monitoring {
  readonly watchers: readonly SessionWatcher[];
  private readonly stations: readonly BmpStation[];
  private readonly file: AppendFile | undefined;

  constructor(
    private readonly config: DaemonConfig,
    ports: Pick<BmpPorts, 'clock' | 'random' | 'log'>,
  ) {
    const { bmp, mrt, speaker } = config;
    const description = `heddle ${packageVersion} on ${hostname()}`;
    const bmpPorts = { ...ports, collectors: new TcpCollectors(), now: microseconds, description };
    this.stations = bmp.map((station) => new BmpStation(station, bmpPorts));
    this.file = mrt && new AppendFile({ path: mrt.updates, maximum: mrt.maximum, log: ports.log });
    const updates = this.file ? [new MrtUpdates(speaker.asn, this.file, microseconds)] : [];
    this.watchers = [...this.stations, ...updates];
  }

  /** Before the speaker starts. */
  start({ config, engine }: Speaker): void {
    for (const station of this.stations) station.start(config, engine);
  }

  /** The file was moved away. */
  reopen(): void {
    this.file?.reopen();
  }

  async stop(): Promise<void> {
    for (const station of this.stations) station.stop();
    await this.file?.close();
  }

  summary(): Summary['monitoring'] {
    const { mrt } = this.config;
    return {
      bmp: this.stations.map(({ config, link }) => ({
        collector: config.host,
        port: config.port,
        routes: [...config.routes],
        connected: link.up,
        connections: link.connections,
        messages: link.messages,
        overruns: link.overruns,
      })),
      mrt: mrt && this.file ? { updates: mrt.updates, dropped: this.file.dropped } : null,
    };
  }
}

function microseconds(): number {
  return Date.now() * 1000;
}
