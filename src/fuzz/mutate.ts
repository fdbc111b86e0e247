/**
 * Damage without knowledge: octets overwritten, bits flipped, pieces cut out, doubled, moved or taken from another input, lengths
 * that lie. What an input means afterwards nobody knows; the oracles that judge octets must.
 */
import type { Dice } from './dice.js';
import type { OctetWriter } from './octet-writer.js';

/** `other` is where foreign pieces come from. */
type Mutation = (target: OctetWriter, dice: Dice, other: Uint8Array) => void;

/** Longest piece that is moved about. */
const PIECE = 40;

const flipBit: Mutation = ({ buffer, length }, dice) => {
  const at = dice.below(length);
  buffer[at] = buffer[at]! ^ (1 << dice.below(8));
};

const overwrite: Mutation = ({ buffer, length }, dice) => {
  buffer[dice.below(length)] = dice.edge();
};

const step: Mutation = ({ buffer, length }, dice) => {
  const at = dice.below(length);
  buffer[at] = buffer[at]! + (dice.once(2) ? 1 : -1);
};

const overwrite16: Mutation = (target, dice) => {
  if (target.length < 2) return;
  const value = dice.once(3) ? target.length + dice.below(9) - 4 : dice.once(2) ? dice.edge() : dice.below(0x10000);
  target.patch16(dice.below(target.length - 1), value & 0xffff);
};

const truncate: Mutation = (target, dice) => {
  target.length = dice.below(target.length);
};

const remove: Mutation = (target, dice) => {
  const start = dice.below(target.length);
  const end = Math.min(target.length, start + 1 + dice.below(PIECE));
  target.buffer.copyWithin(start, end, target.length);
  target.length -= end - start;
};

const insert: Mutation = (target, dice, other) => {
  const count = Math.min(1 + dice.below(PIECE), other.length, target.room);
  if (count === 0) return;
  const at = dice.below(target.length + 1);
  const from = dice.below(other.length - count + 1);
  target.buffer.copyWithin(at + count, at, target.length);
  for (let i = 0; i < count; i++) target.buffer[at + i] = other[from + i]!;
  target.length += count;
};

const double: Mutation = (target, dice) => {
  insert(target, dice, target.buffer.slice(0, target.length));
};

const replaceTail: Mutation = (target, dice, other) => {
  const at = dice.below(target.length);
  const from = dice.below(other.length + 1);
  target.length = at;
  target.octets(other, from, Math.min(other.length, from + target.room));
};

const append: Mutation = (target, dice) => {
  for (let left = Math.min(target.room, 1 + dice.below(8)); left > 0; left--) target.octet(dice.edge());
};

const MUTATIONS: readonly Mutation[] = [
  flipBit,
  flipBit,
  overwrite,
  overwrite,
  overwrite,
  step,
  overwrite16,
  overwrite16,
  truncate,
  remove,
  insert,
  double,
  replaceTail,
  append,
];

/** Damages what was written, once or a few times. */
export function mutate(target: OctetWriter, dice: Dice, other: Uint8Array): void {
  for (let times = 1 + (dice.once(3) ? dice.below(5) : 0); times > 0; times--) {
    if (target.length === 0) append(target, dice, other);
    else dice.pick(MUTATIONS)(target, dice, other);
  }
}
