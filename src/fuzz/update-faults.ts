/**
 * Faults that are put into a valid UPDATE on purpose, each with what RFC 7606 makes of it: whoever puts a fault in knows what is
 * due. `target` keeps two faults of one message apart.
 */
import type { Dice } from './dice.js';
import { DUE, type JudgeContext } from './rfc7606-judge.js';
import { attribute, put, reachValue, type UpdateDraft, validValue } from './update-draft.js';

export interface UpdateFault {
  readonly name: string;
  readonly due: number;
  /** UPDATE Message Error subcode (RFC 4271 section 6.3) of a reset. */
  readonly subcode: number;
  readonly target: number;
  readonly fits?: (draft: UpdateDraft, context: JudgeContext) => boolean;
  readonly apply: (draft: UpdateDraft, dice: Dice, context: JudgeContext) => void;
}

const OTHER_TARGET = 1000;
const LENGTHS = 1001;

type Fits = NonNullable<UpdateFault['fits']>;
const internal: Fits = (_, { external }) => !external;
const twoOctets: Fits = (_, { fourOctetAs }) => !fourOctetAs;
const classic: Fits = ({ nlri }, { ipv4 }) => nlri.length > 0 && ipv4;
const reach: Fits = (draft) => attribute(draft, 14) !== undefined;
const routes: Fits = (draft, context) => classic(draft, context) || reach(draft, context);
const withAigp: Fits = (_, { aigp }) => aigp;

/** The attribute gets a value that is wrong by itself. */
function value(
  name: string,
  type: number,
  [due, subcode]: readonly [number, number],
  make: (dice: Dice, context: JudgeContext) => ArrayLike<number>,
  fits?: Fits,
): UpdateFault {
  const apply: UpdateFault['apply'] = (draft, dice, context) =>
    void put(draft, type, Uint8Array.from(make(dice, context)));
  return { name, due, subcode, target: type, ...(fits && { fits }), apply };
}

const WITHDRAW_LENGTH = [DUE.withdraw, 5] as const;
const WITHDRAW_LIST = [DUE.withdraw, 9] as const;
const WITHDRAW_PATH = [DUE.withdraw, 11] as const;
const DISCARD = [DUE.discard, 9] as const;

/** Any length but those that fit. */
const lengthBut = (fits: (length: number) => boolean) => (dice: Dice) => {
  let length = dice.below(30);
  while (fits(length)) length = dice.below(30);
  return dice.octets(length);
};
const notMultiple = (size: number) => lengthBut((length) => length > 0 && length % size === 0);
const not = (length: number) => lengthBut((other) => other === length);

/** AS numbers of an AS_PATH in this session. */
const asns = (context: JudgeContext, ...numbers: number[]): number[] =>
  numbers.flatMap((asn) => (context.fourOctetAs ? [0, 0, asn >> 8, asn & 255] : [asn >> 8, asn & 255]));

