/**
 * Writes an eBPF program instruction by instruction. Jumps go to labels, which may come later; maps are named by their definitions and
 * get their descriptors when the program is loaded. A mistake of the author (a label that is missing, a jump or a number out of range)
 * throws RangeError.
 */
import { HELPER, type Helper } from './helper.js';
import {
  ALU,
  type AluOperation,
  ATOMIC,
  type AtomicOperation,
  CLASS,
  FETCH,
  type Instruction,
  JUMP,
  type JumpCondition,
  type MemorySize,
  MODE,
  type Program,
  PSEUDO,
  type Register,
  SIZE,
  SOURCE_REGISTER,
} from './instruction.js';
import type { MapDefinition } from './map-definition.js';

export type Operand = Register | number;

interface PendingJump {
  readonly index: number;
  readonly label: string;
}

export class Assembler {
  private readonly instructions: Instruction[] = [];
  private readonly labels = new Map<string, number>();
  private readonly jumps: PendingJump[] = [];
  private readonly maps: MapDefinition[] = [];
  private fresh = 0;

  constructor(private readonly name: string) {}

  label(name: string): this {
    if (this.labels.has(name)) throw new RangeError(`${this.name}: label ${name} stands twice`);
    this.labels.set(name, this.instructions.length);
    return this;
  }

  /** A name that no label has yet, for pieces of code that are written several times. */
  freshLabel(stem: string): string {
    return `${stem}.${++this.fresh}`;
  }

  /** The verifier refuses code that nothing leads to. */
  isJumpedTo(label: string): boolean {
    return this.jumps.some((jump) => jump.label === label);
  }

  move(destination: Register, source: Operand): this {
    return this.alu('mov', destination, source);
  }

  alu(operation: AluOperation, destination: Register, source: Operand): this {
    return this.operate(CLASS.alu64, ALU[operation], destination, source);
  }

  /** On the lower halves; the upper half of the result is zero. */
  alu32(operation: AluOperation, destination: Register, source: Operand): this {
    return this.operate(CLASS.alu, ALU[operation], destination, source);
  }

  negate(destination: Register): this {
    return this.operate(CLASS.alu64, ALU.neg, destination, 0);
  }

  negate32(destination: Register): this {
    return this.operate(CLASS.alu, ALU.neg, destination, 0);
  }

  /** Between the byte order of the host and that of the network; the upper bits become zero. */
  toBigEndian(destination: Register, bits: 16 | 32 | 64): this {
    return this.emit({ code: CLASS.alu | ALU.end | SOURCE_REGISTER, destination, immediate: bits });
  }

  toLittleEndian(destination: Register, bits: 16 | 32 | 64): this {
    return this.emit({ code: CLASS.alu | ALU.end, destination, immediate: bits });
  }

  load(size: MemorySize, destination: Register, base: Register, offset = 0): this {
    return this.emit({ code: CLASS.ldx | MODE.memory | SIZE[size], destination, source: base, offset });
  }

  store(size: MemorySize, base: Register, offset: number, source: Register): this {
    return this.emit({ code: CLASS.stx | MODE.memory | SIZE[size], destination: base, source, offset });
  }

  atomic(operation: AtomicOperation, size: 4 | 8, base: Register, offset: number, source: Register): this {
    return this.atomically(ATOMIC[operation], size, base, offset, source);
  }

  /** `source` gets what was there before. */
  atomicFetch(operation: AtomicOperation, size: 4 | 8, base: Register, offset: number, source: Register): this {
    return this.atomically(ATOMIC[operation] | FETCH, size, base, offset, source);
  }

  exchange(size: 4 | 8, base: Register, offset: number, source: Register): this {
    return this.atomically(ATOMIC.exchange | FETCH, size, base, offset, source);
  }

  /** Stores `source` where what is there equals R0, which gets what was there before. */
  compareExchange(size: 4 | 8, base: Register, offset: number, source: Register): this {
    return this.atomically(ATOMIC.compareExchange | FETCH, size, base, offset, source);
  }

