/**
 * Runs a program on a packet without a kernel: for tests, which see every branch. What the verifier would refuse is a fault here when it
 * happens: leaving a piece of memory, reading a register that was never written or that a call has destroyed, running for ever.
 */
import { HELPER } from '../helper.js';
import {
  ALU,
  ATOMIC,
  CLASS,
  FETCH,
  type Instruction,
  isWideLoad,
  JUMP,
  type Program,
  PSEUDO,
  SOURCE_REGISTER,
} from '../instruction.js';
import { instructionText, placeOf } from '../listing.js';
import type { MapDefinition } from '../map-definition.js';
import { holds, operate, swapped } from './arithmetic.js';
import { type Arrival, type PacketPlace, type ProgramKind, readContext, VERDICT } from './context.js';
import { Memory } from './memory.js';
import { newTable, RingTable, type Table } from './tables.js';

const STACK_OCTETS = 512;
const EAGAIN = 11n;
const ENOMEM = 12n;
const EFAULT = 14n;
const MOST_STEPS = 1_000_000;
/** No piece of memory is there: the context is read field by field. */
const CONTEXT = 0x7fff_0000_0000_0000n;
/** As far from everything: what stands for a map, by its place in the program's list. */
const MAPS = 0x7ffe_0000_0000_0000n;

export class ProgramFault extends Error {}

export interface World {
  now(): bigint;
  random(): number;
  /** By the map's name; those that are missing are made. */
  readonly tables?: ReadonlyMap<string, Table>;
}

export interface Outcome {
  /** 32 bits, signed. */
  readonly verdict: number;
  /** The frame as the program left it. */
  readonly frame: Uint8Array;
  /** Interface, when the verdict is to redirect. */
  readonly redirectedTo: number | undefined;
  readonly steps: number;
}

export class Machine {
  readonly tables = new Map<string, Table>();
  /** By instruction: 1 once it was run and gone on after, 2 once it jumped, 3 once both. */
  readonly visited: Uint8Array;
  private readonly registers: (bigint | undefined)[] = [];
  private memory = new Memory();
  private redirectedTo: number | undefined;
  private frame = new Uint8Array(0);
  private packet: PacketPlace = { data: 0n, dataEnd: 0n };

  constructor(
    private readonly program: Program,
    private readonly kind: ProgramKind,
    private readonly world: World,
  ) {
    this.visited = new Uint8Array(program.instructions.length);
    for (const map of program.maps) this.tables.set(map.name, world.tables?.get(map.name) ?? newTable(map));
  }

  run(arrival: Arrival): Outcome {
    const frame = arrival.frame.slice();
    this.memory = new Memory();
    this.frame = frame;
    this.show(arrival.linear ?? frame.length);
    const stack = this.memory.add('the stack', new Uint8Array(STACK_OCTETS));
    this.registers.fill(undefined, 0, 11);
    this.registers[1] = CONTEXT;
    this.registers[10] = stack + BigInt(STACK_OCTETS);
    this.redirectedTo = undefined;
    let at = 0;
    for (let steps = 1; steps <= MOST_STEPS; steps++) {
      const instruction = this.program.instructions[at];
      if (!instruction) throw new ProgramFault(`${this.program.name} runs past its end`);
      try {
        const next = this.step(instruction, at, (offset) => readContext(this.kind, offset, arrival, this.packet));
        if (next < 0)
          return {
            verdict: Number(BigInt.asIntN(32, this.register(0))),
            frame,
            redirectedTo: this.redirectedTo,
            steps,
          };
        at = next;
      } catch (error) {
        const where = `${placeOf(this.program, at)}, ${instructionText(this.program, at)}`;
        throw new ProgramFault(`${this.program.name} at ${where}: ${(error as Error).message}`);
      }
    }
    throw new ProgramFault(`${this.program.name} runs for more than ${MOST_STEPS} steps`);
  }

  /** So many octets of the frame may be looked at. */
  private show(octets: number): void {
    const linear = this.frame.subarray(0, octets);
    const data = this.memory.add('the packet', linear);
    this.packet = { data, dataEnd: data + BigInt(linear.length) };
  }