const VALUES: readonly UpdateFault[] = [
  value('ORIGIN of a wrong length', 1, WITHDRAW_LENGTH, not(1)),
  value('ORIGIN of an unknown value', 1, [DUE.withdraw, 6], (dice) => [3 + dice.below(253)]),
  value('AS_PATH with an unknown segment', 2, WITHDRAW_PATH, (dice, context) => [
    dice.pick([0, 3, 4, 5, 255]),
    1,
    ...asns(context, 65001),
  ]),
  value('AS_PATH with an empty segment', 2, WITHDRAW_PATH, (dice, context) => [
    ...(dice.once(2) ? [2, 1, ...asns(context, 65001)] : []),
    2,
    0,
  ]),
  value('AS_PATH that overruns', 2, WITHDRAW_PATH, (_, context) => [2, 3, ...asns(context, 1, 2)]),
  value('AS_PATH with an octet too many', 2, WITHDRAW_PATH, (dice, context) => [
    2,
    1,
    ...asns(context, 1),
    dice.octet(),
  ]),
  value('AS_SET in AS_PATH', 2, WITHDRAW_PATH, (_, context) => [
    2,
    1,
    ...asns(context, 1),
    1,
    2,
    ...asns(context, 2, 3),
  ]),
  value('AS 0 in AS_PATH', 2, WITHDRAW_PATH, (_, context) => [2, 2, ...asns(context, 1, 0)]),
  value('NEXT_HOP of a wrong length', 3, WITHDRAW_LENGTH, not(4), classic),
  value('NEXT_HOP that is no host', 3, [DUE.withdraw, 8], (dice) => [dice.pick([0, 127, 224, 255]), 0, 0, 1], classic),
  value('MULTI_EXIT_DISC of a wrong length', 4, WITHDRAW_LENGTH, not(4)),
  value('LOCAL_PREF of a wrong length', 5, WITHDRAW_LENGTH, not(4), internal),
  value('ATOMIC_AGGREGATE with a value', 6, [DUE.discard, 5], not(0)),
  value('AGGREGATOR of a wrong length', 7, DISCARD, (dice, { fourOctetAs }) => not(fourOctetAs ? 8 : 6)(dice)),
  value('AGGREGATOR in AS 0', 7, DISCARD, (_, { fourOctetAs }) => [
    ...(fourOctetAs ? [0, 0, 0, 0] : [0, 0]),
    10,
    0,
    0,
    1,
  ]),
  value('COMMUNITIES of a wrong length', 8, WITHDRAW_LIST, notMultiple(4)),
  value('ORIGINATOR_ID of a wrong length', 9, WITHDRAW_LENGTH, not(4), internal),
  value('CLUSTER_LIST of a wrong length', 10, WITHDRAW_LIST, notMultiple(4), internal),
  value('EXTENDED COMMUNITIES of a wrong length', 16, WITHDRAW_LIST, notMultiple(8)),
  value('AS4_PATH that overruns', 17, DISCARD, () => [2, 2, 0, 1, 0, 0], twoOctets),
  value('AS4_AGGREGATOR of a wrong length', 18, DISCARD, not(8), twoOctets),
  value('IPv6 EXTENDED COMMUNITIES of a wrong length', 25, WITHDRAW_LIST, notMultiple(20)),
  value('AIGP without a metric', 26, DISCARD, (dice) => (dice.once(2) ? [] : [2, 0, 3]), withAigp),
  value(
    'AIGP of a wrong length',
    26,
    DISCARD,
    (dice) => [1, 0, dice.pick([0, 2, 3, 10, 12, 200]), ...dice.octets(8)],
    withAigp,
  ),
  value('AIGP of all ones', 26, DISCARD, () => [1, 0, 11, ...new Array<number>(8).fill(255)], withAigp),
  value('LARGE_COMMUNITY of a wrong length', 32, WITHDRAW_LIST, notMultiple(12)),
  value('NHC that is cut off', 39, DISCARD, (dice) => [0, 2, 1, 16, ...dice.octets(dice.below(16))]),
];

/** Types whose wrong flags lead to the withdrawal that section 3 (c) wants, in every session. */
const STRICT_FLAGS = [1, 2, 4, 6, 7, 8, 16, 25, 32];

