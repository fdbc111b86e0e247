/** An UPDATE before it is written: the parts from which the grammar builds valid messages and into which faults are put. */
import type { Dice } from './dice.js';
import type { OctetWriter } from './octet-writer.js';
import type { JudgeContext } from './rfc7606-judge.js';

export interface DraftAttribute {
  flags: number;
  type: number;
  value: Uint8Array;
}

export interface UpdateDraft {
  withdrawn: Uint8Array;
  attributes: DraftAttribute[];
  nlri: Uint8Array;
  /** What is added to a length field as it is written; the octets stay what they are. */
  lies: { withdrawn: number; attributes: number; lastAttribute: number };
}

/** Types beside those that carry routes, with the flags that their specification fixes. */
export const FLAGS_OF: Readonly<Record<number, number>> = {
  1: 0x40,
  2: 0x40,
  3: 0x40,
  4: 0x80,
  5: 0x40,
  6: 0x40,
  7: 0xc0,
  8: 0xc0,
  9: 0x80,
  10: 0x80,
  14: 0x80,
  15: 0x80,
  16: 0xc0,
  17: 0xc0,
  18: 0xc0,
  25: 0xc0,
  26: 0x80,
  32: 0xc0,
  39: 0xc0,
};

const OPTIONAL_TYPES = [4, 6, 7, 8, 9, 10, 16, 17, 18, 25, 26, 32, 39];
/** Nobody in this program looks into these: labels, tunnels, prefix SIDs, and what is still to come. */
const OPAQUE_TYPES = [22, 23, 27, 28, 29, 33, 35, 36, 40, 128, 255];
const LINK_LOCAL = [0xfe, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x66];
/** The prefixes of a run come from pools of this many of each family, so that they are announced again and withdrawn. */
const PREFIXES = 96;
const MOST_PREFIXES = 6;

const u32 = (value: number): number[] => [value >>> 24, (value >>> 16) & 255, (value >>> 8) & 255, value & 255];

function list(dice: Dice, most: number, item: () => number[]): Uint8Array {
  const items: number[] = [];
  for (let left = 1 + dice.below(most); left > 0; left--) items.push(...item());
  return Uint8Array.from(items);
}

const someAs = (dice: Dice, wide: boolean): number =>
  1 + (wide && dice.once(4) ? dice.below(0xffff_fffe) : dice.below(65534));

function path(dice: Dice, octets: 2 | 4): Uint8Array {
  if (dice.once(12)) return new Uint8Array(0);
  const asn = () => (octets === 4 ? u32(someAs(dice, true)) : u32(someAs(dice, false)).slice(2));
  return list(dice, 2, () => {
    const count = dice.once(40) ? 255 : 1 + dice.below(4);
    return [2, count, ...Array.from({ length: count }, asn).flat()];
  });
}

function aigp(dice: Dice): Uint8Array {
  const metric = [
    1,
    0,
    11,
    ...u32(dice.once(4) ? dice.below(0xffff_ffff) : 0),
    ...u32(dice.once(3) ? dice.word() : dice.below(3)),
  ];
  const other = dice.once(5) ? [2 + dice.below(250), 0, 5, dice.octet(), dice.octet()] : [];
  return Uint8Array.from(dice.once(4) ? [...other, ...metric] : [...metric, ...other]);
}

function extendedCommunity(dice: Dice): number[] {
  const kinds = [
    [0x03, 0x0b],
    [0x40, 0x04],
    [0x00, 0x04],
    [0x00, 0x02],
    [0x43, 0x00],
  ];
  const kind = dice.once(4) ? [dice.octet(), dice.octet()] : dice.pick(kinds);
  return [...kind, ...(dice.once(2) ? [0, 0, 0, 0, 0, dice.below(5)] : dice.octets(6))];
}

/** Values are made once and used again and again, as those of real routes are; now and then one is made anew. */
const POOL = 64;
const poolsOf = new WeakMap<Dice, Map<number, Uint8Array[]>>();

/** A valid value of an attribute in such a session. The octets are shared: whoever changes them takes a copy. */
export function validValue(type: number, dice: Dice, context: JudgeContext): Uint8Array {
  const key = type * 2 + (context.fourOctetAs ? 1 : 0);
  const pools = poolsOf.get(dice) ?? new Map<number, Uint8Array[]>();
  if (pools.size === 0) poolsOf.set(dice, pools);
  let pool = pools.get(key);
  if (!pool) {
    pool = [];
    pools.set(key, pool);
  }
  const place = dice.below(POOL);
  const found = pool[place];
  if (found && !dice.once(8)) return found;
  const made = makeValue(type, dice, context);
  pool[place] = made;
  return made;
}

