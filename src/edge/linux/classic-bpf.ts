/** Classic BPF socket filters as the kernel takes them (linux/filter.h), in the byte order of the host. */
import { endianness } from 'node:os';

const LITTLE_ENDIAN = endianness() === 'LE';

export const BPF = {
  loadWord: 0x20,
  loadHalf: 0x28,
  loadOctet: 0x30,
  /** Offset: the operand plus what `toIndex` or `loadIndex` has put there. */
  loadIndexedWord: 0x40,
  loadIndexedHalf: 0x48,
  loadNumber: 0x00,
  loadIndex: 0x01,
  toIndex: 0x07,
  jumpIfEqual: 0x15,
  jumpIfSet: 0x45,
  return: 0x06,
} as const;

/** Load from here: where the netlink attribute of the type in the index is, from the offset in the accumulator on; 0 without one. */
export const FIND_ATTRIBUTE = 0xfffff000 + 12;

/** Jumps count instructions to skip; a load's operand is an offset, a return's the octets let through. */
export type Instruction = readonly [code: number, jumpTrue: number, jumpFalse: number, operand: number];

const INSTRUCTION_OCTETS = 8;

/** An array of struct sock_filter. It has a buffer of its own, so that its memory address does not change. */
export function encodeInstructions(program: readonly Instruction[]): Uint8Array {
  const view = new DataView(new ArrayBuffer(program.length * INSTRUCTION_OCTETS));
  for (const [index, [code, jumpTrue, jumpFalse, operand]] of program.entries()) {
    const at = index * INSTRUCTION_OCTETS;
    view.setUint16(at, code, LITTLE_ENDIAN);
    view.setUint8(at + 2, jumpTrue);
    view.setUint8(at + 3, jumpFalse);
    view.setUint32(at + 4, operand, LITTLE_ENDIAN);
  }
  return new Uint8Array(view.buffer);
}

/** struct sock_fprog of a 64-bit machine: length, padding, and where the instructions are. */
export function filterProgram(instructions: Uint8Array, address: bigint): Uint8Array {
  const view = new DataView(new ArrayBuffer(16));
  view.setUint16(0, instructions.length / INSTRUCTION_OCTETS, LITTLE_ENDIAN);
  view.setBigUint64(8, address, LITTLE_ENDIAN);
  return new Uint8Array(view.buffer);
}
