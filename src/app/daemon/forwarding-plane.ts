/**
 * The eBPF plane of the daemon: opened when the configuration asks for it, also while routes are there and packets come in, changed or
 * closed when that changes, fed with what is known of the queues, told of in `show fib`. The kernel forwards whenever there is none.
 */
import { isDeepStrictEqual } from 'node:util';

import type { EbpfPlaneOptions } from '../../core/ebpf-plane/plane-options.js';
import { formatAddress } from '../../core/net/address.js';
import { formatPrefix } from '../../core/net/prefix.js';
import type { EventLog } from '../../core/ports/event-log.js';
import type { KernelTables } from '../../core/ports/kernel-tables.js';
import type { Links } from '../../core/ports/links.js';
import type { Speaker } from '../../core/speaker/speaker.js';
import type { EbpfPlane, PlanePrefix } from '../../edge/control/schema.js';
import { removeLeftFilter } from '../../edge/linux/bpf/clsact.js';
import { LinuxEbpfPlane } from '../../edge/linux/ebpf-plane.js';
import { MirroredTables } from '../../edge/linux/mirrored-tables.js';
import type { DaemonConfig } from '../config/daemon-config.js';
import type { MovingPlane } from './events/move-events.js';
import { interfaceNames } from './interface-names.js';
import { leftToKernel, planeView, portView } from './plane-view.js';

/** Milliseconds between two looks at the queues. */
const PRESSURE_INTERVAL = 100;
/** Octets a second of a port whose speed nobody knows. */
const UNKNOWN_CAPACITY = 1.25e9;

interface PlaneWorld {
  readonly links: Links;
  readonly log: EventLog;
}

export class ForwardingPlane {
  private timer: NodeJS.Timeout | undefined;
  private gone: string | undefined;
  private plane: LinuxEbpfPlane | undefined;
  /** On its way to be `plane`. */
  private next: LinuxEbpfPlane | undefined;
  private kernel: KernelTables | undefined;
  private speaker: Speaker | undefined;
  private wanted: ReadonlySet<string> = new Set();

  private constructor(
    private config: DaemonConfig,
    private readonly world: PlaneWorld,
  ) {}

  /** When it cannot be had, says so in one line; the kernel forwards. */
  static async open(config: DaemonConfig, world: PlaneWorld): Promise<ForwardingPlane> {
    const forwarding = new ForwardingPlane(config, world);
    forwarding.wanted = interfacesOf(config);
    const left = (await world.links.list()).filter(({ index }) => removeLeftFilter(index)).map(({ name }) => name);
    if (left.length > 0)
      forwarding.warn(`an eBPF plane that was killed had left its programs on ${left.join(', ')}; removed`);
    if (config.plane) await forwarding.raise(config.plane);
    return forwarding;
  }

  /** The tables that the router writes to. */
  over(kernel: KernelTables): KernelTables {
    this.kernel = kernel;
    return new MirroredTables(kernel, (work) => {
      this.plane?.told(work);
      this.next?.told(work);
    });
  }

  /** From now on the quality of the ports follows the queues too. */
  follow(speaker: Speaker): void {
    this.speaker = speaker;
    this.lookAtQueues();
  }

  /** What another configuration asks for; no packet is lost over it. Says what changed. */
  async reconfigure(config: DaemonConfig): Promise<readonly string[]> {
    const { plane: before } = this.config;
    const { plane: options } = config;
    this.config = config;
    this.wanted = interfacesOf(config);
    if (!options) return before ? this.lower() : [];
    const { plane } = this;
    if (!plane || !before || !sameTables(before, options)) {
      const forwards = await this.raise(options);
      return [forwards ? 'the eBPF plane forwards' : kernelForwards(this.gone ?? '')];
    }
    plane.attach();
    if (isDeepStrictEqual(before, options)) return [];
    try {
      plane.balance(options);
    } catch (error) {
      this.warn(`the eBPF plane goes on as before: ${messageOf(error)}`);
      return [];
    }
    return [`the eBPF plane balances by ${options.choice.mode}`];
  }