  /** Where to go on; -1 at the end. */
  private step(instruction: Instruction, at: number, context: (offset: number) => bigint): number {
    const kind = instruction.code & 7;
    if (kind === CLASS.alu || kind === CLASS.alu64) this.arithmetic(instruction, kind === CLASS.alu64 ? 64 : 32);
    else if (kind === CLASS.jmp || kind === CLASS.jmp32) return this.jump(instruction, at);
    else if (kind === CLASS.ldx) this.load(instruction, context);
    else if (kind === CLASS.stx) this.store(instruction);
    else if (isWideLoad(instruction)) return this.loadWide(instruction, at);
    else throw new RangeError('no such instruction');
    return this.goOn(at, 1);
  }

  private register(number: number): bigint {
    const value = this.registers[number];
    if (value === undefined) throw new RangeError(`r${number} is read before it is written`);
    return value;
  }

  private setRegister(number: number, value: bigint): void {
    if (number === 10) throw new RangeError('r10 is read only');
    this.registers[number] = value;
  }

  private operand({ code, source, immediate }: Instruction): bigint {
    return (code & SOURCE_REGISTER) !== 0 ? this.register(source) : BigInt(immediate);
  }

  private arithmetic(instruction: Instruction, bits: 32 | 64): void {
    const { code, destination, immediate } = instruction;
    const operation = code & 0xf0;
    if (operation === ALU.end)
      this.setRegister(destination, swapped(this.register(destination), immediate, (code & SOURCE_REGISTER) !== 0));
    else {
      const left = operation === ALU.mov ? 0n : this.register(destination);
      this.setRegister(destination, operate(operation, bits, left, this.operand(instruction)));
    }
  }

  private jump(instruction: Instruction, at: number): number {
    const { code, destination, offset, immediate } = instruction;
    const operation = code & 0xf0;
    if (operation === JUMP.exit) {
      this.goOn(at, 1);
      return -1;
    }
    if (operation === JUMP.call) {
      this.call(immediate);
      return this.goOn(at, 1);
    }
    const bits = (code & 7) === CLASS.jmp ? 64 : 32;
    if (operation !== JUMP.always && !holds(operation, bits, this.register(destination), this.operand(instruction)))
      return this.goOn(at, 1);
    this.visited[at] = this.visited[at]! | 2;
    return at + 1 + offset;
  }

  private goOn(at: number, instructions: number): number {
    this.visited[at] = this.visited[at]! | 1;
    return at + instructions;
  }

  private load({ code, destination, source, offset }: Instruction, context: (offset: number) => bigint): void {
    const base = this.register(source);
    const size = octetsOf(code);
    this.setRegister(destination, base === CONTEXT ? context(offset) : this.memory.read(base + BigInt(offset), size));
  }

  private store(instruction: Instruction): void {
    const { code, destination, source, offset, immediate } = instruction;
    const address = this.register(destination) + BigInt(offset);
    const size = octetsOf(code);
    const value = this.register(source);
    if ((code & 0xe0) !== 0xc0) return this.memory.write(address, size, value);
    const before = this.memory.read(address, size);
    if (immediate === (ATOMIC.compareExchange | FETCH)) {
      if (before === BigInt.asUintN(size * 8, this.register(0))) this.memory.write(address, size, value);
      return this.setRegister(0, before);
    }
    const exchange = immediate === (ATOMIC.exchange | FETCH);
    this.memory.write(address, size, exchange ? value : operate(immediate & ~FETCH, 64, before, value));
    if ((immediate & FETCH) !== 0) this.setRegister(source, before);
  }