function makeValue(type: number, dice: Dice, context: JudgeContext): Uint8Array {
  const as = context.fourOctetAs ? 4 : 2;
  switch (type) {
    case 1:
      return Uint8Array.of(dice.below(3));
    case 2:
      return path(dice, as);
    case 3:
      return Uint8Array.of(10, dice.octet(), dice.octet(), dice.octet());
    case 6:
      return new Uint8Array(0);
    case 7:
      return Uint8Array.from([...u32(someAs(dice, as === 4)).slice(4 - as), 10, ...dice.octets(3)]);
    case 10:
    case 8:
      return list(dice, 6, () => u32(dice.once(4) ? 0xffff_0000 + dice.below(0xffff) : dice.word()));
    case 16:
      return list(dice, 4, () => extendedCommunity(dice));
    case 17:
      return list(dice, 2, () => [2, 1, ...u32(someAs(dice, true))]);
    case 18:
      return Uint8Array.from([...u32(someAs(dice, true)), 10, ...dice.octets(3)]);
    case 25:
      return list(dice, 2, () => [...dice.octets(20)]);
    case 26:
      return aigp(dice);
    case 32:
      return list(dice, 4, () => [...u32(dice.below(9)), ...u32(dice.below(3)), ...u32(dice.below(3))]);
    case 39:
      return Uint8Array.from([0, 2, 1, 16, ...LINK_LOCAL, 0, 2, 0, 8, 10, 0, 0, 1, 10, 1, 0, dice.octet()]);
    default:
      return dice.octets(type in FLAGS_OF ? 4 : dice.below(dice.once(30) ? 300 : 12));
  }
}

const scratch = new Uint8Array(MOST_PREFIXES * 21 + 64);
let scratchEnd = 0;

/** One prefix of the pool: length and the octets that it needs. */
function writePrefix(dice: Dice, ipv4: boolean): void {
  const number = dice.below(PREFIXES);
  const bits = ipv4 ? 8 + (number % 25) : number % 7 === 0 ? 128 : number % 5 === 0 ? 49 : 64;
  const octets = (bits + 7) >> 3;
  scratch[scratchEnd++] = bits;
  scratch.fill(0, scratchEnd, scratchEnd + octets);
  scratch[scratchEnd] = ipv4 ? 10 : 0xfc;
  if (ipv4) {
    if (octets > 1) scratch[scratchEnd + 1] = number;
  } else {
    scratch[scratchEnd + 3] = 0x66;
    if (octets > 7) scratch[scratchEnd + 7] = number;
  }
  scratchEnd += octets;
}

function writePrefixes(dice: Dice, context: JudgeContext, ipv4: boolean): void {
  for (let left = 1 + dice.below(MOST_PREFIXES); left > 0; left--) {
    if (context.addPath) {
      scratch.fill(0, scratchEnd, scratchEnd + 3);
      scratch[scratchEnd + 3] = dice.below(3);
      scratchEnd += 4;
    }
    writePrefix(dice, ipv4);
  }
}

export function prefixes(dice: Dice, context: JudgeContext, ipv4: boolean): Uint8Array {
  scratchEnd = 0;
  writePrefixes(dice, context, ipv4);
  return scratch.slice(0, scratchEnd);
}

const NEXT_HOPS: readonly (readonly number[])[] = [
  LINK_LOCAL,
  [...LINK_LOCAL, ...LINK_LOCAL],
  [...new Array<number>(16).fill(0), ...LINK_LOCAL],
  [0xfd, ...new Array<number>(14).fill(0), 1, ...LINK_LOCAL],
  [0xfd, ...new Array<number>(14).fill(0), 1],
];

export function reachValue(dice: Dice, context: JudgeContext, hop: readonly number[], afi = 2): Uint8Array {
  scratch[0] = 0;
  scratch[1] = afi;
  scratch[2] = 1;
  scratch[3] = hop.length;
  for (let at = 0; at < hop.length; at++) scratch[4 + at] = hop[at]!;
  scratch[4 + hop.length] = dice.once(9) ? dice.octet() : 0;
  scratchEnd = 5 + hop.length;
  writePrefixes(dice, context, afi === 1);
  return scratch.slice(0, scratchEnd);
}