  /** Lines for `show fib`; none when the kernel forwards because it is to. */
  notes(speaker: Speaker): readonly string[] {
    if (this.gone !== undefined) return [kernelForwards(this.gone)];
    const { plane } = this;
    if (!plane) return [];
    const nameOf = interfaceNames(speaker);
    const where = plane.attachments().map(({ interfaceIndex, how }) => `${nameOf(interfaceIndex)} (${how})`);
    const left = leftToKernel(plane).map(({ reason, packets }) => `${reason} ${packets}`);
    const full = plane.full();
    return [
      ...(full === undefined ? [] : [full]),
      ...(plane.unwatched === undefined ? [] : [plane.unwatched]),
      `eBPF plane on ${where.join(', ') || 'no interface'}: ${plane.prefixes} prefixes`,
      ...plane.ports().map((port) => {
        const { interface: name, gateway, state, packets, octets, moves, reorderRisks } = portView(port, nameOf);
        return (
          `eBPF plane to ${gateway} on ${name}: ${state === 'unresolved' ? 'neighbour not resolved' : state}, ${packets} packets, ${octets} octets, ` +
          `${moves} moves of flows to it, ${reorderRisks} of them with a risk of reordering`
        );
      }),
      ...(left.length > 0 ? [`eBPF plane left packets to the kernel: ${left.join(', ')}`] : []),
    ];
  }

  /** For `show dlb`; null when the kernel forwards because it is to. */
  view(speaker: Speaker): EbpfPlane | null {
    const { config, plane, gone } = this;
    return config.plane ? planeView(config.plane.choice.mode, plane ?? gone ?? '', interfaceNames(speaker)) : null;
  }

  /** For those who watch moves; undefined while there is no plane. */
  moving(speaker: Speaker): MovingPlane | undefined {
    const { config, plane } = this;
    const choice = config.plane?.choice;
    if (!plane || !choice) return undefined;
    const nameOf = interfaceNames(speaker);
    return {
      takeMoves: () => plane.takeMoves(),
      moves: () => plane.ports().reduce((sum, { moves }) => sum + moves, 0n),
      port: (number) => {
        const place = plane.port(number);
        return place ? { interface: nameOf(place.interfaceIndex), gateway: formatAddress(place.gateway) } : null;
      },
      inactivity: choice.mode === 'flowlet' ? choice.inactivity : undefined,
    };
  }

  *prefixes(): Iterable<PlanePrefix> {
    for (const { prefix, packets, octets, fallback } of this.plane?.prefixCounts() ?? [])
      yield {
        ...{ prefix: formatPrefix(prefix), packets: Number(packets), octets: Number(octets) },
        fallbackPackets: Number(fallback),
      };
  }

  close(): void {
    clearInterval(this.timer);
    this.plane?.close();
  }

  /** A plane in place of the one that there is, if there is one. False, and the kernel forwards, when it cannot be had. */
  private async raise(options: EbpfPlaneOptions): Promise<boolean> {
    const { plane: before, kernel } = this;
    try {
      const next = await this.newPlane(options);
      this.next = next;
      if (kernel) await next.learn(kernel);
      this.plane = next;
      this.gone = undefined;
      next.attach(before);
      before?.close();
    } catch (error) {
      this.next?.close();
      before?.close();
      this.lose(messageOf(error));
    }
    this.next = undefined;
    this.lookAtQueues();
    return this.plane !== undefined;
  }

  private async newPlane(options: EbpfPlaneOptions): Promise<LinuxEbpfPlane> {
    return LinuxEbpfPlane.open({
      options,
      links: this.world.links,
      isWanted: (name) => this.wanted.has(name),
      failed: (why) => this.lose(why),
      warn: (line) => this.warn(line),
    });
  }

  private lower(): readonly string[] {
    this.plane?.close();
    this.plane = undefined;
    this.gone = undefined;
    clearInterval(this.timer);
    return ['the kernel forwards'];
  }

  private lookAtQueues(): void {
    clearInterval(this.timer);
    const { plane, speaker } = this;
    if (!plane || !speaker) return;
    this.timer = setInterval(() => {
      const links = new Map(speaker.balancer?.links().map((link) => [link.interfaceIndex, link]));
      plane.setPressure((interfaceIndex) => {
        const link = links.get(interfaceIndex);
        return { capacity: link?.capacity || UNKNOWN_CAPACITY, backlog: link?.queue ?? 0 };
      }, this.config.plane?.loadWeight ?? 0);
    }, PRESSURE_INTERVAL);
    this.timer.unref();
  }

  private lose(why: string): void {
    this.gone = why;
    this.plane = undefined;
    clearInterval(this.timer);
    this.warn(kernelForwards(why));
  }

  private warn(message: string): void {
    this.world.log.write({ level: 'warn', topic: 'fib', message });
  }
}

function interfacesOf({ speaker: { fabric, hosts } }: DaemonConfig): ReadonlySet<string> {
  return new Set([...fabric, ...hosts].map(({ name }) => name));
}

/** Else it takes other tables, and programs attached elsewhere. */
function sameTables(a: EbpfPlaneOptions, b: EbpfPlaneOptions): boolean {
  return isDeepStrictEqual([a.sizes, a.attach], [b.sizes, b.attach]);
}

function kernelForwards(why: string): string {
  return `the kernel forwards, not the eBPF plane: ${why}`;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
