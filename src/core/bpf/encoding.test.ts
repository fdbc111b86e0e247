/** Every instruction that the assembler writes, against the octets and the text that clang and llvm-objdump give for it. */
import { describe, expect, it } from 'vitest';
import { Assembler } from './assembler.js';
import { CLANG_INSTRUCTIONS } from './clang-instructions.fixture.js';
import {
  type AluOperation,
  encodeProgram,
  type JumpCondition,
  type MemorySize,
  type Program,
  R0,
  R1,
  R2,
  R3,
  R4,
  R5,
  R6,
  R7,
  R8,
  R9,
  R10,
} from './instruction.js';
import { instructionText, listing, placeOf } from './listing.js';
import type { MapDefinition } from './map-definition.js';

const ALU_ORDER: readonly AluOperation[] = [
  ...(['add', 'sub', 'mul', 'div', 'or', 'and', 'lsh', 'rsh', 'mod', 'xor', 'mov', 'arsh'] as const),
];
const JUMP_ORDER: readonly JumpCondition[] = ['eq', 'gt', 'ge', 'set', 'ne', 'sgt', 'sge', 'lt', 'le', 'slt', 'sle'];
const ATOMIC_ORDER = ['add', 'or', 'and', 'xor'] as const;

interface Written {
  readonly program: Program;
  /** Of the instruction that is meant. */
  readonly index: number;
}

function one(write: (a: Assembler) => void): Written {
  const assembler = new Assembler('one');
  write(assembler);
  return { program: assembler.program(), index: 0 };
}

/** The instruction that `write` makes, with its label `offset` instructions away. */
function jumping(offset: number, write: (a: Assembler, label: string) => void): Written {
  const assembler = new Assembler('one');
  const before = offset < 0 ? -offset - 1 : 0;
  if (offset < 0) assembler.label('there');
  for (let i = 0; i < before; i++) assembler.exit();
  write(assembler, 'there');
  for (let i = 0; i < offset; i++) assembler.exit();
  if (offset >= 0) assembler.label('there');
  const program = assembler.program();
  return { program: { ...program, labels: new Map() }, index: before };
}

/** In the order of the text that clang was given. */
function everyInstruction(): Written[] {
  const written: Written[] = [];
  for (const operation of ALU_ORDER) {
    written.push(
      one((a) => a.alu(operation, R1, R2)),
      one((a) => a.alu(operation, R3, 7)),
      one((a) => a.alu32(operation, R4, R5)),
      one((a) => a.alu32(operation, R6, -9)),
    );
  }
  written.push(
    one((a) => a.negate(R7)),
    one((a) => a.negate32(R8)),
  );
  for (const bits of [16, 32, 64] as const)
    written.push(
      one((a) => a.toBigEndian(R2, bits)),
      one((a) => a.toLittleEndian(R9, bits)),
    );
  for (const size of [1, 2, 4, 8] satisfies MemorySize[]) {
    written.push(
      one((a) => a.load(size, R1, R2, 12)),
      one((a) => a.load(size, R0, R10, -16)),
      one((a) => a.store(size, R10, -8, R3)),
      one((a) => a.store(size, R4, 32767, R5)),
    );
  }
  for (const condition of JUMP_ORDER) {
    written.push(
      jumping(3, (a, to) => a.jump(condition, R1, R2, to)),
      jumping(-2, (a, to) => a.jump(condition, R6, 100, to)),
      jumping(5, (a, to) => a.jump32(condition, R1, R2, to)),
      jumping(1, (a, to) => a.jump32(condition, R7, -1, to)),
    );
  }
  written.push(
    jumping(4, (a, to) => a.goto(to)),
    jumping(-1, (a, to) => a.goto(to)),
    one((a) => a.call('map_lookup_elem')),
    one((a) => a.call('redirect_map')),
    one((a) => a.exit()),
    one((a) => a.loadNumber(R1, 0x123456789abcdefn)),
    one((a) => a.loadNumber(R2, -1n)),
    one((a) => a.loadNumber(R9, 1n << 32n)),
  );
  for (const size of [4, 8] as const)
    for (const operation of ATOMIC_ORDER) written.push(one((a) => a.atomic(operation, size, R1, 8, R2)));
  written.push(
    one((a) => a.atomicFetch('add', 8, R1, 8, R2)),
    one((a) => a.atomicFetch('add', 4, R1, 8, R2)),
    one((a) => a.atomicFetch('or', 8, R1, 0, R2)),
    one((a) => a.atomicFetch('and', 8, R1, 0, R2)),
    one((a) => a.atomicFetch('xor', 8, R1, 0, R2)),
    one((a) => a.exchange(8, R1, 8, R3)),
    one((a) => a.exchange(4, R1, 8, R3)),
    one((a) => a.compareExchange(8, R1, 8, R4)),
    one((a) => a.compareExchange(4, R1, 8, R4)),
  );
  return written;
}

