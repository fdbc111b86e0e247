/**
 * A fabric under load, packet by packet: takes events off the queue and gives each to the part it is for. The parts (ports, switches, hosts,
 * forwarding, the scheme) are joined here and nowhere else. One run is one object; equal settings and seed give equal runs.
 */
import { EventKind } from '../engine/event-kind.js';
import { EventQueue } from '../engine/event-queue.js';
import type { CongestionControl } from '../hosts/congestion-control.js';
import { type AnswerClasses, Hosts, type PacketSizes } from '../hosts/hosts.js';
import { Messages } from '../hosts/messages.js';
import { QueuePairs } from '../hosts/queue-pairs.js';
import type { Reliability } from '../hosts/reliability.js';
import type { LoadBalancer, SchemeContext } from '../schemes/scheme.js';
import { SeededRandom } from '../seeded-random.js';
import type { Forwarding } from './forwarding.js';
import { CLASS_SHIFT, PacketKind, Packets, ROW, Word } from './packets.js';
import { PauseWatchdog } from './pause-watchdog.js';
import { Pauses } from './pauses.js';
import { Ports } from './ports.js';
import { type BufferProfile, SharedBuffer } from './shared-buffer.js';
import { Switches, type SwitchProfile } from './switches.js';
import type { Topology } from './topology.js';
import { CONTROL_CLASS } from './traffic-classes.js';
import { Wire } from './wire.js';

export interface FabricSettings {
  readonly topology: Topology;
  readonly seed: number;
  readonly buffer: BufferProfile;
  readonly switches: SwitchProfile;
  /** Octets of headroom of a port: what may still come after a pause. */
  headroom(port: number): number;
  readonly sizes: PacketSizes;
  /** Left out: all answers are in the control class. */
  readonly answerClasses?: AnswerClasses;
  forwarding(topology: Topology, isUp: (port: number) => boolean): Forwarding;
  reliability(queuePairs: QueuePairs, events: EventQueue): Reliability;
  congestion(queuePairs: QueuePairs, events: EventQueue): CongestionControl;
  scheme(context: SchemeContext): LoadBalancer;
}

export interface Workload {
  /** Opens queue pairs, posts messages, schedules its timers. */
  start(): void;
  timer(first: number, second: number): void;
  /** A message is acknowledged. */
  completed(qp: number, tag: number): void;
  /** Its receiver has it: half a round trip before. */
  delivered?(qp: number, tag: number): void;
  /** Nothing is left to do. */
  readonly isDone: boolean;
}

export class FabricSimulation {
  readonly events = new EventQueue();
  readonly packets = new Packets();
  readonly queuePairs = new QueuePairs();
  readonly topology: Topology;
  readonly ports: Ports;
  readonly forwarding: Forwarding;
  readonly buffer: SharedBuffer;
  readonly pauses: Pauses;
  readonly wire: Wire;
  readonly switches: Switches;
  readonly hosts: Hosts;
  readonly scheme: LoadBalancer;
  /** Watches queues that are paused, where the switches have it. */
  readonly watchdog: PauseWatchdog | undefined;
  /** Events that have been worked. */
  handled = 0;
  /** Something happens to the fabric, by its number. */
  changed: (change: number) => void = () => {};
  sampled: () => void = () => {};

  constructor(settings: FabricSettings) {
    const { topology } = settings;
    const random = new SeededRandom(settings.seed);
    const draw = () => random.next();
    this.topology = topology;
    this.ports = new Ports(topology, this.packets);
    this.forwarding = settings.forwarding(topology, (port) => this.ports.up[port] === 1);
    const headroom = Float64Array.from({ length: this.ports.count }, (_, port) => settings.headroom(port));
    const nodes = topology.hosts + topology.switches;
    this.buffer = new SharedBuffer(settings.buffer, nodes, this.ports.node, headroom);
    this.pauses = new Pauses(this.events, this.ports, this.packets, settings.switches.pauseTime);
    this.wire = new Wire(this.events, this.ports, this.packets, draw);
    const joined = { wire: this.wire, pauses: this.pauses };
    this.switches = new Switches({
      ...joined,
      forwarding: this.forwarding,
      buffer: this.buffer,
      profile: settings.switches,
      pfc: settings.buffer.pfc,
      random: draw,
    });
    const { watchdog } = settings.switches;
    this.watchdog = watchdog && new PauseWatchdog({ ...joined, switches: this.switches }, topology.hosts, watchdog);
    this.hosts = new Hosts({
      ...joined,
      hosts: topology.hosts,
      queuePairs: this.queuePairs,
      messages: new Messages(),
      sizes: settings.sizes,
      classes: settings.answerClasses ?? { acknowledgement: CONTROL_CLASS, notice: CONTROL_CLASS },
      reliability: settings.reliability(this.queuePairs, this.events),
      congestion: settings.congestion(this.queuePairs, this.events),
    });
    this.scheme = settings.scheme(this.context(draw));
    this.switches.balanceBy(this.scheme);
    if (this.scheme.queuePairOpened) this.hosts.opened = (qp) => this.scheme.queuePairOpened!(qp);
  }

