/**
 * The eBPF plane of this network namespace: its tables, kept as the kernel's forwarding is, and its programs on the interfaces of the
 * router. When something of it fails it goes as a whole, with one line, and the kernel forwards on.
 */
import { existsSync } from 'node:fs';
import type { Hook } from '../../core/bpf/interpreter/context.js';
import { type OtherRoute, PlaneMirror, type PortPlace, type PortView } from '../../core/ebpf-plane/plane-mirror.js';
import type { Attachment, EbpfPlaneOptions } from '../../core/ebpf-plane/plane-options.js';
import { PROGRAM_NAME } from '../../core/ebpf-plane/program.js';
import {
  MOST_INTERFACES,
  MOST_PORTS,
  type Move,
  PASS_REASONS,
  type PortPressure,
} from '../../core/ebpf-plane/tables.js';
import { ROUTE_PROTOCOL } from '../../core/fib/ownership.js';
import type { Prefix } from '../../core/net/prefix.js';
import type { KernelTables } from '../../core/ports/kernel-tables.js';
import type { LinkEvent, LinkState, Links } from '../../core/ports/links.js';
import { programsAtIngress } from './bpf/attached-programs.js';
import type { BpfAttachment, BpfProgram } from './bpf/bpf-program.js';
import { LinuxPlaneTables } from './bpf/plane-tables.js';
import { BpfError } from './bpf/system-call.js';
import { tcxObstacle } from './diagnosis/features.js';
import { FollowedTable } from './followed-table.js';
import { LinkWatch } from './link-watch.js';
import { NEIGHBOUR_HEADER, parseNeighbour } from './neighbour-messages.js';
import { parseOtherRoute, ROUTE_HEADER } from './route-messages.js';
import { routesOfOthers } from './rtnetlink/event-filter.js';
import { GROUP, MESSAGE, type NetlinkMessage } from './rtnetlink/message.js';
import { RouteNetlink } from './rtnetlink/route-netlink.js';

export interface EbpfPlaneParts {
  readonly options: EbpfPlaneOptions;
  readonly links: Links;
  /** Whether packets that come in by it are the plane's. */
  isWanted(interfaceName: string): boolean;
  /** Called once, with one line, when the plane is gone. */
  failed(why: string): void;
  /** With one line on what the plane does less well than it could, for want of room or of a right. */
  warn(line: string): void;
}

export interface PlanePortView extends PortView {
  readonly packets: bigint;
  readonly octets: bigint;
  readonly moves: bigint;
  readonly risks: bigint;
}

/** Packets and octets that went out, and of the packets those that took the fallback set. */
export interface PlanePrefixView {
  readonly prefix: Prefix;
  readonly packets: bigint;
  readonly octets: bigint;
  readonly fallback: bigint;
}

export interface AttachmentView {
  readonly interfaceIndex: number;
  readonly how: Attachment;
}

const AF_INET6 = 10;
/** Milliseconds between two signs of life. */
const HEARTBEAT = 25;
/**
 * Nanoseconds without one after which the kernel has the packets, which sees links fail by itself. Where the plane does too, only neighbours
 * and routes of others go unheard meanwhile.
 */
const PATIENCE = { watched: 1_000_000_000n, unwatched: 100_000_000n } as const;

interface Programs {
  readonly xdp: BpfProgram;
  readonly tc: BpfProgram;
}

type Work = (mirror: PlaneMirror) => void;

