/** ICMPv6 Neighbor Discovery on one interface. The edge has checked hop limit 255 and the ICMPv6 checksum. */
import type { Address } from '../net/address.js';

export interface NdPacket {
  readonly source: Address;
  /** The ICMPv6 message from its type octet on. */
  readonly message: Uint8Array;
}

export interface NdSocket {
  /** Sends an ICMPv6 message (checksum filled in by the edge) with hop limit 255 out of this interface, at once. */
  send(destination: Address, message: Uint8Array): void;
  close(): void;
}

export interface NdSockets {
  /**
   * Opens the socket bound to one interface: only what arrived there is delivered. Throws a plain error that says why not.
   * `sendFailed` is told what the kernel said when it refused a message; nothing more is done about it.
   */
  open(
    link: { name: string; index: number },
    receive: (packet: NdPacket) => void,
    sendFailed?: (reason: string) => void,
  ): NdSocket;
}
