/**
 * eBPF instructions as values, and their octets (RFC 9669). One is eight octets, in the byte order of the host; the assembler makes
 * them, the listing and the interpreter read them.
 */
import type { MapDefinition } from './map-definition.js';

export interface Register {
  readonly number: number;
}

export const R0: Register = { number: 0 };
export const R1: Register = { number: 1 };
export const R2: Register = { number: 2 };
export const R3: Register = { number: 3 };
export const R4: Register = { number: 4 };
export const R5: Register = { number: 5 };
export const R6: Register = { number: 6 };
export const R7: Register = { number: 7 };
export const R8: Register = { number: 8 };
export const R9: Register = { number: 9 };
/** Where the stack ends; read only. */
export const R10: Register = { number: 10 };

/** Section 3.1, table 2: the lower three bits of the code. */
export const CLASS = { ld: 0, ldx: 1, st: 2, stx: 3, alu: 4, jmp: 5, jmp32: 6, alu64: 7 } as const;

/** Section 4.1, table 6; the upper four bits. */
export const ALU = {
  add: 0x00,
  sub: 0x10,
  mul: 0x20,
  div: 0x30,
  or: 0x40,
  and: 0x50,
  lsh: 0x60,
  rsh: 0x70,
  neg: 0x80,
  mod: 0x90,
  xor: 0xa0,
  mov: 0xb0,
  arsh: 0xc0,
  end: 0xd0,
} as const;

/** Section 4.3, table 9. */
export const JUMP = {
  always: 0x00,
  eq: 0x10,
  gt: 0x20,
  ge: 0x30,
  set: 0x40,
  ne: 0x50,
  sgt: 0x60,
  sge: 0x70,
  call: 0x80,
  exit: 0x90,
  lt: 0xa0,
  le: 0xb0,
  slt: 0xc0,
  sle: 0xd0,
} as const;

/** Section 5, table 11: octets to bits 3 and 4. */
export const SIZE = { 4: 0x00, 2: 0x08, 1: 0x10, 8: 0x18 } as const;
/** Section 5, table 10: the upper three bits of a load or store. */
export const MODE = { immediate: 0x00, memory: 0x60, atomic: 0xc0 } as const;
/** Section 5.3, table 13. */
export const ATOMIC = { add: 0x00, or: 0x40, and: 0x50, xor: 0xa0, exchange: 0xe0, compareExchange: 0xf0 } as const;
export const FETCH = 0x01;
/** The source operand is a register, or of a byte swap: to big endian. */
export const SOURCE_REGISTER = 0x08;

/** Section 5.4, table 14: what the immediate of a 64-bit load is. */
export const PSEUDO = { number: 0, map: 1, mapValue: 2 } as const;

export type MemorySize = keyof typeof SIZE;
export type AluOperation = Exclude<keyof typeof ALU, 'neg' | 'end'>;
export type JumpCondition = Exclude<keyof typeof JUMP, 'always' | 'call' | 'exit'>;
export type AtomicOperation = 'add' | 'or' | 'and' | 'xor';

export interface Instruction {
  readonly code: number;
  readonly destination: number;
  readonly source: number;
  readonly offset: number;
  /** 32 bits, signed. Of a 64-bit load the upper half is in the instruction after it, whose code is 0. */
  readonly immediate: number;
  /** Whose descriptor the load puts into the immediate. */
  readonly map?: MapDefinition;
}

export const INSTRUCTION_OCTETS = 8;

export interface Program {
  readonly name: string;
  readonly instructions: readonly Instruction[];
  /** Name to the index of the instruction it stands before, in the order of the source. */
  readonly labels: ReadonlyMap<string, number>;
  /** Each once. */
  readonly maps: readonly MapDefinition[];
}

export function isWideLoad({ code }: Instruction): boolean {
  return code === (CLASS.ld | MODE.immediate | SIZE[8]);
}

/** For little-endian hosts: with big endian the register halves of the second octet change places. */
export function encodeProgram(program: Program, descriptorOf: (map: MapDefinition) => number): Uint8Array {
  const view = new DataView(new ArrayBuffer(program.instructions.length * INSTRUCTION_OCTETS));
  for (const [index, instruction] of program.instructions.entries()) {
    const at = index * INSTRUCTION_OCTETS;
    view.setUint8(at, instruction.code);
    view.setUint8(at + 1, (instruction.source << 4) | instruction.destination);
    view.setInt16(at + 2, instruction.offset, true);
    view.setInt32(at + 4, instruction.map ? descriptorOf(instruction.map) : instruction.immediate, true);
  }
  return new Uint8Array(view.buffer);
}
