/** A socket filter that lets in only what was sent with hop limit 255, so what a router on the link sent itself. */
import { BPF, encodeInstructions, filterProgram, type Instruction } from './classic-bpf.js';
import type { KoffiPackage } from './native.js';

export const HOP_LIMIT = 255;

/** Offset of the network header for a classic BPF load; a socket's data itself begins at the transport header. */
const SKF_NET_OFF = 0xfff00000;
const IPV6_HOP_LIMIT_OFFSET = 7;
const PROGRAM: readonly Instruction[] = [
  [BPF.loadOctet, 0, 0, SKF_NET_OFF + IPV6_HOP_LIMIT_OFFSET],
  [BPF.jumpIfEqual, 0, 1, HOP_LIMIT],
  [BPF.return, 0, 0, 0xffffffff],
  [BPF.return, 0, 0, 0],
];

/** Calls `attach` with the value of SO_ATTACH_FILTER, which is good only for the time of the call. */
export function withHopLimitFilter<Result>(koffi: KoffiPackage, attach: (value: Uint8Array) => Result): Result {
  const instructions = encodeInstructions(PROGRAM);
  return attach(filterProgram(instructions, koffi.address(instructions)));
}
