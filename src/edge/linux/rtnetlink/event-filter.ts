/**
 * A classic BPF program for an event socket: lets through only the deletions of routes and next hops of one protocol
 * that another program asked for. Without it every route that heddle writes, and every IPv6 route that the kernel deletes
 * with a link, would come as an event: 100,000 of them are more than the socket's buffer takes.
 */
import { BPF, encodeInstructions, type Instruction } from '../classic-bpf.js';
import { LITTLE_ENDIAN } from './attributes.js';
import { HEADER, MESSAGE } from './message.js';

const TYPE_OFFSET = 4;
const PORT_OFFSET = 12;
const KERNEL_PORT = 0;
/** nh_protocol in struct nhmsg, rtm_protocol in struct rtmsg. */
const NEXT_HOP_PROTOCOL = HEADER + 2;
const ROUTE_PROTOCOL = HEADER + 5;

/** The program as an array of struct sock_filter. `port` is the requesting socket's. */
export function deletionsByOthers(protocol: number, port: number): Uint8Array {
  const program: Instruction[] = [
    [BPF.loadHalf, 0, 0, TYPE_OFFSET],
    [BPF.jumpIfEqual, 2, 0, half(MESSAGE.deleteNextHop)],
    [BPF.jumpIfEqual, 3, 0, half(MESSAGE.deleteRoute)],
    [BPF.return, 0, 0, 0],
    [BPF.loadOctet, 0, 0, NEXT_HOP_PROTOCOL],
    [BPF.jumpIfEqual, 2, 6, protocol],
    [BPF.loadOctet, 0, 0, ROUTE_PROTOCOL],
    [BPF.jumpIfEqual, 0, 4, protocol],
    [BPF.loadWord, 0, 0, PORT_OFFSET],
    [BPF.jumpIfEqual, 2, 0, word(port)],
    [BPF.jumpIfEqual, 1, 0, KERNEL_PORT],
    [BPF.return, 0, 0, 0xffffffff],
    [BPF.return, 0, 0, 0],
  ];
  return encodeInstructions(program);
}

/** A filter loads in network order what netlink wrote in the host's. */
function half(value: number): number {
  return LITTLE_ENDIAN ? ((value & 0xff) << 8) | (value >> 8) : value;
}

function word(value: number): number {
  const view = new DataView(new ArrayBuffer(4));
  view.setUint32(0, value, LITTLE_ENDIAN);
  return view.getUint32(0);
}
