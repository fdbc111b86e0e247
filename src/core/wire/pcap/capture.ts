/**
 * A packet capture as a value: the packets that are whole, and what is wrong or missing in the rest of the file.
 * pcap.ts and pcapng.ts read the two byte formats; read-capture.ts tells them apart.
 */

export interface CapturedPacket {
  /** Counts from 1 in file order, as other tools number frames. */
  readonly frame: number;
  /** Nanoseconds since 1970-01-01; `undefined` where the format keeps no time (pcapng Simple Packet Block). */
  readonly time: bigint | undefined;
  /** LINKTYPE_ value: 1 Ethernet, 113 Linux cooked, 101 raw IP and so on. */
  readonly linkType: number;
  /** Index of the interface in the file, over all sections; 0 in a pcap file. */
  readonly interfaceIndex: number;
  /** What was captured, which may be less than what was on the wire. */
  readonly data: Uint8Array;
  /** Octets on the wire. */
  readonly originalLength: number;
}

export interface CaptureProblem {
  /** Octets from the beginning of the file. */
  readonly offset: number;
  readonly reason: string;
}

export interface Capture {
  readonly format: 'pcap' | 'pcapng';
  readonly packets: readonly CapturedPacket[];
  readonly problems: readonly CaptureProblem[];
}

/** The file is no capture at all; `reason` completes "FILE: ...". */
export interface NotACapture {
  readonly format: 'none';
  readonly reason: string;
}

/** No capture tool writes a longer packet (libpcap's MAXIMUM_SNAPLEN); a longer one means the file is damaged. */
export const MAX_CAPTURED_OCTETS = 262144;

export function cutShort(what: string, offset: number, needed: number, present: number): CaptureProblem {
  return { offset, reason: `${what} is cut short: ${needed} octets expected, ${present} present` };
}