  private loadWide({ destination, source, immediate, map }: Instruction, at: number): number {
    const high = this.program.instructions[at + 1]!.immediate;
    if (source === PSEUDO.number)
      this.setRegister(destination, BigInt.asUintN(64, (BigInt(high) << 32n) | BigInt.asUintN(32, BigInt(immediate))));
    else if (source === PSEUDO.map) this.setRegister(destination, MAPS + BigInt(this.program.maps.indexOf(map!)));
    else {
      const value = this.tables.get(map!.name)!.lookup(new Uint8Array(4))!;
      this.setRegister(destination, this.memory.add(`the value of ${map!.name}`, value) + BigInt(high));
    }
    return this.goOn(at, 2);
  }

  private call(helper: number): void {
    const result = this.resultOf(helper);
    // The calling convention: arguments are gone after a call.
    for (let number = 1; number <= 5; number++) this.registers[number] = undefined;
    this.registers[0] = result;
  }

  private resultOf(helper: number): bigint {
    switch (helper) {
      case HELPER.map_lookup_elem:
        return this.lookUp();
      case HELPER.ktime_get_ns:
      case HELPER.ktime_get_coarse_ns:
        return this.world.now();
      case HELPER.get_prandom_u32:
        return BigInt(this.world.random() >>> 0);
      case HELPER.redirect:
        return this.redirect(Number(this.register(1)));
      case HELPER.redirect_map:
        return this.redirectByMap();
      case HELPER.ringbuf_output:
        return this.output();
      case HELPER.xdp_get_buff_len:
        if (this.kind !== 'xdp' || this.register(1) !== CONTEXT) throw new RangeError('r1 is no XDP context');
        return BigInt(this.frame.length);
      case HELPER.skb_pull_data:
        return this.pull(Number(this.register(2)));
      case HELPER.skb_load_bytes:
        if (this.kind === 'xdp' || this.register(1) !== CONTEXT) throw new RangeError('r1 is no socket buffer');
        return this.copyOctets();
      default:
        throw new RangeError(`helper ${helper} is not known here`);
    }
  }

  private pull(octets: number): bigint {
    if (this.kind !== 'tc' || this.register(1) !== CONTEXT) throw new RangeError('r1 is no skb context');
    if (octets > this.frame.length) return BigInt.asUintN(64, -ENOMEM);
    this.show(Math.max(octets, Number(this.packet.dataEnd - this.packet.data)));
    return 0n;
  }

  private mapIn(number: number): MapDefinition {
    const map = this.program.maps[Number(this.register(number) - MAPS)];
    if (!map) throw new RangeError(`r${number} is no map`);
    return map;
  }

  private lookUp(): bigint {
    const map = this.mapIn(1);
    const value = this.tables.get(map.name)!.lookup(this.memory.bytes(this.register(2), map.keySize));
    return value ? this.memory.add(`a value of ${map.name}`, value) : 0n;
  }

  private copyOctets(): bigint {
    const [from, length] = [Number(this.register(2)), Number(this.register(4))];
    const target = this.memory.bytes(this.register(3), length);
    const past = from + length > this.frame.length;
    target.set(past ? new Uint8Array(length) : this.frame.subarray(from, from + length));
    return past ? BigInt.asUintN(64, -EFAULT) : 0n;
  }

  private redirect(interfaceIndex: number): bigint {
    if (this.kind === 'socket') throw new RangeError('a filter redirects nothing');
    this.redirectedTo = interfaceIndex;
    return BigInt(VERDICT[this.kind].redirect);
  }

  private redirectByMap(): bigint {
    const key = new Uint8Array(Uint32Array.of(Number(this.register(2))).buffer);
    const value = this.tables.get(this.mapIn(1).name)!.lookup(key);
    if (!value) return this.register(3) & 3n;
    return this.redirect(new DataView(value.buffer, value.byteOffset).getUint32(0, true));
  }

  private output(): bigint {
    const table = this.tables.get(this.mapIn(1).name);
    if (!(table instanceof RingTable)) throw new RangeError('r1 is no ring buffer');
    const record = this.memory.bytes(this.register(2), Number(this.register(3)));
    this.register(4);
    return table.output(record) ? 0n : BigInt.asUintN(64, -EAGAIN);
  }
}

function octetsOf(code: number): number {
  return [4, 2, 1, 8][(code >> 3) & 3]!;
}
