/** Interfaces of the host: their state, addresses and the kernel switches that matter, as seen and set by the speaker. */
import type { Address } from '../net/address.js';

export interface LinkAddress {
  readonly address: Address;
  readonly prefixLength: number;
  /** Duplicate address detection is still running: not usable yet (RFC 4862 section 5.4). */
  readonly tentative: boolean;
  /** Duplicate address detection failed. */
  readonly duplicate: boolean;
  /** It carries our protocol number: we, or an earlier run of us, added it. */
  readonly ours?: boolean;
}

export interface LinkState {
  readonly index: number;
  readonly name: string;
  readonly adminUp: boolean;
  /** Lower layer up (IFF_LOWER_UP). */
  readonly carrier: boolean;
  /** Six octets; empty when the link has none. */
  readonly mac: Uint8Array;
  readonly mtu: number;
  readonly addresses: readonly LinkAddress[];
}

export type LinkEvent =
  | { readonly kind: 'link'; readonly link: LinkState }
  | { readonly kind: 'link-deleted'; readonly index: number; readonly name: string };

/** Per-interface kernel switches, by their Linux names under net.ipv6.conf.IFACE; `retrans_time_ms` is under net.ipv6.neigh.IFACE. */
export type LinkSwitch =
  | 'accept_ra'
  | 'autoconf'
  | 'forwarding'
  | 'disable_ipv6'
  | 'addr_gen_mode'
  | 'keep_addr_on_down'
  | 'router_solicitation_delay'
  | 'retrans_time_ms';

export interface Links {
  list(): Promise<readonly LinkState[]>;
  /** Every change after `list`, in order; each `link` event carries the whole new state. Returns the unsubscriber. */
  watch(listener: (event: LinkEvent) => void): () => void;
  /** Octets a second; `undefined` when the kernel does not know (no carrier, no such interface). */
  readSpeed(interfaceName: string): number | undefined;
  /** `undefined` when the kernel has no such switch. */
  readSwitch(interfaceName: string, name: LinkSwitch): number | undefined;
  /** Throws a plain error that says what the kernel refused. */
  writeSwitch(interfaceName: string, name: LinkSwitch, value: number): void;
  /** Adds an address to an interface; no error when it is there already. Marked as ours where the kernel can. */
  addAddress(index: number, address: Address, prefixLength: number): Promise<void>;
  /** No error when it is not there. */
  deleteAddress(index: number, address: Address, prefixLength: number): Promise<void>;
}
