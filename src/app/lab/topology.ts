/**
 * A lab topology as values: what one YAML file says, validated, with every default filled in.
 * plan.ts turns it into nodes, links and addresses.
 */
import type { AsNumber } from '../../core/net/as-number.js';
import type { Colour, Role } from '../../core/speaker/config.js';

export const IMPLEMENTATIONS = ['heddle', 'frr', 'bird', 'bird3'] as const;
export type Implementation = (typeof IMPLEMENTATIONS)[number];

export interface RouterSpec {
  readonly name: string;
  readonly role: Role;
  /** Position among the nodes of its role, from 1. */
  readonly number: number;
  readonly asn: AsNumber;
  readonly implementation: Implementation;
}

/** `none`: no colours anywhere, so that all uplinks of a leaf are equal and flows are hashed over them. */
export const DPF_MODES = ['policy', 'session', 'none'] as const;
export type DpfMode = (typeof DPF_MODES)[number];

export interface LabTimers {
  /** Seconds. */
  readonly hold: number;
}

export interface LabBfd {
  /** Milliseconds. */
  readonly interval: number;
  readonly multiplier: number;
}

export type NodeSettings = Readonly<Record<string, unknown>>;

export interface Topology {
  readonly name: string;
  readonly spines: readonly RouterSpec[];
  readonly leaves: readonly RouterSpec[];
  readonly linksPerPair: number;
  readonly hostsPerLeaf: number;
  /** One per uplink of a leaf, in the order spine 1 link 1, spine 1 link 2, spine 2 link 1, ... */
  readonly colours: readonly Colour[];
  /** Prefix patterns with `{leaf}`, `{host}` and `{uplink}`, each a number from 1. */
  readonly addressing: { readonly ipv6: string; readonly ipv4?: string };
  readonly dpfMode: DpfMode;
  readonly timers: LabTimers;
  /** Bits a second that a link between leaf and spine carries each way; absent: what the machine can. */
  readonly linkRate?: number;
  /** The same of the links to hosts. */
  readonly hostRate?: number;
  /** On every fabric link; absent: nowhere. */
  readonly bfd?: LabBfd;
  /** TCP MD5 on every session; absent: none. */
  readonly password?: string;
  /** Hop limit 255 or no session, at every router. */
  readonly gtsm: boolean;
  /** Keys of heddle's configuration file, by node, in place of those that the lab gives it. */
  readonly settings: Readonly<Record<string, NodeSettings>>;
}

/** Both versions of BIRD take the same configuration and wait for the other side to connect. */
export function isBird(spec: RouterSpec): boolean {
  return spec.implementation === 'bird' || spec.implementation === 'bird3';
}
