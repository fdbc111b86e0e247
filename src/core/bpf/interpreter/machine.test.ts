import { describe, expect, it } from 'vitest';
import { Assembler } from '../assembler.js';
import { R0, R1, R2, R3, R4, R6, R10, type Register } from '../instruction.js';
import type { MapDefinition, MapType } from '../map-definition.js';
import { Machine } from './machine.js';
import { newTable, type RingTable } from './tables.js';

const WORLD = { now: () => 7n, random: () => 0x80000001 };
const FRAME = { frame: Uint8Array.of(1, 2, 3, 4), interfaceIndex: 5 };
const definition = (type: MapType, sizes: Partial<MapDefinition> = {}): MapDefinition => ({
  ...{ name: 'm', type, keySize: 4, valueSize: 8, maxEntries: 2 },
  ...sizes,
});
const key = (value: number) => new Uint8Array(Uint32Array.of(value).buffer);

function machineOf(write: (a: Assembler) => void): Machine {
  const assembler = new Assembler('p');
  write(assembler);
  return new Machine(assembler.program(), 'xdp', WORLD);
}

/** What is in R0 at the end, without a sign. */
function result(write: (a: Assembler) => void): bigint {
  let seen = 0n;
  const assembler = new Assembler('p');
  write(assembler);
  const out = definition('array', { name: 'out', maxEntries: 1 });
  const table = newTable(out);
  assembler.loadMapValue(R6, out).store(8, R6, 0, R0).exit();
  new Machine(assembler.program(), 'xdp', { ...WORLD, tables: new Map([['out', table]]) }).run(FRAME);
  seen = new DataView(table.lookup(key(0))!.slice().buffer).getBigUint64(0, true);
  return seen;
}

const MINUS_ONE = 0xffffffffffffffffn;

describe('arithmetic (RFC 9669 section 4)', () => {
  it.each<[string, bigint, (a: Assembler) => void]>([
    ['wraps around', 0n, (a) => a.loadNumber(R0, -1n).alu('add', R0, 1)],
    ['clears the upper half in 32 bits', 0xffffffffn, (a) => a.loadNumber(R0, -1n).alu32('add', R0, 0)],
    ['extends the sign of an immediate', MINUS_ONE, (a) => a.move(R0, -1)],
    ['does not in 32 bits', 0xffffffffn, (a) => a.alu32('mov', R0, -1)],
    ['divides by zero to zero', 0n, (a) => a.move(R0, 9).move(R1, 0).alu('div', R0, R1)],
    ['leaves the rest of a division by zero', 9n, (a) => a.move(R0, 9).move(R1, 0).alu('mod', R0, R1)],
    ['divides without a sign', 0x7fffffffffffffffn, (a) => a.move(R0, -1).alu('div', R0, 2)],
    ['masks shifts', 2n, (a) => a.move(R0, 1).move(R1, 65).alu('lsh', R0, R1)],
    ['masks shifts of 32 bits', 2n, (a) => a.move(R0, 1).move(R1, 33).alu32('lsh', R0, R1)],
    ['shifts with the sign', MINUS_ONE, (a) => a.move(R0, -8).alu('arsh', R0, 3)],
    ['shifts without', 0x1fffffffffffffffn, (a) => a.move(R0, -8).alu('rsh', R0, 3)],
    ['negates', MINUS_ONE, (a) => a.move(R0, 1).negate(R0)],
    ['negates 32 bits', 0xffffffffn, (a) => a.move(R0, 1).negate32(R0)],
    ['swaps 16 bits', 0x3412n, (a) => a.loadNumber(R0, 0xff1234n).toBigEndian(R0, 16)],
    ['swaps 64 bits', 0x0807060504030201n, (a) => a.loadNumber(R0, 0x0102030405060708n).toBigEndian(R0, 64)],
    ['cuts to 32 bits', 0x05060708n, (a) => a.loadNumber(R0, 0x0102030405060708n).toLittleEndian(R0, 32)],
    ['tells the time', 7n, (a) => a.call('ktime_get_ns')],
    ['draws lots', 0x80000001n, (a) => a.call('get_prandom_u32')],
  ])('%s', (_, expected, write) => expect(result(write)).toBe(expected));

  it.each<[string, Parameters<Assembler['jump']>[0], number, number, boolean]>([
    ['-1 > 1 without a sign', 'gt', -1, 1, true],
    ['-1 > 1 with a sign', 'sgt', -1, 1, false],
    ['6 & 2', 'set', 6, 2, true],
    ['4 & 2', 'set', 4, 2, false],
    ['3 <= 3', 'le', 3, 3, true],
    ['-3 s<= -4', 'sle', -3, -4, false],
  ])('jumps by %s', (_, condition, left, right, taken) => {
    const both = (jump: 'jump' | 'jump32') =>
      result((a) => a.move(R1, left).move(R0, 1)[jump](condition, R1, right, 'end').move(R0, 0).label('end'));
    expect([both('jump'), both('jump32')]).toEqual([BigInt(taken), BigInt(taken)]);
  });
});

