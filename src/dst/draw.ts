/** A scenario from a seed: which fabric, and which faults, where, when and for how long. */
import { Dice } from '../fuzz/dice.js';
import type { ConfigChange, Fault, What } from './fault.js';
import { placeOf } from './fault.js';
import type { FabricSpec, Scenario } from './scenario.js';

export interface DrawOptions {
  readonly spines: number;
  readonly leaves: number;
  readonly faults: number;
}

/** Faults of one episode. */
const EPISODE = 10;
/** Milliseconds in which those begin. */
const EPISODE_TIME = 15_000;
const LONGEST = 12_000;
/** Share of faults that last over the judgement, among those that may. */
const HELD = 0.15;

export function drawScenario(seed: number, { spines, leaves, faults }: DrawOptions): Scenario {
  const dice = new Dice(seed);
  const fabric: FabricSpec = {
    spines,
    leaves,
    mode: hits(dice, 0.3) ? 'session' : 'policy',
    bfd: hits(dice, 0.2),
    graceful: hits(dice, 0.4),
    balancing: hits(dice, 0.1),
    delay: dice.pick([0.01, 0.5, 5]),
    raise: hits(dice, 0.5) ? 0 : 5000,
  };
  const count = Math.ceil(faults / EPISODE);
  const episodes = Array.from({ length: count }, (_, index) =>
    episodeOf(dice, fabric, Math.min(EPISODE, faults - index * EPISODE)),
  );
  return { seed, fabric, episodes };
}

function episodeOf(dice: Dice, fabric: FabricSpec, count: number): Fault[] {
  const faults: Fault[] = [];
  for (let tries = 0; faults.length < count && tries < 50 * count; tries++) {
    const fault = faultOf(dice, fabric);
    if (!faults.some((other) => collide(fault, other))) faults.push(fault);
  }
  return faults.sort((one, other) => one.at - other.at);
}

function collide(one: Fault, other: Fault): boolean {
  const place = placeOf(one);
  if (place === undefined || place !== placeOf(other)) return false;
  const end = ({ at, lasting }: Fault) => (lasting === 'judged' ? Number.POSITIVE_INFINITY : at + lasting);
  return one.at <= end(other) + 1 && other.at <= end(one) + 1;
}

function faultOf(dice: Dice, fabric: FabricSpec): Fault {
  const what = whatOf(dice, fabric);
  const at = dice.below(EPISODE_TIME);
  const held = ['carrier', 'silent', 'removed', 'crash', 'stop', 'reload'].includes(what.kind) && hits(dice, HELD);
  // Short ones more often: what matters happens within milliseconds or around the hold time.
  const lasting = held ? 'judged' : 1 + Math.floor(LONGEST * dice.fraction() ** 3);
  return { ...what, at, lasting };
}

const CODES = ['EBUSY', 'ENOBUFS', 'ENOMEM'] as const;