export class LinuxEbpfPlane {
  readonly #parts: EbpfPlaneParts;
  readonly #tables: LinuxPlaneTables;
  readonly #mirror: PlaneMirror;
  #programs: Programs;
  /** What was told while the kernel's tables are read. */
  #held: Work[] | undefined;
  #isAttaching = false;
  #saidFull = false;
  readonly #attachments = new Map<number, BpfAttachment>();
  readonly #links = new Map<number, LinkState>();
  readonly #routes = new RouteNetlink();
  readonly #neighbourhood = new RouteNetlink();
  readonly #others = new FollowedTable({
    read: () => this.#routes.dump(MESSAGE.getRoute, Uint8Array.of(AF_INET6, ...new Uint8Array(ROUTE_HEADER - 1))),
    replace: (messages) => this.#tell((mirror) => mirror.replaceOthers(othersOf(messages))),
    change: (message) => this.#otherChanged(message),
  });
  readonly #neighbours = new FollowedTable({
    read: () =>
      this.#neighbourhood.dump(MESSAGE.getNeighbour, Uint8Array.of(AF_INET6, ...new Uint8Array(NEIGHBOUR_HEADER - 1))),
    replace: (messages) => {
      this.#tell((mirror) => mirror.clearNeighbours());
      for (const message of messages) this.#neighbourChanged(message);
    },
    change: (message) => this.#neighbourChanged(message),
  });
  /** Or why there is none. */
  #watch: LinkWatch | string;
  #unwatch = (): void => {};
  #gone = false;
  #ringless = false;
  #opened = false;
  #heartbeat: NodeJS.Timeout | undefined;
  #why: string | undefined;

  private constructor(parts: EbpfPlaneParts) {
    const { sizes } = parts.options;
    this.#parts = parts;
    this.#tables = new LinuxPlaneTables(sizes);
    try {
      this.#programs = load(this.#tables, parts.options);
    } catch (error) {
      this.#tables.close();
      this.#closeSockets();
      throw error;
    }
    this.#mirror = new PlaneMirror(this.#tables, sizes);
    this.#watch = this.#newWatch();
    this.#routes.subscribe(
      [GROUP.ipv6Route],
      (event) => this.#others.receive(event),
      routesOfOthers({ protocol: ROUTE_PROTOCOL }),
    );
    this.#neighbourhood.subscribe([GROUP.neighbour], (event) => this.#neighbours.receive(event));
  }

  /** Resolves when it knows of links, neighbours and routes of others. Rejects with one line when it cannot be; nothing is left then. */
  static async open(parts: EbpfPlaneParts): Promise<LinuxEbpfPlane> {
    const plane = new LinuxEbpfPlane(parts);
    try {
      plane.#unwatch = parts.links.watch((event) => plane.#linkEvent(event));
      for (const link of await parts.links.list()) plane.#linkEvent({ kind: 'link', link });
      if (!plane.#gone) await plane.#others.read();
      if (!plane.#gone) await plane.#neighbours.read();
    } catch (error) {
      plane.#fail(error);
    }
    plane.#giveSign();
    if (plane.#why !== undefined) throw new Error(plane.#why);
    plane.#heartbeat = setInterval(() => plane.#giveSign(), HEARTBEAT).unref();
    plane.#opened = true;
    if (plane.unwatched !== undefined) parts.warn(plane.unwatched);
    return plane;
  }

  /** What the kernel's tables have become. */
  readonly told = (work: Work): void => {
    if (this.#held) this.#held.push(work);
    else this.#tell(work);
  };

  /** Reads tables that were written before there was a plane to be told. What it is told meanwhile comes after that. */
  async learn(kernel: KernelTables): Promise<void> {
    this.#held = [];
    const snapshot = await kernel.dump('everything');
    this.#tell((mirror) => mirror.resync(snapshot, true));
    const held = this.#held;
    this.#held = undefined;
    for (const work of held) this.#tell(work);
  }

  /** Programs are put on the interfaces that are wanted, now and later; where those of another plane stand, in their place between two packets. */
  attach(instead?: LinuxEbpfPlane): void {
    this.#isAttaching = true;
    for (const link of this.#links.values()) this.#place(link, instead);
  }

  /**
   * Other programs over the same tables take the place of those that run, between two packets. Throws when the kernel refuses them, and
   * nothing has changed then.
   */
  balance(options: Pick<EbpfPlaneOptions, 'choice' | 'opcodes'>): void {
    const before = this.#programs;
    this.#programs = load(this.#tables, options);
    this.#tell(() => {
      for (const attachment of this.#attachments.values()) attachment.replace(this.#programFor(attachment.how));
    });
    closePrograms(before);
  }

  get running(): boolean {
    return !this.#gone;
  }

  get prefixes(): number {
    return this.#mirror.prefixes;
  }

  attachments(): readonly AttachmentView[] {
    return [...this.#attachments].map(([interfaceIndex, { how }]) => ({ interfaceIndex, how }));
  }

  ports(): readonly PlanePortView[] {
    if (this.#gone) return [];
    return this.#mirror.ports().map((port) => {
      const [packets, octets, moves, risks] = this.#tables.portCounts(port.number);
      const usable = port.usable && !this.#tables.carriers.isLost(port.number);
      return { ...port, usable, packets: packets!, octets: octets!, moves: moves!, risks: risks! };
    });
  }

  /** Read as they are taken: there may be very many. */
  *prefixCounts(): Generator<PlanePrefixView> {
    for (const { prefix, counter } of this.#mirror.forwarded()) {
      if (this.#gone) return;
      const [packets, octets, fallback] = this.#tables.prefixCounts(counter);
      yield { prefix, packets: packets!, octets: octets!, fallback: fallback! };
    }
  }

  /** Who has the number of a port, or had it last. */
  port(number: number): PortPlace | undefined {
    return this.#mirror.port(number);
  }

  /** Moves of flowsets since the last call, as far as the ring had room for them. */
  takeMoves(): readonly Move[] {
    if (this.#gone || this.#ringless) return [];
    try {
      return this.#tables.takeMoves();
    } catch {
      // Without its memory they are counted only: nothing is forwarded otherwise for that.
      this.#ringless = true;
      return [];
    }
  }

  /** Packets left to the kernel, by reason. */
  passed(): ReadonlyMap<string, bigint> {
    if (this.#gone) return new Map();
    const counts = this.#tables.passed();
    return new Map(PASS_REASONS.map((reason, place) => [reason, counts[place]!]));
  }

  /** What is known of an interface's capacity and queue. */
  setPressure(of: (interfaceIndex: number) => PortPressure, loadWeight: number): void {
    this.#tell((mirror) => {
      const pressure: PortPressure[] = [];
      for (const { number, interfaceIndex } of mirror.ports()) pressure[number] = of(interfaceIndex);
      const all = Array.from(pressure, (one) => one ?? { capacity: Number.POSITIVE_INFINITY, backlog: 0 });
      this.#tables.setPressure(all, loadWeight);
    });
  }

  close(): void {
    this.#gone = true;
    clearInterval(this.#heartbeat);
    this.#unwatch();
    if (typeof this.#watch !== 'string') this.#watch.close();
    this.#others.close();
    this.#neighbours.close();
    this.#closeSockets();
    for (const attachment of this.#attachments.values()) attachment.close();
    this.#attachments.clear();
    closePrograms(this.#programs);
    this.#tables.close();
  }

  #closeSockets(): void {
    this.#routes.close();
    this.#neighbourhood.close();
  }

  #tell(work: Work): void {
    if (this.#gone) return;
    try {
      work(this.#mirror);
    } catch (error) {
      this.#fail(error);
      return;
    }
    const full = this.#saidFull ? undefined : this.full();
    if (full === undefined) return;
    this.#saidFull = true;
    this.#parts.warn(full);
  }

  /** Why links that fail are heard of in this process only, in one line. */
  get unwatched(): string | undefined {
    return typeof this.#watch === 'string'
      ? `the eBPF plane hears of links that fail when heddle does, not in the kernel: ${this.#watch}`
      : undefined;
  }

  #newWatch(): LinkWatch | string {
    try {
      return new LinkWatch(this.#tables, this.#neighbourhood);
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
  }

  #giveSign(): void {
    const patience = typeof this.#watch === 'string' ? PATIENCE.unwatched : PATIENCE.watched;
    this.#tell((mirror) => mirror.aliveUntil(process.hrtime.bigint() + patience));
    this.#confirmLinks();
  }

  #confirmLinks(): void {
    if (typeof this.#watch !== 'string') void this.#watch.confirm(this.#links.values());
  }

  /** What there is no room for, in one line. */
  full(): string | undefined {
    const { prefixes, classes, ports } = this.#mirror.overflow;
    if (prefixes + classes + ports === 0) return undefined;
    const { sizes } = this.#parts.options;
    const full = [
      ...(prefixes > 0 ? [`${sizes.prefixes} prefixes (ebpf: prefixes)`] : []),
      ...(classes > 0 ? [`${sizes.classes} classes`] : []),
      ...(ports > 0 ? [`${MOST_PORTS} ports`] : []),
    ];
    return `the eBPF plane is full: what is beyond ${full.join(' and ')} goes by the kernel`;
  }

  /** A table that is not as the kernel's would send packets elsewhere: better none. */
  #fail(error: unknown): void {
    this.#why ??= error instanceof Error ? error.message : String(error);
    this.close();
    if (this.#opened) this.#parts.failed(this.#why);
  }

  #linkEvent(event: LinkEvent): void {
    this.#tell((mirror) => mirror.linkEvent(event));
    if (this.#gone) return;
    if (event.kind === 'link-deleted') {
      this.#links.delete(event.index);
      this.#detach(event.index);
      return;
    }
    this.#links.set(event.link.index, event.link);
    this.#place(event.link);
    this.#confirmLinks();
  }

  #place(link: LinkState, instead?: LinuxEbpfPlane): void {
    const wanted = link.mac.length === 6 && link.index < MOST_INTERFACES && this.#parts.isWanted(link.name);
    if (!wanted) return this.#detach(link.index);
    this.#tell(() => this.#tables.setInterface(link.index, link.mac));
    if (!this.#isAttaching || this.#attachments.has(link.index)) return;
    this.#tell((mirror) => this.#attach(link, mirror, instead?.release(link.index)));
  }

  #attach(link: LinkState, mirror: PlaneMirror, taken: BpfAttachment | undefined): void {
    const ways = waysFor(this.#parts.options.attach, link.name);
    const kept = taken && ways.includes(taken.how) ? taken : undefined;
    if (!kept) taken?.close();
    const attachment = kept ?? attachFirst(ways, (how) => this.#attachTo(link, how));
    if (!attachment) return;
    this.#attachments.set(link.index, attachment);
    kept?.replace(this.#programFor(kept.how));
    mirror.setNative(link.index, attachment.how === 'native');
  }

  /** `undefined` when the interface is gone, of which we are still to hear. */
  #attachTo({ index, name }: LinkState, how: Attachment): BpfAttachment | undefined {
    if (how === 'tc' && programsAtIngress(index).includes(PROGRAM_NAME))
      throw new Error(`the eBPF plane of another heddle is on the interface ${name} already`);
    try {
      return this.#programFor(how).attach(index, how);
    } catch (error) {
      const code = error instanceof BpfError ? error.code : undefined;
      if (code === 'ENODEV') return undefined;
      if (code === 'EBUSY') throw new Error(`another program is on the interface ${name} already (${how})`);
      throw error;
    }
  }

  #programFor(how: Attachment): BpfProgram {
    return this.#programs[how === 'tc' || how === 'clsact' ? 'tc' : 'xdp'];
  }

  /** Its program goes on to run there until it is replaced or closed. */
  release(interfaceIndex: number): BpfAttachment | undefined {
    const attachment = this.#attachments.get(interfaceIndex);
    this.#attachments.delete(interfaceIndex);
    return attachment;
  }

  #detach(interfaceIndex: number): void {
    this.release(interfaceIndex)?.close();
    this.#tell((mirror) => mirror.setNative(interfaceIndex, false));
  }

  #otherChanged({ type, payload }: NetlinkMessage): void {
    const route = parseOtherRoute(payload);
    if (!route) return;
    // One of several next hops may be all that went: what is left is read again.
    if (type === MESSAGE.deleteRoute && !route.local) this.#others.readAgain();
    else this.#tell((mirror) => (type === MESSAGE.deleteRoute ? mirror.removeOther(route) : mirror.addOther(route)));
  }

  #neighbourChanged({ type, payload }: NetlinkMessage): void {
    const entry = parseNeighbour(payload);
    if (!entry) return;
    const { interfaceIndex, address, known, linkAddress } = entry;
    const mac = type !== MESSAGE.deleteNeighbour && known && linkAddress?.length === 6 ? linkAddress : undefined;
    this.#tell((mirror) => mirror.neighbour(interfaceIndex, address, mac));
  }
}

function load(tables: LinuxPlaneTables, { choice, opcodes }: Pick<EbpfPlaneOptions, 'choice' | 'opcodes'>): Programs {
  const at = (hook: Hook) => tables.load({ ...choice, hook, ...(opcodes && { opcodes }) });
  const xdp = at('xdp');
  try {
    return { xdp, tc: at('tc') };
  } catch (error) {
    xdp.close();
    throw error;
  }
}

function closePrograms({ xdp, tc }: Programs): void {
  xdp.close();
  tc.close();
}

function othersOf(messages: readonly NetlinkMessage[]): OtherRoute[] {
  return messages.flatMap(({ payload }) => parseOtherRoute(payload) ?? []);
}

/**
 * A veth takes bare frames only from one whose far end runs a program too, and loses the check sums that were left to the hardware: there
 * traffic control is right. So it is for every interface without a device. Kernels without tcx have clsact.
 */
function waysFor(attach: EbpfPlaneOptions['attach'], name: string): readonly Attachment[] {
  const trafficControl = attach !== 'clsact' && tcxObstacle() === undefined ? 'tc' : 'clsact';
  if (attach === 'native' || attach === 'generic') return [attach];
  const isDevice = attach === 'auto' && existsSync(`/sys/class/net/${name}/device`);
  return isDevice ? ['native', trafficControl] : [trafficControl];
}

/** The first way that is not refused; throws what the last one said. */
function attachFirst(
  ways: readonly Attachment[],
  attach: (how: Attachment) => BpfAttachment | undefined,
): BpfAttachment | undefined {
  for (const [place, how] of ways.entries()) {
    try {
      return attach(how);
    } catch (error) {
      if (place === ways.length - 1) throw error;
    }
  }
  return undefined;
}
