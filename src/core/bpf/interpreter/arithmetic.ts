/** What instructions do to numbers (RFC 9669 sections 4.1 to 4.3): registers are 64 bits without a sign. */
import { ALU, JUMP } from '../instruction.js';

type Bits = 32 | 64;

/** `right` has been sign-extended where it is an immediate. */
export function operate(operation: number, bits: Bits, left: bigint, right: bigint): bigint {
  const a = BigInt.asUintN(bits, left);
  const b = BigInt.asUintN(bits, right);
  return BigInt.asUintN(bits, resultOf(operation, bits, a, b));
}

function resultOf(operation: number, bits: Bits, a: bigint, b: bigint): bigint {
  const shift = b & BigInt(bits - 1);
  switch (operation) {
    case ALU.add:
      return a + b;
    case ALU.sub:
      return a - b;
    case ALU.mul:
      return a * b;
    case ALU.div:
      return b === 0n ? 0n : a / b;
    case ALU.mod:
      return b === 0n ? a : a % b;
    case ALU.or:
      return a | b;
    case ALU.and:
      return a & b;
    case ALU.xor:
      return a ^ b;
    case ALU.lsh:
      return a << shift;
    case ALU.rsh:
      return a >> shift;
    case ALU.arsh:
      return BigInt.asIntN(bits, a) >> shift;
    case ALU.neg:
      return -a;
    case ALU.mov:
      return b;
    default:
      throw new RangeError(`no arithmetic operation 0x${operation.toString(16)}`);
  }
}

export function swapped(value: bigint, bits: number, toBigEndian: boolean): bigint {
  const lower = BigInt.asUintN(bits, value);
  if (!toBigEndian) return lower;
  let result = 0n;
  for (let at = 0; at < bits; at += 8) result = (result << 8n) | ((lower >> BigInt(at)) & 0xffn);
  return result;
}

export function holds(condition: number, bits: Bits, left: bigint, right: bigint): boolean {
  const a = BigInt.asUintN(bits, left);
  const b = BigInt.asUintN(bits, right);
  const signedA = BigInt.asIntN(bits, a);
  const signedB = BigInt.asIntN(bits, b);
  switch (condition) {
    case JUMP.eq:
      return a === b;
    case JUMP.ne:
      return a !== b;
    case JUMP.gt:
      return a > b;
    case JUMP.ge:
      return a >= b;
    case JUMP.lt:
      return a < b;
    case JUMP.le:
      return a <= b;
    case JUMP.set:
      return (a & b) !== 0n;
    case JUMP.sgt:
      return signedA > signedB;
    case JUMP.sge:
      return signedA >= signedB;
    case JUMP.slt:
      return signedA < signedB;
    case JUMP.sle:
      return signedA <= signedB;
    default:
      throw new RangeError(`no condition 0x${condition.toString(16)}`);
  }
}
