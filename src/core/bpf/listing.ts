/**
 * A program as text, as llvm-objdump writes it, with labels where jumps go and maps and helpers by name. The verifier's log is told in
 * its terms.
 */
import { HELPER } from './helper.js';
import { ALU, ATOMIC, CLASS, FETCH, type Instruction, isWideLoad, JUMP, type Program, PSEUDO } from './instruction.js';

const ALU_SYMBOLS: Readonly<Record<number, string>> = {
  [ALU.add]: '+=',
  [ALU.sub]: '-=',
  [ALU.mul]: '*=',
  [ALU.div]: '/=',
  [ALU.or]: '|=',
  [ALU.and]: '&=',
  [ALU.lsh]: '<<=',
  [ALU.rsh]: '>>=',
  [ALU.mod]: '%=',
  [ALU.xor]: '^=',
  [ALU.mov]: '=',
  [ALU.arsh]: 's>>=',
};

const JUMP_SYMBOLS: Readonly<Record<number, string>> = {
  [JUMP.eq]: '==',
  [JUMP.gt]: '>',
  [JUMP.ge]: '>=',
  [JUMP.set]: '&',
  [JUMP.ne]: '!=',
  [JUMP.sgt]: 's>',
  [JUMP.sge]: 's>=',
  [JUMP.lt]: '<',
  [JUMP.le]: '<=',
  [JUMP.slt]: 's<',
  [JUMP.sle]: 's<=',
};

const ATOMIC_NAMES: Readonly<Record<number, string>> = {
  [ATOMIC.add]: 'add',
  [ATOMIC.or]: 'or',
  [ATOMIC.and]: 'and',
  [ATOMIC.xor]: 'xor',
};

const SIZE_BITS: Readonly<Record<number, number>> = { 0: 32, 8: 16, 16: 8, 24: 64 };
const HELPER_NAMES = new Map<number, string>(Object.entries(HELPER).map(([name, id]) => [id, name]));

/** A line for each label and each instruction; a 64-bit load, which is two, is one line. */
export function listing(program: Program): readonly string[] {
  const lines: string[] = [];
  for (const [index, instruction] of program.instructions.entries()) {
    for (const [name, at] of program.labels) if (at === index) lines.push(`${name}:`);
    if (instruction.code !== 0) lines.push(`${String(index).padStart(6)}  ${instructionText(program, index)}`);
  }
  return lines;
}

/** Where an instruction stands: `LABEL+OFFSET`, after the last label before it. */
export function placeOf(program: Program, index: number): string {
  let place = { name: 'start', at: 0 };
  for (const [name, at] of program.labels) if (at <= index && at >= place.at) place = { name, at };
  return index === place.at ? place.name : `${place.name}+${index - place.at}`;
}

export function instructionText(program: Program, index: number): string {
  const instruction = program.instructions[index]!;
  switch (instruction.code & 7) {
    case CLASS.alu:
    case CLASS.alu64:
      return aluText(instruction);
    case CLASS.jmp:
    case CLASS.jmp32:
      return jumpText(program, index);
    case CLASS.ldx:
      return `${registerOf(instruction.destination, (instruction.code & 0x18) !== 0x18 ? 'w' : 'r')} = ${memory(instruction, instruction.source)}`;
    case CLASS.stx:
      return storeText(instruction);
    default:
      return isWideLoad(instruction) ? wideText(program, index) : `unknown code 0x${instruction.code.toString(16)}`;
  }
}

function aluText({ code, destination, source, immediate }: Instruction): string {
  const operation = code & 0xf0;
  const half = (code & 7) === CLASS.alu && operation !== ALU.end;
  const target = registerOf(destination, half ? 'w' : 'r');
  if (operation === ALU.end) return `${target} = ${(code & 8) !== 0 ? 'be' : 'le'}${immediate} ${target}`;
  if (operation === ALU.neg) return `${target} = -${target}`;
  const value = (code & 8) !== 0 ? registerOf(source, half ? 'w' : 'r') : hex(immediate);
  return `${target} ${ALU_SYMBOLS[operation] ?? '?'} ${value}`;
}

function jumpText(program: Program, index: number): string {
  const { code, destination, source, immediate } = program.instructions[index]!;
  const operation = code & 0xf0;
  if (operation === JUMP.exit) return 'exit';
  if (operation === JUMP.call) return `call ${HELPER_NAMES.get(immediate) ?? hex(immediate)}`;
  const target = `goto ${targetOf(program, index)}`;
  if (operation === JUMP.always) return target;
  const letter = (code & 7) === CLASS.jmp32 ? 'w' : 'r';
  const right = (code & 8) !== 0 ? registerOf(source, letter) : hex(immediate);
  return `if ${registerOf(destination, letter)} ${JUMP_SYMBOLS[operation] ?? '?'} ${right} ${target}`;
}

function targetOf(program: Program, index: number): string {
  const { offset } = program.instructions[index]!;
  const target = index + 1 + offset;
  for (const [name, at] of program.labels) if (at === target) return name;
  return offset < 0 ? hex(offset) : `+${hex(offset)}`;
}

function storeText(instruction: Instruction): string {
  const { code, destination, source, offset, immediate } = instruction;
  const letter = (code & 0x18) === 0x18 ? 'r' : 'w';
  const value = registerOf(source, letter);
  if ((code & 0xe0) !== 0xc0) return `${memory(instruction, destination)} = ${value}`;
  const [wide, bits] = letter === 'r' ? ['u64', '_64'] : ['u32', '32_32'];
  const place = `r${destination} ${signed(offset)}`;
  if (immediate === (ATOMIC.exchange | FETCH)) return `${value} = xchg${bits}(${place}, ${value})`;
  if (immediate === (ATOMIC.compareExchange | FETCH))
    return `${letter}0 = cmpxchg${bits}(${place}, ${letter}0, ${value})`;
  if ((immediate & FETCH) !== 0)
    return `${value} = atomic_fetch_${ATOMIC_NAMES[immediate & ~FETCH] ?? '?'}((${wide} *)(${place}), ${value})`;
  return `lock ${memory(instruction, destination)} ${ALU_SYMBOLS[immediate] ?? '?'} ${value}`;
}

function wideText(program: Program, index: number): string {
  const { destination, source, immediate, map } = program.instructions[index]!;
  const high = program.instructions[index + 1]?.immediate ?? 0;
  const target = `r${destination}`;
  if (source === PSEUDO.map) return `${target} = map ${map?.name ?? '?'}`;
  if (source === PSEUDO.mapValue) return `${target} = value of ${map?.name ?? '?'} + ${hex(high)}`;
  const value = BigInt.asIntN(64, (BigInt(high) << 32n) | BigInt.asUintN(32, BigInt(immediate)));
  return `${target} = ${hex(value)} ll`;
}

function memory({ code, offset }: Instruction, base: number): string {
  return `*(u${SIZE_BITS[code & 0x18]} *)(r${base} ${signed(offset)})`;
}

function registerOf(number: number, letter: string): string {
  return `${letter}${number}`;
}

function signed(value: number): string {
  return value < 0 ? `- ${hex(-value)}` : `+ ${hex(value)}`;
}

function hex(value: number | bigint): string {
  return value < 0 ? `-0x${(-value).toString(16)}` : `0x${value.toString(16)}`;
}
