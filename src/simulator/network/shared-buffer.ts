/**
 * The buffer of a switch, shared by its ports (dynamic thresholds), and what follows from its filling: whether a packet is admitted, whether the
 * neighbour that sent it must pause (IEEE 802.1Qbb), whether it is marked (RFC 3168, DCQCN's congestion point). The rules are those that the public
 * ns-3 models of RoCEv2 fabrics have after Broadcom's: each ingress queue has a guaranteed part, then takes from the shared part up to alpha
 * times what is left of it; what still comes when the shared part is used up goes into the headroom of its port. The egress side has a threshold of
 * its own against loss without PFC. Only classes that are not strict are counted: control packets are few, small and go first.
 */
import { CLASS_COUNT, LOSSLESS_CLASS } from './traffic-classes.js';

export interface BufferProfile {
  /** Octets of a switch. */
  readonly size: number;
  /** Of what is left of the shared part, how much an ingress queue may take before its neighbour pauses. */
  readonly ingressAlpha: number;
  /** The same for an egress queue, before packets are dropped. */
  readonly egressAlpha: number;
  /** Guaranteed octets of an ingress queue, of an ingress port and of an egress queue, each. */
  readonly guaranteed: number;
  /** Classes for which guarantees are set aside at each port. */
  readonly reservedClasses: number;
  /** Octets below the threshold at which the neighbour may go on. */
  readonly resumeOffset: number;
  /** Whether neighbours are told to pause. */
  readonly pfc: boolean;
}

export interface MarkingProfile {
  /** No mark at or below, octets. */
  readonly minimum: number;
  /** All marked above, octets. */
  readonly maximum: number;
  /** The probability of a mark at the maximum. */
  readonly probability: number;
}

export class SharedBuffer {
  /** Octets in use, of all switches. */
  readonly used: Float64Array;
  readonly ingressOctets: Float64Array;
  private readonly portOctets: Float64Array;
  private readonly headroomOctets: Float64Array;
  private readonly headroom: Float64Array;
  private readonly egressOctets: Float64Array;
  private readonly egressShared: Float64Array;
  private readonly sharedLimit: Float64Array;
  private readonly egressLimit: Float64Array;
  private readonly profile: BufferProfile;
  private readonly egressGuaranteed: number;

  /**
   * @param ports of each port its node
   * @param headroom octets of each port that hold what is still on the way when a pause goes out
   */
  constructor(profile: BufferProfile, nodes: number, ports: Int32Array, headroom: Float64Array) {
    this.profile = profile;
    this.headroom = headroom;
    this.used = new Float64Array(nodes);
    this.egressShared = new Float64Array(nodes);
    this.ingressOctets = new Float64Array(ports.length * CLASS_COUNT);
    this.headroomOctets = new Float64Array(ports.length * CLASS_COUNT);
    this.egressOctets = new Float64Array(ports.length * CLASS_COUNT);
    this.portOctets = new Float64Array(ports.length);
    this.sharedLimit = new Float64Array(nodes).fill(profile.size);
    this.egressLimit = new Float64Array(nodes).fill(profile.size);
    this.egressGuaranteed = profile.guaranteed + 1;
    const reserved = profile.reservedClasses * profile.guaranteed;
    ports.forEach((node, port) => {
      this.sharedLimit[node] = this.sharedLimit[node]! - reserved - headroom[port]!;
      this.egressLimit[node] = this.egressLimit[node]! - reserved;
    });
  }

  /** Takes a packet in; false when there is no room for it and it is lost. */
  admit(node: number, ingress: number, egress: number, bytes: number): boolean {
    if (!this.fitsEgress(node, egress, bytes) || !this.fitsIngress(node, ingress, bytes)) return false;
    const { guaranteed } = this.profile;
    this.used[node] = this.used[node]! + bytes;
    if (ingress >= 0) {
      const port = (ingress / CLASS_COUNT) | 0;
      this.portOctets[port] = this.portOctets[port]! + bytes;
      this.ingressOctets[ingress] = this.ingressOctets[ingress]! + bytes;
      if (this.used[node]! > this.sharedLimit[node]!)
        this.headroomOctets[ingress] = this.headroomOctets[ingress]! + bytes;
    }
    const before = Math.max(0, this.egressOctets[egress]! - guaranteed - 1);
    this.egressOctets[egress] = this.egressOctets[egress]! + bytes;
    this.egressShared[node] = this.egressShared[node]! + this.sharedOctets(egress) - before;
    return true;
  }