const FIELDS: readonly UpdateFault[] = [
  {
    name: 'flags in conflict',
    due: DUE.withdraw,
    subcode: 4,
    target: OTHER_TARGET,
    apply: (draft, dice, context) => {
      const type = dice.pick(STRICT_FLAGS);
      const entry = attribute(draft, type) ?? put(draft, type, validValue(type, dice, context));
      entry.flags ^= dice.pick([0x40, 0x80, 0xc0]);
    },
  },
  missing('ORIGIN', 1, routes),
  missing('AS_PATH', 2, routes),
  missing('NEXT_HOP', 3, classic),
  missing('LOCAL_PREF', 5, (draft, context) => internal(draft, context) && routes(draft, context)),
  {
    name: 'an attribute twice',
    due: DUE.discard,
    subcode: 1,
    target: LENGTHS,
    fits: (draft) => draft.attributes.some(({ type }) => type !== 14 && type !== 15),
    apply: (draft, dice) => {
      const some = draft.attributes.filter(({ type }) => type !== 14 && type !== 15);
      draft.attributes.push({ ...dice.pick(some), value: dice.octets(dice.below(9)) });
    },
  },
  {
    name: 'MP_REACH_NLRI twice',
    due: DUE.reset,
    subcode: 1,
    target: 14,
    fits: reach,
    apply: (draft) => void draft.attributes.push({ ...attribute(draft, 14)! }),
  },
  {
    name: 'an unknown well-known attribute',
    due: DUE.reset,
    subcode: 2,
    target: 99,
    apply: (draft, dice) =>
      void draft.attributes.push({ flags: dice.pick([0, 0x40]), type: 99, value: dice.octets(dice.below(9)) }),
  },
  {
    name: 'MP_REACH_NLRI with other flags',
    due: DUE.withdraw,
    subcode: 4,
    target: 14,
    fits: reach,
    apply: (draft, dice) => {
      attribute(draft, 14)!.flags = dice.pick([0, 0x40, 0xc0]);
    },
  },
  reachHop('a next hop of 17 octets', [DUE.reset, 9], new Array<number>(17).fill(1)),
  reachHop('a next hop of no octets', [DUE.reset, 9], []),
  reachHop('a next hop of 24 octets', [DUE.reset, 9], new Array<number>(24).fill(1)),
  reachHop('the next hop ::', [DUE.withdraw, 8], new Array<number>(16).fill(0)),
  value('MP_REACH_NLRI without its parts', 14, [DUE.reset, 9], (dice) => dice.octets(dice.below(5))),
  value('MP_REACH_NLRI with a next hop beyond it', 14, [DUE.reset, 9], (dice) => [0, 2, 1, 200, ...dice.octets(20)]),
  value('MP_UNREACH_NLRI without its parts', 15, [DUE.reset, 9], (dice) => dice.octets(dice.below(3))),
  value('a withdrawn prefix of 129 bits', 15, [DUE.reset, 10], (_, { addPath }) => [
    ...[0, 2, 1],
    ...(addPath ? [0, 0, 0, 1] : []),
    129,
    ...new Array<number>(17).fill(0xfc),
  ]),
  {
    name: 'a prefix of 33 bits',
    due: DUE.reset,
    subcode: 10,
    target: LENGTHS,
    fits: classic,
    apply: (draft, _, { addPath }) => {
      draft.nlri = Uint8Array.of(...(addPath ? [0, 0, 0, 1] : []), 33, 10, 0, 0, 0, 0);
    },
  },
  {
    name: 'a prefix that is cut off',
    due: DUE.reset,
    subcode: 10,
    target: LENGTHS,
    fits: classic,
    apply: (draft, _, { addPath }) => {
      draft.nlri = Uint8Array.of(...(addPath ? [0, 0, 0, 1] : []), 24, 10, 0);
    },
  },
  {
    name: 'withdrawn routes beyond the message',
    due: DUE.reset,
    subcode: 1,
    target: LENGTHS,
    apply: (draft) => {
      draft.lies.withdrawn = 30_000;
    },
  },
  {
    name: 'path attributes beyond the message',
    due: DUE.reset,
    subcode: 1,
    target: LENGTHS,
    apply: (draft) => {
      draft.lies.attributes = 30_000;
    },
  },
  {
    name: 'an attribute beyond the others',
    due: DUE.withdraw,
    subcode: 1,
    target: LENGTHS,
    fits: (draft) => ![undefined, 14, 15, 99].includes(draft.attributes.at(-1)?.type),
    apply: (draft, dice) => {
      draft.lies.lastAttribute = 1 + dice.below(200);
    },
  },
];

/** In the order of their severity as a list reads it. */
export const UPDATE_FAULTS: readonly UpdateFault[] = [...VALUES, ...FIELDS];

function missing(name: string, type: number, fits: Fits): UpdateFault {
  return {
    name: `no ${name}`,
    due: DUE.withdraw,
    subcode: 3,
    target: type,
    fits,
    apply: (draft) => {
      draft.attributes = draft.attributes.filter((entry) => entry.type !== type);
    },
  };
}

function reachHop(name: string, due: readonly [number, number], hop: readonly number[]): UpdateFault {
  return value(name, 14, due, (dice, context) => reachValue(dice, context, hop), reach);
}

/** What is due for the message as a whole (RFC 7606 sections 2 and 5.2). */
export function dueFor(faults: readonly UpdateFault[], hasRoutes: boolean): number {
  const strongest = faults.reduce((most, { due }) => Math.max(most, due), DUE.nothing as number);
  return strongest === DUE.withdraw && !hasRoutes ? DUE.reset : strongest;
}

/** Up to `most` faults, of different parts of the message. */
export function putFaults(
  draft: UpdateDraft,
  most: number,
  { dice, context }: { readonly dice: Dice; readonly context: JudgeContext },
): UpdateFault[] {
  const chosen: UpdateFault[] = [];
  for (let left = most; left > 0; left--) {
    const fault = dice.pick(UPDATE_FAULTS);
    if (chosen.some(({ target }) => target === fault.target || target >= OTHER_TARGET)) continue;
    if (fault.fits && !fault.fits(draft, context)) continue;
    fault.apply(draft, dice, context);
    chosen.push(fault);
  }
  return chosen;
}
