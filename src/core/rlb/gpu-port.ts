/** The ports of GPUs with their addresses, and the uplinks that those addresses are for. */
import type { Address } from '../net/address.js';

/** An uplink of a leaf; the same number at another leaf is the same spine and colour. */
export interface Uplink {
  /** Position among the leaf's uplinks, from 1. */
  readonly number: number;
  /** `spine2`, with several links to it `spine2/1`. */
  readonly name: string;
  readonly spine: string;
  readonly colour: number;
}

/** A usable address of a port. */
export interface PortAddress {
  readonly address: Address;
  /** Number of the uplink whose prefix it lies in. */
  readonly uplink: number;
  /** Its place in the port's GID table, as a RoCEv2 GID (gid-table.ts). */
  readonly gidIndex: number;
}

/** What one GPU sends and receives with. */
export interface GpuPort {
  readonly host: string;
  readonly leaf: string;
  readonly addresses: readonly PortAddress[];
}

export interface PortPair {
  readonly source: GpuPort;
  readonly destination: GpuPort;
}

export function addressFor(port: GpuPort, uplink: Uplink): PortAddress | undefined {
  return port.addresses.find((address) => address.uplink === uplink.number);
}
