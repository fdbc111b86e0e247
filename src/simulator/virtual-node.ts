/** One simulated machine: interfaces, a stack of ports over virtual time, and the speaker that runs on them. */
import { MemoryKernelTables } from '../core/fib/memory-tables.js';
import type { EventLog } from '../core/ports/event-log.js';
import type { SpeakerConfig } from '../core/speaker/config.js';
import type { SessionWatcher } from '../core/speaker/session-watcher.js';
import { Speaker } from '../core/speaker/speaker.js';
import { SeededRandom } from './seeded-random.js';
import { virtualBfd } from './virtual-bfd.js';
import type { VirtualClock } from './virtual-clock.js';
import { VirtualGateways } from './virtual-gateways.js';
import { VirtualInterface } from './virtual-interface.js';
import { VirtualLinks } from './virtual-links.js';
import { VirtualReachability } from './virtual-reachability.js';
import { type Directory, VirtualTransport } from './virtual-transport.js';

export interface VirtualNodeOptions {
  readonly clock: VirtualClock;
  readonly log: EventLog;
  readonly directory: Directory;
  /** Distinguishes MAC addresses and random streams of the nodes of one fabric. */
  readonly number: number;
  readonly seed: number;
}

export class VirtualNode {
  readonly links = new VirtualLinks();
  readonly transport: VirtualTransport;
  readonly tables = new MemoryKernelTables();
  readonly reachability: VirtualReachability;
  readonly gateways = new VirtualGateways();
  speaker: Speaker | undefined;
  /** Set before the start. */
  watchers: readonly SessionWatcher[] = [];

  constructor(
    readonly name: string,
    private readonly options: VirtualNodeOptions,
  ) {
    this.reachability = new VirtualReachability(options.clock, this.links);
    this.transport = new VirtualTransport(options.clock, this.links, options.directory, (address) =>
      this.reachability.resolve(address),
    );
  }

  addInterface(name: string): VirtualInterface {
    const index = [...this.links.all()].length + 1;
    const { number, clock } = this.options;
    const mac = Uint8Array.of(0x02, 0, 0, number >> 8, number & 0xff, index);
    const link = new VirtualInterface(clock, name, index, mac, (state) => {
      this.tables.setLink(index, state.adminUp && state.carrier);
      this.links.emit(state);
    });
    this.links.add(link);
    return link;
  }

  async start(config: SpeakerConfig): Promise<void> {
    const { clock, log, seed, number } = this.options;
    const random = new SeededRandom(seed * 65_537 + number);
    this.speaker = new Speaker(config, {
      clock,
      log,
      random,
      transport: this.transport,
      ndSockets: this.links,
      links: this.links,
      bfd: virtualBfd(clock, random, this.links),
      tables: this.tables,
      reachability: this.reachability,
      gateways: this.gateways,
      watchers: this.watchers,
    });
    await this.speaker.start();
  }
}