  loadNumber(destination: Register, value: bigint): this {
    const low = Number(BigInt.asIntN(32, value));
    const high = Number(BigInt.asIntN(32, value >> 32n));
    return this.wide(destination, PSEUDO.number, { immediate: low }, high);
  }

  /** What helpers take as a map. */
  loadMap(destination: Register, map: MapDefinition): this {
    return this.wide(destination, PSEUDO.map, { map: this.known(map) }, 0);
  }

  /** The address of the value of an array's first entry, or of an octet inside it: no lookup. */
  loadMapValue(destination: Register, map: MapDefinition, offset = 0): this {
    return this.wide(destination, PSEUDO.mapValue, { map: this.known(map) }, offset);
  }

  jump(condition: JumpCondition, left: Register, right: Operand, label: string): this {
    this.jumps.push({ index: this.instructions.length, label });
    return this.operate(CLASS.jmp, JUMP[condition], left, right);
  }

  /** Compares the lower halves. */
  jump32(condition: JumpCondition, left: Register, right: Operand, label: string): this {
    this.jumps.push({ index: this.instructions.length, label });
    return this.operate(CLASS.jmp32, JUMP[condition], left, right);
  }

  goto(label: string): this {
    this.jumps.push({ index: this.instructions.length, label });
    return this.emit({ code: CLASS.jmp | JUMP.always });
  }

  /** Arguments in R1 to R5, which it destroys; the result is in R0. */
  call(helper: Helper): this {
    return this.emit({ code: CLASS.jmp | JUMP.call, immediate: HELPER[helper] });
  }

  exit(): this {
    return this.emit({ code: CLASS.jmp | JUMP.exit });
  }

  program(): Program {
    const instructions = [...this.instructions];
    for (const { index, label } of this.jumps) {
      const target = this.labels.get(label);
      if (target === undefined) throw new RangeError(`${this.name}: no label ${label}`);
      const offset = target - index - 1;
      checkRange(offset, 16, `jump to ${label}`);
      instructions[index] = { ...instructions[index]!, offset };
    }
    return { name: this.name, instructions, labels: new Map(this.labels), maps: [...this.maps] };
  }

  private operate(kind: number, operation: number, destination: Register, source: Operand): this {
    if (typeof source !== 'number') return this.emit({ code: kind | operation | SOURCE_REGISTER, destination, source });
    return this.emit({ code: kind | operation, destination, immediate: source });
  }

  private atomically(immediate: number, size: 4 | 8, base: Register, offset: number, source: Register): this {
    return this.emit({ code: CLASS.stx | MODE.atomic | SIZE[size], destination: base, source, offset, immediate });
  }

  private wide(
    destination: Register,
    kind: number,
    low: Pick<Instruction, 'map'> & { readonly immediate?: number },
    high: number,
  ): this {
    const { map, immediate = 0 } = low;
    const first = { code: CLASS.ld | MODE.immediate | SIZE[8], destination, source: { number: kind }, immediate };
    this.emit(map ? { ...first, map } : first);
    return this.emit({ code: 0, immediate: high });
  }

  private known(map: MapDefinition): MapDefinition {
    if (!this.maps.includes(map)) this.maps.push(map);
    return map;
  }

  private emit(parts: {
    readonly code: number;
    readonly destination?: Register;
    readonly source?: Register;
    readonly offset?: number;
    readonly immediate?: number;
    readonly map?: MapDefinition;
  }): this {
    const { code, destination, source, offset = 0, immediate = 0, map } = parts;
    checkRange(offset, 16, 'offset');
    checkRange(immediate, 32, 'immediate');
    const fields = { code, destination: destination?.number ?? 0, source: source?.number ?? 0, offset, immediate };
    this.instructions.push(map ? { ...fields, map } : fields);
    return this;
  }
}

function checkRange(value: number, bits: number, what: string): void {
  const bound = 2 ** (bits - 1);
  if (!Number.isInteger(value) || value < -bound || value >= bound)
    throw new RangeError(`${what} ${value} does not fit ${bits} bits`);
}