  private fitsIngress(node: number, ingress: number, bytes: number): boolean {
    const { guaranteed, size } = this.profile;
    if (this.used[node]! + bytes > size) return false;
    if (ingress < 0) return true;
    const port = (ingress / CLASS_COUNT) | 0;
    return (
      this.ingressOctets[ingress]! + bytes <= guaranteed ||
      this.portOctets[port]! + bytes <= guaranteed ||
      this.used[node]! <= this.sharedLimit[node]! ||
      this.headroomOctets[ingress]! + bytes <= this.headroom[port]!
    );
  }

  private fitsEgress(node: number, egress: number, bytes: number): boolean {
    // What neighbours can be told to pause is never lost to the threshold of one egress queue: headroom and the whole buffer bound it.
    if (this.profile.pfc && egress % CLASS_COUNT === LOSSLESS_CLASS) return true;
    const left = this.egressLimit[node]! - this.egressShared[node]!;
    return bytes <= left && this.sharedOctets(egress) + bytes <= this.profile.egressAlpha * left;
  }

  /** A packet leaves. */
  release(node: number, ingress: number, egress: number, bytes: number): void {
    this.used[node] = this.used[node]! - bytes;
    if (ingress >= 0) {
      const port = (ingress / CLASS_COUNT) | 0;
      this.portOctets[port] = this.portOctets[port]! - bytes;
      this.ingressOctets[ingress] = this.ingressOctets[ingress]! - bytes;
      this.headroomOctets[ingress] = Math.max(0, this.headroomOctets[ingress]! - bytes);
    }
    const before = this.sharedOctets(egress);
    this.egressOctets[egress] = this.egressOctets[egress]! - bytes;
    this.egressShared[node] = this.egressShared[node]! + this.sharedOctets(egress) - before;
  }

  /** What an egress queue holds beyond its guarantee: what ECN is marked by. */
  sharedOctets(egress: number): number {
    const octets = this.egressOctets[egress]! - this.egressGuaranteed;
    return Math.max(octets, 0);
  }

  /**
   * Whether a lossless packet that leaves the moment it comes changes nothing: it fits into the shared part, no packet of its queue is in headroom, and
   * the neighbour that sent it need not pause (`admit`, `mustPause` and `release` in one).
   */
  passes(node: number, ingress: number, bytes: number): boolean {
    const { guaranteed, ingressAlpha } = this.profile;
    const left = this.sharedLimit[node]! - (this.used[node]! + bytes);
    if (left < 0 || this.headroomOctets[ingress]! > 0) return false;
    const beyond = this.ingressOctets[ingress]! + bytes - 2 * guaranteed;
    return beyond <= 0 || beyond <= ingressAlpha * left;
  }

  mustPause(node: number, ingress: number): boolean {
    const { guaranteed, ingressAlpha } = this.profile;
    const beyond = this.ingressOctets[ingress]! - 2 * guaranteed;
    if (beyond <= 0) return false;
    const threshold = ingressAlpha * (this.sharedLimit[node]! - this.used[node]!);
    return beyond > threshold || this.headroomOctets[ingress]! > 0;
  }

  mayResume(node: number, ingress: number): boolean {
    const { guaranteed, ingressAlpha, resumeOffset } = this.profile;
    const beyond = this.ingressOctets[ingress]! - 2 * guaranteed;
    const threshold = ingressAlpha * (this.sharedLimit[node]! - this.used[node]!);
    return beyond < threshold - resumeOffset && this.headroomOctets[ingress] === 0;
  }
}

/** Whether a packet is marked that leaves a queue of so many octets. */
export function isMarked(profile: MarkingProfile, octets: number, random: () => number): boolean {
  if (octets > profile.maximum) return true;
  if (octets <= profile.minimum || profile.maximum === profile.minimum) return false;
  return random() < ((octets - profile.minimum) / (profile.maximum - profile.minimum)) * profile.probability;
}
