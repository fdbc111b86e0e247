/**
 * Global load balancing (Junos, QFX5240): DLB whose quality of an uplink counts the spine's link to the packet's leaf as well, which spines tell of in
 * heartbeats to all leaves and when it changes. What is published of it is that, and its limits. How the two qualities are combined, how often a
 * spine looks at its links, and when what was told is too old (three heartbeats) are ours.
 */
import type { Band } from '../../core/dlb/link-quality.js';
import { KIND_MASK, PacketKind, ROW, Word } from '../network/packets.js';
import { hasParallelLinks, type Topology, tiersOf } from '../network/topology.js';
import { Dlb, type DlbOptions, dlb } from './dlb.js';
import { Clos } from './parts/clos.js';
import { refusesRange } from './parts/option-range.js';
import { refusesWord } from './parts/option-word.js';
import type { LoadBalancer, SchemeContext, SchemeDefinition } from './scheme.js';

export type GlbOptions = DlbOptions & {
  readonly heartbeat: number;
  readonly onChange: boolean;
  readonly check: number;
  readonly combination: string;
  readonly remoteWeight: number;
};

const COMBINATIONS = ['minimum', 'weighted'];
/** Path-quality profiles of a switch, one a leaf. */
const MOST_LEAVES = 64;

export const glb: SchemeDefinition<GlbOptions> = {
  name: 'glb',
  summary: "DLB that counts the spines' links to the destination's leaf, told by heartbeats (Junos GLB)",
  defaults: {
    ...dlb.defaults,
    heartbeat: 20_000,
    onChange: true,
    check: 10,
    combination: 'minimum',
    remoteWeight: 50,
  },
  meaning: {
    ...dlb.meaning,
    heartbeat:
      'how often a spine tells all leaves of its links, microseconds; what is three times as old does not count',
    onChange: 'tell of them as well when a quality has changed',
    check: 'how often a spine looks whether one has, microseconds (ours)',
    combination: 'of the qualities of uplink and remote link: minimum, or weighted mean (both ours)',
    remoteWeight: "the remote link's share in the weighted mean, per cent",
  },
  refuses,
  create: (context, options) => new Glb(context, options),
};

function refuses(topology: Topology, options: GlbOptions): string | undefined {
  const leaves = topology.tiers.filter((tier) => tier === 0).length;
  const stages = 2 * tiersOf(topology) - 1;
  if (stages > 3) return `a fabric of ${stages} stages: GLB knows next-next-hops only, so three at most`;
  if (leaves > MOST_LEAVES) return `${leaves} leaves: GLB has path-quality profiles for ${MOST_LEAVES}`;
  if (hasParallelLinks(topology)) return 'parallel links: GLB wants one link between a leaf and a spine';
  return (
    refusesRange('heartbeat', options.heartbeat, 1, 1e7) ??
    refusesRange('check', options.check, 0.1, 1e6) ??
    refusesWord('combination', options.combination, COMBINATIONS) ??
    refusesRange('remoteWeight', options.remoteWeight, 0, 100) ??
    dlb.refuses?.(topology, options)
  );
}

/** Of Ethernet the least: a heartbeat for 64 leaves is half as long. */
const HEARTBEAT_BYTES = 64;
/** A quality in a heartbeat: 0 for a link that is down or that there is none, else the band plus one. Ten of nine values fit in a word. */
const VALUES = 9;
const IN_A_WORD = 10;
const PLACES = Array.from({ length: IN_A_WORD }, (_, place) => VALUES ** place);
/** Of an uplink behind which the link is down. */
const UNUSABLE = -1;
const HEARTBEATS_TO_LIVE = 3;
const PS_PER_MICROSECOND = 1e6;

const Timer = { heartbeat: 0, check: 1 } as const;

export class Glb implements LoadBalancer {
  private heartbeats = 0;
  private changes = 0;
  /** The leaf that the packet at hand goes to. */
  private towards = 0;
  /** By uplink and leaf: what the spine behind it told last, as heartbeats have it; and when it did, by uplink. */
  private readonly remote: Uint8Array;
  private readonly toldAt: Float64Array;
  /** Of each spine its link to each leaf, -1 without; and what was told of that last. */
  private readonly links: readonly Int32Array[];
  private readonly told: readonly Uint8Array[];
  private readonly context: SchemeContext;
  private readonly options: GlbOptions;
  private readonly clos: Clos;
  private readonly dlb: Dlb;

  constructor(context: SchemeContext, options: GlbOptions = glb.defaults) {
    const { topology, ports } = context;
    this.context = context;
    this.options = options;
    this.clos = new Clos(topology);
    this.dlb = new Dlb(context, options, { bandOf: (port, band) => this.counted(port, band) });
    const { leaves } = this.clos;
    this.remote = new Uint8Array(ports.count * leaves.length);
    this.toldAt = new Float64Array(ports.count).fill(Number.NEGATIVE_INFINITY);
    this.links = this.spineLinks();
    this.told = this.links.map(() => new Uint8Array(leaves.length));
    this.start();
  }

  choose(node: number, packet: number, group: number): number {
    const { forwarding, packets } = this.context;
    const host = forwarding.hostOf[packets.words[(packet << ROW) + Word.destination]!]!;
    this.towards = this.clos.leafNumber[forwarding.leafOf[host]!]!;
    return this.dlb.choose(node, packet, group);
  }