export function attribute(draft: UpdateDraft, type: number): DraftAttribute | undefined {
  return draft.attributes.find((entry) => entry.type === type);
}

/** The attribute with this value, whether it was there or not. */
export function put(draft: UpdateDraft, type: number, value: Uint8Array): DraftAttribute {
  const known = attribute(draft, type);
  if (known) {
    known.value = value;
    return known;
  }
  const added = { flags: FLAGS_OF[type] ?? 0xc0, type, value };
  draft.attributes.push(added);
  return added;
}

const NONE = new Uint8Array(0);

/** A valid UPDATE: routes in either field or both, withdrawals, or nothing but those. */
export function validDraft(dice: Dice, context: JudgeContext): UpdateDraft {
  const draft: UpdateDraft = {
    withdrawn: NONE,
    attributes: [],
    nlri: NONE,
    lies: { withdrawn: 0, attributes: 0, lastAttribute: 0 },
  };
  const shape = dice.below(12);
  const classic = context.ipv4 && (shape < 4 || shape === 11);
  const reach = shape >= 3 && shape < 10;
  if (classic) draft.nlri = prefixes(dice, context, true);
  if (context.ipv4 && dice.once(6)) draft.withdrawn = prefixes(dice, context, true);
  if (reach) {
    const afi = context.ipv4 && dice.once(8) ? 1 : 2;
    put(draft, 14, reachValue(dice, context, dice.pick(NEXT_HOPS), afi));
  }
  if (shape === 10 || dice.once(8)) {
    const value = [0, 2, 1, ...(dice.once(4) ? [] : prefixes(dice, context, false))];
    put(draft, 15, Uint8Array.from(value));
  }
  if (classic || reach || dice.once(6)) addAttributes(draft, dice, context, classic);
  if (dice.once(4)) shuffle(draft.attributes, dice);
  return draft;
}

function addAttributes(draft: UpdateDraft, dice: Dice, context: JudgeContext, classic: boolean): void {
  put(draft, 1, validValue(1, dice, context));
  put(draft, 2, validValue(2, dice, context));
  if (classic || dice.once(10)) put(draft, 3, validValue(3, dice, context));
  if (!context.external || dice.once(6)) put(draft, 5, validValue(5, dice, context));
  for (let left = dice.below(5); left > 0; left--) {
    const type = dice.pick(OPTIONAL_TYPES);
    put(draft, type, validValue(type, dice, context));
  }
  if (!dice.once(4)) return;
  const opaque = put(draft, dice.pick(OPAQUE_TYPES), validValue(-1, dice, context));
  opaque.flags = dice.once(4) ? 0x80 : dice.once(3) ? 0xe0 : 0xc0;
}

function shuffle(attributes: DraftAttribute[], dice: Dice): void {
  for (let at = attributes.length - 1; at > 0; at--) {
    const other = dice.below(at + 1);
    [attributes[at], attributes[other]] = [attributes[other]!, attributes[at]!];
  }
}

/** The body, without the message header. Extended lengths where they are needed, and now and then where they are not. */
export function writeDraft(draft: UpdateDraft, target: OctetWriter, dice: Dice): void {
  const { withdrawn, attributes, nlri, lies } = draft;
  target.length = 0;
  target.word16(withdrawn.length + lies.withdrawn);
  target.octets(withdrawn);
  const lengthAt = target.length;
  target.word16(0);
  attributes.forEach((entry, index) => {
    const lie = index === attributes.length - 1 ? lies.lastAttribute : 0;
    writeAttribute(entry, target, { lie, extended: entry.value.length + lie > 255 || dice.once(16) });
  });
  target.patch16(lengthAt, target.length - lengthAt - 2 + lies.attributes);
  target.octets(nlri);
}

function writeAttribute(
  { flags, type, value }: DraftAttribute,
  target: OctetWriter,
  { lie, extended }: { readonly lie: number; readonly extended: boolean },
): void {
  target.octet(extended ? flags | 0x10 : flags & ~0x10);
  target.octet(type);
  if (extended) target.word16(value.length + lie);
  else target.octet(value.length + lie);
  target.octets(value);
}
