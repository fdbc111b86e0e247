/**
 * The configuration of one speaker as domain values, validated and defaulted. The YAML shape stops at app/config;
 * the simulator builds these directly.
 */

import type { PrefixLifetimes } from '../discovery/prefix-lifetimes.js';
import type { BalancingConfig } from '../dlb/load-balancer.js';
import type { Address } from '../net/address.js';
import type { AsNumber, AsRule } from '../net/as-number.js';
import type { Family } from '../net/family.js';
import type { Prefix } from '../net/prefix.js';
import type { PolicyChain } from '../policy/policy.js';
import type { SessionOptions } from '../policy/session-options.js';
import type { BfdParameters } from '../ports/bfd.js';
import type { AuthenticationKey, Protection } from '../ports/transport.js';
import type { AddPathConfig } from './add-path.js';
import type { PrefixLimits } from './prefix-limit.js';
import type { RestarterConfig, RestartHelperConfig } from './restart-config.js';
import type { SwitchableCapability } from './switchable-capabilities.js';

/** Colour value of the colour extended community (RFC 9012 section 4.3), 0 to 2^32-1. */
export type Colour = number;

/** A leaf originates and never carries transit; a spine passes on what it learns. */
export type Role = 'leaf' | 'spine';

export interface BfdConfig extends BfdParameters {
  /** Offer strict mode: where the neighbour offers it too, no session before BFD is up. */
  readonly strict: boolean;
}

/** How sessions with a neighbour are, wherever it is. */
export interface SessionConfig {
  /** Colour of the session(s) on this interface: one per uplink. Absent on spines in policy mode; absent in session mode means any. */
  readonly colour?: Colour;
  readonly acceptRemoteAs: readonly AsRule[];
  /** False leaves colour communities out towards this neighbour. */
  readonly sendColour: boolean;
  /** RFC 10005: octets a second that routes sent here are said to have, or `auto` for the speed of the link. */
  readonly linkBandwidth?: number | 'auto';
  /** RFC 7311 section 3.2, AIGP_SESSION: send and use AIGP here, or where the neighbour is in our own AS. */
  readonly aigp: boolean | 'internal';
  /** Without it there is no BFD here. */
  readonly bfd?: BfdConfig;
  /** Seconds that a session must be up before a neighbour that was away is preferred again. */
  readonly holdDown?: number;
  /** Without it the paths of a neighbour that restarts go with its session. */
  readonly restartHelper?: RestartHelperConfig;
  /** Of TCP MD5 signatures; without one there are none. */
  readonly password?: string;
  /** Of TCP-AO, in place of a password. */
  readonly authenticationKey?: AuthenticationKey;
  /** Hop limit of what arrives; `auto` when absent. */
  readonly gtsm?: Protection['gtsm'];
  /** Prefixes that a neighbour may announce, by family; without one there is no limit. */
  readonly prefixLimits?: PrefixLimits;
  /** The operator's policies, in the order in which they are asked. Without any, the DPF role decides alone. */
  readonly importPolicy?: PolicyChain;
  readonly exportPolicy?: PolicyChain;
  readonly options?: SessionOptions;
  /** Neighbours are told a default route of each family, through the policy or as it is. */
  readonly defaultOriginate?: { readonly policy?: PolicyChain };
  /** Several paths of a prefix (RFC 7911); without it there are none, in either direction. */
  readonly addPath?: AddPathConfig;
  /** Capabilities that are not offered here. */
  readonly capabilitiesOff?: readonly SwitchableCapability[];
}

/** A neighbour given by its address: on a subnet of ours, or some hops away. */
export interface NeighbourConfig extends SessionConfig {
  /** Its address as text, a link-local one with its interface: `2001:db8::1`, `192.0.2.1`, `fe80::1%eth0`. */
  readonly name: string;
  readonly address: Address;
  /** Where it is; any interface with its subnet when absent. */
  readonly interfaceName?: string;
  readonly description?: string;
  /** The peer group that its settings came from. */
  readonly group?: string;
  /** Ours, for the session. */
  readonly source?: Address;
  /** Hops that it may be away; absent on a subnet of ours. */
  readonly multihop?: number;
  /** We wait for it to connect. */
  readonly passive?: boolean;
  /** Of its TCP; ours when absent. */
  readonly port?: number;
  /** Those that differ from what holds for all. */
  readonly timers?: Partial<Pick<TimerConfig, 'hold' | 'connectRetry'>>;
  readonly families?: readonly Family[];
  /** No session until an operator enables it. */
  readonly shutdown?: boolean;
}