  received(_: number, packet: number, ingress: number): boolean {
    const { words } = this.context.packets;
    const at = packet << ROW;
    if ((words[at]! & KIND_MASK) !== PacketKind.scheme) return true;
    const { length } = this.clos.leaves;
    for (let leaf = 0; leaf < length; leaf++) {
      const word = words[at + Word.scheme + Math.floor(leaf / IN_A_WORD)]! >>> 0;
      this.remote[ingress * length + leaf] = Math.floor(word / PLACES[leaf % IN_A_WORD]!) % VALUES;
    }
    this.toldAt[ingress] = this.context.events.now;
    this.context.discard(packet);
    return false;
  }

  departing(port: number, packet: number): void {
    this.dlb.departing(port, packet);
  }

  timer(spine: number, which: number): void {
    if (which === Timer.heartbeat) this.tell(spine);
    else if (this.hasChanged(spine)) this.tellOfChange(spine);
    this.again(spine, which);
  }

  /** A spine tells of a link that went at once: routing takes longer. */
  linkChanged(port: number): void {
    const spine = this.links.findIndex((links) => links.includes(port));
    if (spine >= 0 && this.options.onChange) this.tellOfChange(spine);
  }

  counters(): Readonly<Record<string, number>> {
    return { ...this.dlb.counters(), heartbeats: this.heartbeats, changes: this.changes };
  }

  /** What the spine behind an uplink told last of its link to a leaf: a band, or -1 for a link that is down. */
  remoteBand(port: number, leaf: number): number {
    return this.remote[port * this.clos.leaves.length + leaf]! - 1;
  }

  /** What an uplink's quality counts as towards the leaf of the packet at hand. */
  private counted(port: number, local: Band): number {
    const { options, context } = this;
    const lifetime = HEARTBEATS_TO_LIVE * options.heartbeat * PS_PER_MICROSECOND;
    if (context.events.now - this.toldAt[port]! > lifetime) return local;
    const remote = this.remoteBand(port, this.towards);
    if (remote === UNUSABLE) return UNUSABLE;
    if (options.combination === 'minimum') return Math.min(local, remote);
    const weight = options.remoteWeight / 100;
    return Math.round((1 - weight) * local + weight * remote);
  }

  private hasChanged(spine: number): boolean {
    const told = this.told[spine]!;
    const links = this.links[spine]!;
    for (let leaf = 0; leaf < links.length; leaf++) if (this.qualityOf(links[leaf]!) !== told[leaf]) return true;
    return false;
  }

  private tellOfChange(spine: number): void {
    this.changes++;
    this.tell(spine);
  }

  /** Sends the qualities of a spine's links to all leaves. */
  private tell(spine: number): void {
    const { context } = this;
    const told = this.told[spine]!;
    const links = this.links[spine]!;
    for (let leaf = 0; leaf < links.length; leaf++) told[leaf] = this.qualityOf(links[leaf]!);
    for (const port of links) {
      if (port < 0 || context.ports.up[port] === 0) continue;
      const packet = context.controlPacket(HEARTBEAT_BYTES);
      this.write(packet, told);
      this.heartbeats++;
      context.send(port, packet);
    }
  }

  private write(packet: number, told: Uint8Array): void {
    const { words } = this.context.packets;
    const at = (packet << ROW) + Word.scheme;
    for (let leaf = 0; leaf < told.length; leaf++) {
      const word = at + Math.floor(leaf / IN_A_WORD);
      words[word] = (words[word]! >>> 0) + told[leaf]! * PLACES[leaf % IN_A_WORD]!;
    }
  }

  /** The quality of a spine's link as heartbeats have it. */
  private qualityOf(port: number): number {
    return port < 0 || this.context.ports.up[port] === 0 ? 0 : this.dlb.quality.band(port) + 1;
  }

  private spineLinks(): Int32Array[] {
    const { topology, ports } = this.context;
    const ofSwitch = topology.tiers.map(() => new Int32Array(this.clos.leaves.length).fill(-1));
    ports.node.forEach((node, port) => {
      const leaf = this.clos.leafNumber[ports.node[ports.peer[port]!]!]!;
      if (leaf >= 0 && this.clos.isFabric[port] === 1) ofSwitch[node - topology.hosts]![leaf] = port;
    });
    return ofSwitch.filter((_, index) => topology.tiers[index] === 1);
  }

  /** Spines are not in step with each other. */
  private start(): void {
    this.links.forEach((_, spine) => {
      const share = spine / this.links.length;
      const { heartbeat, check, onChange } = this.options;
      this.context.schedule(Math.round(share * heartbeat * PS_PER_MICROSECOND), spine, Timer.heartbeat);
      if (onChange) this.context.schedule(Math.round(share * check * PS_PER_MICROSECOND), spine, Timer.check);
    });
  }

  private again(spine: number, which: number): void {
    const { heartbeat, check } = this.options;
    const interval = which === Timer.heartbeat ? heartbeat : check;
    this.context.schedule(Math.round(interval * PS_PER_MICROSECOND), spine, which);
  }
}
