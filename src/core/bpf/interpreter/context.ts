/**
 * What a program is told of a packet: struct xdp_md, or struct __sk_buff at the ingress of traffic control (linux/bpf.h). Both name
 * the packet's first octet and the one behind its last. The filter of a socket has a struct __sk_buff as well, but gets at the octets by
 * asking for copies only.
 */

/** Where packets are forwarded. */
export type Hook = 'xdp' | 'tc';
export type ProgramKind = Hook | 'socket';

export const XDP_CONTEXT = { data: 0, dataEnd: 4, ingressInterface: 12 } as const;
export const SKB_CONTEXT = {
  length: 0,
  packetType: 4,
  vlanPresent: 20,
  ingressInterface: 36,
  data: 76,
  dataEnd: 80,
} as const;

/** enum xdp_action; TC_ACT_* of linux/pkt_cls.h, where to pass is to leave it to the programs and filters behind; the octets that a socket gets of a message. */
export const VERDICT = { xdp: { pass: 2, redirect: 4 }, tc: { pass: -1, redirect: 7 }, socket: { drop: 0 } } as const;

export interface Arrival {
  readonly frame: Uint8Array;
  readonly interfaceIndex: number;
  /** How many of its octets the program may look at; the rest lies in other pages. Absent is all. */
  readonly linear?: number;
  /** Of an skb, whose tag is beside the frame and not in it. */
  readonly vlan?: boolean;
  /** Of an skb: sent to another station's address. */
  readonly otherHost?: boolean;
}

export interface PacketPlace {
  readonly data: bigint;
  readonly dataEnd: bigint;
}

const PACKET_OTHERHOST = 3n;

/** Throws RangeError for a field that no program of ours reads. */
export function readContext(
  kind: ProgramKind,
  offset: number,
  arrival: Arrival,
  { data, dataEnd }: PacketPlace,
): bigint {
  const fields: Readonly<Record<number, bigint>> =
    kind === 'xdp'
      ? {
          [XDP_CONTEXT.data]: data,
          [XDP_CONTEXT.dataEnd]: dataEnd,
          [XDP_CONTEXT.ingressInterface]: BigInt(arrival.interfaceIndex),
        }
      : {
          [SKB_CONTEXT.length]: BigInt(arrival.frame.length),
          [SKB_CONTEXT.packetType]: arrival.otherHost ? PACKET_OTHERHOST : 0n,
          [SKB_CONTEXT.vlanPresent]: arrival.vlan ? 1n : 0n,
          [SKB_CONTEXT.ingressInterface]: BigInt(arrival.interfaceIndex),
          ...(kind === 'tc' && { [SKB_CONTEXT.data]: data, [SKB_CONTEXT.dataEnd]: dataEnd }),
        };
  const value = fields[offset];
  if (value === undefined) throw new RangeError(`no field at ${offset} of the ${kind} context`);
  return value;
}
