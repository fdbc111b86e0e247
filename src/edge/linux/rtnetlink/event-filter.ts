/**
 * A classic BPF program for an event socket: lets through only the deletions of routes and next hops of one protocol
 * that another port than ours asked for (or nobody, but the kernel). Without it every route that heddle writes would come back as an event:
 * 100,000 of them fill the socket's buffer.
 */
import { LITTLE_ENDIAN } from './attributes.js';
import { HEADER, MESSAGE } from './message.js';

const LOAD_WORD = 0x20;
const LOAD_HALF = 0x28;
const LOAD_OCTET = 0x30;
const JUMP_EQUAL = 0x15;
const RETURN = 0x06;

const TYPE_OFFSET = 4;
const PORT_OFFSET = 12;
/** nh_protocol in struct nhmsg, rtm_protocol in struct rtmsg. */
const NEXT_HOP_PROTOCOL = HEADER + 2;
const ROUTE_PROTOCOL = HEADER + 5;

type Instruction = readonly [code: number, jumpTrue: number, jumpFalse: number, operand: number];

/** The program as an array of struct sock_filter. `port` is the requesting socket's. */
export function deletionsByOthers(protocol: number, port: number): Uint8Array {
  const program: Instruction[] = [
    [LOAD_HALF, 0, 0, TYPE_OFFSET],
    [JUMP_EQUAL, 2, 0, half(MESSAGE.deleteNextHop)],
    [JUMP_EQUAL, 3, 0, half(MESSAGE.deleteRoute)],
    [RETURN, 0, 0, 0],
    [LOAD_OCTET, 0, 0, NEXT_HOP_PROTOCOL],
    [JUMP_EQUAL, 2, 5, protocol],
    [LOAD_OCTET, 0, 0, ROUTE_PROTOCOL],
    [JUMP_EQUAL, 0, 3, protocol],
    [LOAD_WORD, 0, 0, PORT_OFFSET],
    [JUMP_EQUAL, 1, 0, word(port)],
    [RETURN, 0, 0, 0xffffffff],
    [RETURN, 0, 0, 0],
  ];
  const bytes = new Uint8Array(program.length * 8);
  const view = new DataView(bytes.buffer);
  for (const [index, [code, jumpTrue, jumpFalse, operand]] of program.entries()) {
    view.setUint16(index * 8, code, LITTLE_ENDIAN);
    view.setUint8(index * 8 + 2, jumpTrue);
    view.setUint8(index * 8 + 3, jumpFalse);
    view.setUint32(index * 8 + 4, operand, LITTLE_ENDIAN);
  }
  return bytes;
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