describe('memory', () => {
  const stacked = (write: (a: Assembler) => void) =>
    result((a) => {
      a.loadNumber(R1, 0xff00000005n).store(8, R10, -8, R1).move(R1, 3);
      write(a);
      a.load(8, R0, R10, -8);
    });

  it('does atomic operations in 32 and 64 bits', () => {
    expect(stacked((a) => a.atomic('add', 8, R10, -8, R1))).toBe(0xff00000008n);
    expect(stacked((a) => a.atomic('xor', 4, R10, -8, R1))).toBe(0xff00000006n);
    expect(stacked((a) => a.exchange(8, R10, -8, R1).store(8, R10, -8, R1))).toBe(0xff00000005n);
    expect(stacked((a) => a.atomicFetch('or', 4, R10, -8, R1).move(R0, R1))).toBe(0xff00000007n);
  });

  it('exchanges where the value is the expected one', () => {
    expect(stacked((a) => a.move(R0, 5).compareExchange(4, R10, -8, R1))).toBe(0xff00000003n);
    expect(stacked((a) => a.move(R0, 6).compareExchange(4, R10, -8, R1))).toBe(0xff00000005n);
  });

  const packet = (a: Assembler, register: Register) => a.load(4, register, R1, 0);

  it('gives the packet back as the program leaves it', () => {
    const machine = machineOf((a) => packet(a, R2).move(R3, 9).store(1, R2, 3, R3).move(R0, 2).exit());
    expect(machine.run(FRAME)).toEqual({
      verdict: 2,
      frame: Uint8Array.of(1, 2, 3, 9),
      redirectedTo: undefined,
      steps: 5,
    });
    expect(FRAME.frame[3]).toBe(4);
  });

  it.each<[string, (a: Assembler) => void]>([
    ['read of 1 octets at 4 of the packet, which has 4', (a) => packet(a, R2).load(1, R0, R2, 4)],
    ['read of 4 octets at 1 of the packet', (a) => packet(a, R2).load(4, R0, R2, 1)],
    ['read of 1 octets at -1 of the packet', (a) => packet(a, R2).load(1, R0, R2, -1)],
    ['write of 8 octets at 512 of the stack', (a) => a.store(8, R10, 0, R1)],
    ['which is no memory', (a) => a.move(R2, 0).load(1, R0, R2, 0)],
    ['r3 is read before it is written', (a) => a.move(R0, R3)],
    ['r2 is read before it is written', (a) => a.move(R2, 1).call('ktime_get_ns').move(R0, R2)],
    ['r10 is read only', (a) => a.move(R10, 0)],
    ['no field at 64 of the xdp context', (a) => a.load(4, R0, R1, 64)],
    ['runs past its end', (a) => a.move(R0, 0)],
    ['runs for more than 1000000 steps', (a) => a.label('x').goto('x')],
    ['p at x+1, r0 = r9: r9', (a) => a.label('x').move(R0, 0).move(R0, { number: 9 })],
  ])('faults: %s', (message, write) => {
    expect(() => machineOf(write).run(FRAME)).toThrow(message);
  });

  it('knows which ways a jump went', () => {
    const machine = machineOf((a) =>
      a.load(4, R2, R1, 12).move(R0, 0).jump('eq', R2, 5, 'end').move(R0, 1).label('end').exit(),
    );
    machine.run(FRAME);
    expect([...machine.visited]).toEqual([1, 1, 2, 0, 1]);
    expect(machine.run({ ...FRAME, interfaceIndex: 6 }).verdict).toBe(1);
    expect([...machine.visited]).toEqual([1, 1, 3, 1, 1]);
  });
});