  /** Runs until the workload is done, or `limit` (picoseconds) is reached, or nothing is left to happen. */
  run(workload: Workload, limit: number): void {
    this.hosts.completed = (qp, tag) => workload.completed(qp, tag);
    if (workload.delivered) this.hosts.delivered = (qp, tag) => workload.delivered!(qp, tag);
    workload.start();
    this.proceed(workload, limit);
  }

  /** Goes on with a run until `limit`. */
  proceed(workload: Workload, limit: number): void {
    const { events } = this;
    while (!workload.isDone && events.take(limit)) {
      this.handled++;
      this.handle(workload, events.kind, events.first, events.second);
    }
  }

  private handle(workload: Workload, kind: number, first: number, second: number): void {
    const { topology, ports } = this;
    switch (kind) {
      case EventKind.arrival:
        if (this.events.now < ports.hearsFrom[second]!) this.wire.lose(first);
        else if (ports.node[second]! < topology.hosts) this.hosts.receive(first, second);
        else this.switches.receive(first, second);
        break;
      case EventKind.portFree:
        ports.waking[first] = 0;
        this.transmit(first);
        break;
      case EventKind.hostReady:
        this.hosts.transmit(first);
        break;
      case EventKind.pauseEnd:
        if (this.pauses.expired(first, second)) this.transmit(first);
        break;
      case EventKind.queuePair:
        this.hosts.timer(first, second);
        break;
      case EventKind.scheme:
        this.scheme.timer!(first, second);
        break;
      case EventKind.workload:
        workload.timer(first, second);
        break;
      case EventKind.change:
        this.changed(first);
        break;
      case EventKind.pauseRefresh:
        this.switches.pausing.refresh(first, second);
        break;
      case EventKind.watchdog:
        this.watchdog!.timer(first, second);
        break;
      default:
        this.sampled();
    }
  }

  /**
   * A link goes down, with what is on it and what waits for it, or comes up, without what is still on it. The groups of both ends are without it or with
   * it at once; tables are routing's.
   */
  setLink(link: number, up: boolean): void {
    const { ports, events, topology } = this;
    const ends = [link * 2, link * 2 + 1];
    if ((ports.up[ends[0]!] === 1) === up) return;
    for (const port of ends) ports.setUp(port, up, events.now);
    this.forwarding.refresh();
    for (const port of ends) {
      if (!up) this.switches.portDown(port);
      if (ports.node[port]! >= topology.hosts) this.scheme.linkChanged?.(port);
      if (up) this.transmit(port);
    }
  }

  /** A link has another rate, in bits per second, for what is sent from now on. */
  setLinkRate(link: number, rate: number): void {
    const { ports, topology } = this;
    for (const port of [link * 2, link * 2 + 1]) {
      ports.setRate(port, rate);
      if (ports.node[port]! >= topology.hosts) this.scheme.linkChanged?.(port);
    }
  }

  private transmit(port: number): void {
    const node = this.ports.node[port]!;
    if (node < this.topology.hosts) this.hosts.transmit(node);
    else this.switches.transmit(port);
  }

  private context(random: () => number): SchemeContext {
    const { events, packets } = this;
    return {
      topology: this.topology,
      events,
      packets,
      ports: this.ports,
      forwarding: this.forwarding,
      queuePairs: this.queuePairs,
      random,
      schedule: (delay, first, second) => events.schedule(events.now + delay, EventKind.scheme, first, second),
      forward: (node, packet) => this.switches.forward(node, packet),
      send: (port, packet) => this.switches.send(port, packet),
      controlPacket: (bytes) => {
        const packet = packets.allocate();
        const at = packet << ROW;
        packets.words[at] = PacketKind.scheme | (CONTROL_CLASS << CLASS_SHIFT);
        packets.words[at + Word.bytes] = bytes;
        packets.words[at + Word.ingress] = -1;
        packets.clearScheme(at);
        return packet;
      },
      discard: (packet) => packets.release(packet),
    };
  }
}
