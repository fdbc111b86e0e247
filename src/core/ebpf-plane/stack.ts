/**
 * What the pieces of the program agree on: the registers that keep their meaning from the first instruction to the last, where on the
 * stack the rest lies, and code that every piece needs.
 */
import type { Assembler } from '../bpf/assembler.js';
import { R0, R1, R2, R6, R7, R8, R9, R10, type Register } from '../bpf/instruction.js';
import type { MapDefinition } from '../bpf/map-definition.js';
import type { PassReason } from './tables.js';

/** The first octet of the frame. */
export const FRAME = R6;
/** The set of ports that the packet may take; once chosen, the port. */
export const CANDIDATES = R7;
/** The context while the frame is read; then the time. */
export const CONTEXT = R8;
export const NOW = R8;
/** The value of the packet's class. */
export const CLASS_VALUE = R9;

/** Offsets from R10. */
export const STACK = {
  key: -4,
  class: -8,
  hash: -16,
  counter: -24,
  /** Octets of the frame without padding. */
  length: -32,
  fallback: -40,
  /** Of the base transport header; OPCODE_NONE without one. */
  opcode: -48,
  /** 20 octets: a length in bits and, where the stack is aligned for words, an address. */
  prefix: -76,
  /** A record for the ring of moves. */
  move: -112,
  /** Eight words. */
  bands: -176,
  /** The address of the flowset's value. */
  flowset: -184,
} as const;

export const OPCODE_NONE = 0x100;

/** R0 becomes the address of the value whose index is in the register, or jumps. */
export function lookUpIndex(a: Assembler, map: MapDefinition, index: Register | number, missing: string): void {
  if (typeof index === 'number') a.move(R2, index).store(4, R10, STACK.key, R2);
  else a.store(4, R10, STACK.key, index);
  a.loadMap(R1, map).move(R2, R10).alu('add', R2, STACK.key).call('map_lookup_elem').jump('eq', R0, 0, missing);
}

export function passLabel(reason: PassReason): string {
  return `pass.${reason}`;
}

/** An index that is always in range; the verifier wants to see where one would go that is not. */
export const NEVER = 'never';

/** Adds what is in R2 to a word of the value in R0. */
export function addWord(a: Assembler, offset: number): void {
  a.load(8, R1, R0, offset).alu('add', R1, R2).store(8, R0, offset, R1);
}

/** `index` becomes the number of the lowest bit that is set in `word`, which it destroys. */
export function lowestBit(a: Assembler, index: Register, word: Register, scratch: Register): void {
  a.move(index, 0);
  for (const width of [32, 16, 8, 4, 2, 1]) {
    const low = a.freshLabel('low');
    a.move(scratch, word)
      .alu('lsh', scratch, 64 - width)
      .jump('ne', scratch, 0, low);
    a.alu('rsh', word, width).alu('add', index, width).label(low);
  }
}