function whatOf(dice: Dice, fabric: FabricSpec): What {
  const link = { a: `leaf${1 + dice.below(fabric.leaves)}`, b: `spine${1 + dice.below(fabric.spines)}` };
  const either = hits(dice, 0.5) ? link : { a: link.b, b: link.a };
  const router = hits(dice, fabric.spines / (fabric.spines + fabric.leaves)) ? link.b : link.a;
  const draws: readonly (readonly [weight: number, draw: () => What])[] = [
    [6, () => ({ kind: 'carrier', ...link })],
    [3, () => ({ kind: 'silent', ...either, ways: dice.pick(['both', 'out'] as const) })],
    [2, () => ({ kind: 'removed', ...link })],
    [2, () => ({ kind: 'address', ...either })],
    [3, () => ({ kind: 'impaired', ...either, rates: ratesOf(dice) })],
    [2, () => ({ kind: 'stuck', ...either })],
    [3, () => ({ kind: 'reset', ...link })],
    [2, () => ({ kind: 'half-open', ...either })],
    [2, () => ({ kind: 'malformed', ...either, octets: dice.pick(MALFORMED) })],
    [4, () => ({ kind: 'crash', router })],
    [3, () => ({ kind: 'stop', router, restart: hits(dice, 0.5) })],
    [
      1,
      () => ({ kind: 'identifier', router: link.a, of: dice.pick([link.b, `leaf${1 + dice.below(fabric.leaves)}`]) }),
    ],
    [2, () => ({ kind: 'suspended', router })],
    [1, () => ({ kind: 'clock', router, by: 1 + Math.floor(60_000 * dice.fraction() ** 2) })],
    [3, () => reloadOf(dice, fabric, link)],
    [2, () => ({ kind: 'refusals', router, code: dice.pick(CODES), every: 1 + dice.below(5) })],
    [1, () => ({ kind: 'overrun', router })],
    [
      3,
      () => ({
        kind: 'deleted',
        router,
        what: dice.pick(['route', 'group', 'next-hop'] as const),
        number: dice.below(1000),
      }),
    ],
  ];
  return weighed(dice, draws)();
}

function ratesOf(dice: Dice) {
  const share = () => (hits(dice, 0.5) ? Math.round(dice.fraction() ** 2 * 50) / 100 : 0);
  return {
    loss: share(),
    duplication: share(),
    reordering: share(),
    damage: share(),
    jitter: 1 + dice.below(500),
    ...(hits(dice, 0.3) && { rate: 200 + dice.below(20_000) }),
  };
}

function reloadOf(dice: Dice, { spines, leaves }: FabricSpec, { a: leaf, b: spine }: { a: string; b: string }): What {
  const other = 1 + dice.below(leaves);
  const colour = 1 + dice.below(spines);
  const prefix = `fc00:${other}:1:${colour}::/64`;
  const changes: readonly (() => { readonly router: string; readonly change: ConfigChange })[] = [
    () => ({ router: leaf, change: { kind: 'advertise', prefix: `fc00:aa:${leaf.slice(4)}:${colour}::/64`, colour } }),
    () => ({ router: leaf, change: { kind: 'colours', shift: 1 + dice.below(spines) } }),
    () => ({ router: leaf, change: { kind: 'reject', way: 'import', interface: `to-${spine}`, prefix } }),
    () => ({ router: spine, change: { kind: 'reject', way: 'import', interface: `to-leaf${other}`, prefix } }),
    () => {
      const own = `fc00:${leaf.slice(4)}:1:${colour}::/64`;
      return { router: leaf, change: { kind: 'reject', way: 'export', interface: `to-${spine}`, prefix: own } };
    },
  ];
  return { kind: 'reload', ...dice.pick(changes)() };
}

const MARKER = 'ff'.repeat(16);
/** In hexadecimal. Each ends the session that gets it, but a KEEPALIVE too many. */
const MALFORMED: readonly string[] = [
  // Not the marker; half of one; one octet that puts all others out of place.
  '00'.repeat(19),
  'ff'.repeat(10),
  '00',
  // Too short, too long, of no type, a KEEPALIVE with a body, an UPDATE whose attributes are longer than it is.
  `${MARKER}001202`,
  `${MARKER}ffff02`,
  `${MARKER}001309`,
  `${MARKER}00140400`,
  `${MARKER}00170200000001`,
  // An OPEN in the wrong state, and the KEEPALIVE.
  `${MARKER}001d0104fde8005a0a00000100`,
  `${MARKER}001304`,
];

const hits = (dice: Dice, share: number): boolean => dice.fraction() < share;

function weighed<Item>(dice: Dice, items: readonly (readonly [weight: number, item: Item])[]): Item {
  let left = dice.fraction() * items.reduce((sum, [weight]) => sum + weight, 0);
  for (const [weight, item] of items) {
    left -= weight;
    if (left < 0) return item;
  }
  return items.at(-1)![1];
}