/** An interface on which neighbours are found by their RAs. */
export interface FabricInterfaceConfig extends SessionConfig {
  readonly name: string;
}

/** One prefix on a host link: the gateway address is assigned, the prefix advertised in RAs and originated in BGP. */
export interface HostPrefix {
  readonly prefix: Prefix;
  /** Of the addresses that hosts form in it; DEFAULT_LIFETIMES when absent. */
  readonly lifetimes?: PrefixLifetimes;
  /** The interface's address in it; the RA makes this router the hosts' default router. */
  readonly gateway: Address;
  readonly colour?: Colour;
  /** Session mode: colours of the sessions that back it up. */
  readonly backupColours?: readonly Colour[];
}

export interface HostInterfaceConfig {
  readonly name: string;
  readonly prefixes: readonly HostPrefix[];
}

/** A prefix originated without a host interface. */
export interface AdvertisedPrefix {
  readonly prefix: Prefix;
  readonly colour?: Colour;
  readonly backupColours?: readonly Colour[];
}

export interface DpfConfig {
  /** `session`: an interface's colour, on leaf and spine, says which routes its sessions carry (core/policy/session-colours.ts). */
  readonly mode: 'policy' | 'session';
  /** AIGP value put on the preferred session's advertisement. */
  readonly aigpOrigin: bigint;
  /** Added to AIGP on next-hop-self (RFC 7311 section 3.4); at least 1. */
  readonly aigpStep: bigint;
}

export interface TimerConfig {
  /** Seconds. */
  readonly hold: number;
  readonly connectRetry: number;
  readonly sendHold: number;
  /** Milliseconds. */
  readonly routerAdvertisement: number;
  readonly neighbourLifetime: number;
}

export interface FibConfig {
  /** Buckets of a fallback group; a power of two is not required. */
  readonly buckets: number;
  /** Seconds a bucket must be idle before it moves. */
  readonly idleTimer: number;
  /** False: routes are selected and told, and nothing is put into the kernel. Absent is true. */
  readonly install?: boolean;
}

export interface SpeakerConfig {
  readonly name: string;
  readonly role: Role;
  readonly asn: AsNumber;
  /** 32-bit BGP identifier. */
  readonly identifier: number;
  /** Of what we reflect (RFC 4456); our identifier when absent. */
  readonly clusterId?: number;
  readonly families: readonly Family[];
  /** Without it forwarding ends with the speaker. */
  readonly restarter?: RestarterConfig;
  /** Seconds after a start for which nothing is selected or told until all neighbours have sent their routes. */
  readonly waitForConvergence?: number;
  readonly port: number;
  readonly fabric: readonly FabricInterfaceConfig[];
  readonly neighbours?: readonly NeighbourConfig[];
  readonly hosts: readonly HostInterfaceConfig[];
  readonly advertise: readonly AdvertisedPrefix[];
  readonly dpf: DpfConfig;
  readonly timers: TimerConfig;
  readonly fib: FibConfig;
  /** Without it the traffic of several next hops is spread by the routes' weights alone. */
  readonly balancing?: BalancingConfig;
  /** Learned routes that we pass on say what routers are behind us (NNHN). */
  readonly nextNextHop?: boolean;
  /** Routes with an AS_SET in their AS_PATH are used; otherwise they count as withdrawn (RFC 9774). */
  readonly acceptAsSets?: boolean;
  /** False leaves link bandwidths (RFC 10005) out of the shares of next hops. */
  readonly useLinkBandwidth?: boolean;
  /** Kernel switches may be set (true) or are only checked (false: refuse with the reason). */
  readonly manageSwitches: boolean;
}
