/** One simulated machine: interfaces, a stack of ports over virtual time, and the speaker that runs on them. */
import { BfdRunner } from '../core/bfd/runner.js';
import { MemoryKernelTables } from '../core/fib/memory-tables.js';
import type { Address } from '../core/net/address.js';
import type { Clock } from '../core/ports/clock.js';
import type { EventLog } from '../core/ports/event-log.js';
import type { LinkState } from '../core/ports/links.js';
import type { AttributeTable } from '../core/route/attribute-table.js';
import type { SpeakerConfig } from '../core/speaker/config.js';
import type { SessionWatcher } from '../core/speaker/session-watcher.js';
import { Speaker } from '../core/speaker/speaker.js';
import { JumpingClock } from './jumping-clock.js';
import { ResilientBuckets } from './resilient-buckets.js';
import { SeededRandom } from './seeded-random.js';
import { SHARED_MEMORY } from './shared-memory.js';
import { Suspension } from './suspension.js';
import { VirtualBfdNetwork } from './virtual-bfd.js';
import type { VirtualClock } from './virtual-clock.js';
import { VirtualGateways } from './virtual-gateways.js';
import { VirtualInterface } from './virtual-interface.js';
import { VirtualLinks } from './virtual-links.js';
import { VirtualLoadMeters } from './virtual-load-meters.js';
import { VirtualReachability } from './virtual-reachability.js';
import { type Directory, VirtualTransport } from './virtual-transport.js';
import type { WireTap } from './wire-tap.js';

export interface VirtualNodeOptions {
  readonly clock: VirtualClock;
  readonly log: EventLog;
  readonly directory: Directory;
  /** Distinguishes MAC addresses and random streams of the nodes of one fabric. */
  readonly number: number;
  readonly seed: number;
  /** Shared by the nodes of the fabric; absent: each has its own, as in reality. */
  readonly attributes?: AttributeTable | undefined;
  /** Milliseconds by which work that the speaker puts off comes later. */
  readonly tableDelay: number;
  /** One MAC address for all interfaces. */
  readonly systemMac: boolean;
  readonly tap?: WireTap | undefined;
}

export class VirtualNode {
  /** Of the speaker. */
  readonly clock: JumpingClock;
  readonly links = new VirtualLinks();
  readonly transport: VirtualTransport;
  readonly tables = new MemoryKernelTables();
  readonly reachability: VirtualReachability;
  readonly gateways = new VirtualGateways();
  /** Of the speaker's process. */
  suspension = new Suspension();
  /** Of its next-hop groups. */
  readonly buckets = new ResilientBuckets();
  speaker: Speaker | undefined;
  /** Set before the start. */
  watchers: readonly SessionWatcher[] = [];
  private interfaces = 0;

  constructor(
    readonly name: string,
    private readonly options: VirtualNodeOptions,
  ) {
    const { clock, directory, tap } = options;
    this.clock = new JumpingClock(clock);
    this.reachability = new VirtualReachability(clock, this.links);
    const resolve = (address: Address) => this.reachability.resolve(address);
    this.transport = new VirtualTransport(clock, this.links, directory, resolve, tap);
  }

  addInterface(name: string): VirtualInterface {
    const index = ++this.interfaces;
    const { number, clock, systemMac, tap } = this.options;
    const port = systemMac ? 0 : index;
    const mac = Uint8Array.of(0x02, number >> 16, number >> 8, number, port >> 8, port);
    const changed = (state: LinkState) => {
      this.tables.setLink(index, state.adminUp && state.carrier);
      this.links.emit(state);
    };
    const link = new VirtualInterface({ clock, changed, tap }, { name, index, mac });
    this.links.add(link);
    return link;
  }

  /** As an `ip link delete` does it; an interface of that name that comes later is another one. */
  removeInterface(link: VirtualInterface): void {
    link.remove();
    this.tables.setLink(link.index, false);
    this.links.remove(link);
  }

  /** As `kill -9`: the process is gone, what it wrote into the kernel stays, and its connections are reset. */
  kill(): void {
    this.suspension.kill();
    this.clock.forget();
    this.suspension = new Suspension();
    this.transport.crash();
  }

  async start(config: SpeakerConfig): Promise<void> {
    const { log, seed, number, attributes, tableDelay } = this.options;
    const { suspension } = this;
    const clock = suspension.clock(tableDelay > 0 ? unhurried(this.clock, tableDelay) : this.clock);
    const random = new SeededRandom(seed * 65_537 + number);
    const links = suspension.links(this.links);
    const network = suspension.bfd(new VirtualBfdNetwork(this.links));
    this.speaker = new Speaker(config, {
      clock,
      log,
      random,
      transport: suspension.transport(this.transport),
      ndSockets: links,
      links,
      bfd: new BfdRunner({ clock, random, network }),
      tables: suspension.tables(this.tables),
      reachability: suspension.reachability(this.reachability),
      gateways: this.gateways,
      meters: new VirtualLoadMeters(clock, this.links, this.buckets),
      watchers: this.watchers,
      tableMemory: SHARED_MEMORY,
      ...(attributes && { attributes }),
    });
    await this.speaker.start();
  }
}

/** A clock of a node whose table work has to wait for other work. */
function unhurried(clock: Clock, delay: number): Clock {
  return {
    now: () => clock.now(),
    schedule: (at, wake) => clock.schedule(at, wake),
    yield: (work) => void clock.schedule(clock.now() + delay, work),
  };
}