describe('tables', () => {
  it('finds the longest prefix', () => {
    const table = newTable(definition('lpm-trie', { keySize: 8 }));
    const prefix = (length: number, ...octets: number[]) => Uint8Array.of(length, 0, 0, 0, ...octets);
    expect(table.update(prefix(8, 10, 9, 9, 9), key(1))).toBe(true);
    expect(table.update(prefix(24, 10, 1, 2, 3), key(2))).toBe(true);
    expect(table.update(prefix(32, 1, 1, 1, 1), key(3))).toBe(false);
    expect(table.lookup(prefix(32, 10, 1, 2, 200))).toEqual(key(2));
    expect(table.lookup(prefix(32, 10, 1, 3, 200))).toEqual(key(1));
    expect(table.lookup(prefix(32, 11, 1, 3, 200))).toBeUndefined();
    expect(table.delete(prefix(24, 10, 1, 2, 0))).toBe(true);
    expect(table.lookup(prefix(32, 10, 1, 2, 200))).toEqual(key(1));
  });

  it('is full at its size, and an array has no other keys', () => {
    const hash = newTable(definition('hash'));
    expect([1, 2, 3, 1].map((n) => hash.update(key(n), new Uint8Array(8)))).toEqual([true, true, false, true]);
    const array = newTable(definition('array'));
    expect([0, 1, 2].map((n) => array.update(key(n), new Uint8Array(8)))).toEqual([true, true, false]);
  });

  it('is written to through the address that a lookup gives', () => {
    const machine = machineOf((a) => {
      a.move(R2, 1).store(4, R10, -4, R2).move(R2, R10).alu('add', R2, -4);
      a.loadMap(R1, definition('array')).call('map_lookup_elem').move(R2, 40).atomic('add', 8, R0, 0, R2).exit();
    });
    machine.run(FRAME);
    machine.run(FRAME);
    expect(machine.tables.get('m')!.lookup(key(1))![0]).toBe(80);
  });

  const redirecting = (a: Assembler) =>
    a
      .loadMap(R1, definition('device-map', { valueSize: 4 }))
      .move(R2, 1)
      .move(R3, 2)
      .call('redirect_map')
      .exit();

  it('redirects to the interface of a port, and does what was asked where there is none', () => {
    const machine = machineOf(redirecting);
    expect(machine.run(FRAME)).toMatchObject({ verdict: 2, redirectedTo: undefined });
    machine.tables.get('m')!.update(key(1), key(77));
    expect(machine.run(FRAME)).toMatchObject({ verdict: 4, redirectedTo: 77 });
    machine.tables.get('m')!.delete(key(1));
    expect(machine.run(FRAME).verdict).toBe(2);
  });

  it('takes records until the ring is full', () => {
    const ring = definition('ring-buffer', { keySize: 0, valueSize: 0, maxEntries: 32 });
    const machine = machineOf((a) => {
      a.move(R2, 9).store(8, R10, -8, R2).move(R2, R10).alu('add', R2, -8);
      a.loadMap(R1, ring).move(R3, 8).move(R4, 0).call('ringbuf_output').alu('and', R0, 0xff).exit();
    });
    expect([1, 2, 3].map(() => machine.run(FRAME).verdict)).toEqual([0, 0, 256 - 11]);
    const table = machine.tables.get('m') as RingTable;
    expect(table.records.map(([first]) => first)).toEqual([9, 9]);
  });
});