const HELPER_NUMBERS: Readonly<Record<string, string>> = { map_lookup_elem: '0x1', redirect_map: '0x33' };
const hexOf = (octets: Uint8Array) => Buffer.from(octets).toString('hex');

describe('the assembler', () => {
  const written = everyInstruction();

  it('writes as many instructions as clang was given', () => {
    expect(written).toHaveLength(CLANG_INSTRUCTIONS.length);
  });

  it.each(CLANG_INSTRUCTIONS.map(([octets, text], place) => ({ octets, text, place })))(
    '$text',
    ({ octets, text, place }) => {
      const { program, index } = written[place]!;
      const all = encodeProgram(program, () => 0);
      expect(hexOf(all.subarray(index * 8, index * 8 + octets.length / 2))).toBe(octets);
      const ours = instructionText(program, index).replace(/call (\w+)/, (_, name) => `call ${HELPER_NUMBERS[name]}`);
      expect(ours).toBe(text);
    },
  );

  const map: MapDefinition = { name: 'counts', type: 'array', keySize: 4, valueSize: 8, maxEntries: 1 };

  it('puts a map descriptor into both kinds of loads, and names the map once', () => {
    const program = new Assembler('maps').loadMap(R1, map).loadMapValue(R2, map, 4).exit().program();
    expect(program.maps).toEqual([map]);
    expect(hexOf(encodeProgram(program, () => 9))).toBe(
      `1811000009000000${'00'.repeat(8)}1822000009000000${'00000000'}04000000${'9500000000000000'}`,
    );
    expect(listing(program)).toEqual(['     0  r1 = map counts', '     2  r2 = value of counts + 0x4', '     4  exit']);
  });

  it('lists labels, and jumps by them', () => {
    const assembler = new Assembler('loop').move(R1, 3).label('again').alu('sub', R1, 1).jump('ne', R1, 0, 'again');
    const program = assembler.exit().program();
    expect(listing(program)).toEqual([
      '     0  r1 = 0x3',
      'again:',
      '     1  r1 -= 0x1',
      '     2  if r1 != 0x0 goto again',
      '     3  exit',
    ]);
    expect([0, 1, 3].map((index) => placeOf(program, index))).toEqual(['start', 'again', 'again+2']);
  });

  it('refuses what cannot be written, and says what', () => {
    expect(() => new Assembler('p').goto('nowhere').program()).toThrow('p: no label nowhere');
    expect(() => new Assembler('p').label('a').label('a')).toThrow('p: label a stands twice');
    expect(() => new Assembler('p').move(R1, 2 ** 31)).toThrow('immediate 2147483648 does not fit 32 bits');
    expect(() => new Assembler('p').load(4, R1, R2, 40000)).toThrow('offset 40000 does not fit 16 bits');
    const far = new Assembler('p').goto('end');
    for (let i = 0; i < 32768; i++) far.exit();
    expect(() => far.label('end').program()).toThrow('jump to end 32768 does not fit 16 bits');
  });
});
