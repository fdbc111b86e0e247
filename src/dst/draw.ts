/** A scenario from a seed: which fabric, and which faults, where, when and for how long. */

import { hostName, portName } from '../app/lab/plan.js';
import { Dice } from '../fuzz/dice.js';
import { UPDATE_ERRORS } from './bad-update.js';
import type { ConfigChange, Fault, LinkEnds, What } from './fault.js';
import { placeOf } from './fault.js';
import { SUPERSPINES_PER_PLANE, superspineName } from './five-stage-plan.js';
import type { FabricSpec, Scenario } from './scenario.js';

export interface DrawOptions {
  readonly spines: number;
  readonly leaves: number;
  readonly faults: number;
  /** Drawn beside what always is, so that a seed without them stays what it was. */
  readonly also?: readonly Extra[];
  /** Of every fabric. */
  readonly dimensions?: readonly Dimension[];
}

export const EXTRAS = ['bad-update'] as const;
export type Extra = (typeof EXTRAS)[number];

/** What a fabric is not by itself, so that seeds stay what they were. */
const OF_DIMENSION = {
  links: { links: 2 },
  hosts: { hosts: 2 },
  ipv4: { ipv4: true },
  stages: { pods: 2 },
} as const satisfies Readonly<Record<string, Partial<FabricSpec>>>;

export type Dimension = keyof typeof OF_DIMENSION;
export const DIMENSIONS = Object.keys(OF_DIMENSION) as readonly Dimension[];

/** Faults of one episode. */
const EPISODE = 10;
/** Milliseconds in which those begin. */
const EPISODE_TIME = 15_000;
const LONGEST = 12_000;
/** Share of faults that last over the judgement, among those that may. */
const HELD = 0.15;

export function drawScenario(seed: number, options: DrawOptions): Scenario {
  const { spines, leaves, faults, also = [], dimensions = [] } = options;
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
    ...Object.assign({}, ...dimensions.map((one) => OF_DIMENSION[one])),
  };
  const count = Math.ceil(faults / EPISODE);
  const episodes = Array.from({ length: count }, (_, index) =>
    episodeOf(dice, { fabric, also }, Math.min(EPISODE, faults - index * EPISODE)),
  );
  return { seed, fabric, episodes };
}

interface Frame {
  readonly fabric: FabricSpec;
  readonly also: readonly Extra[];
}

function episodeOf(dice: Dice, frame: Frame, count: number): Fault[] {
  const faults: Fault[] = [];
  for (let tries = 0; faults.length < count && tries < 50 * count; tries++) {
    const fault = faultOf(dice, frame);
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

function faultOf(dice: Dice, frame: Frame): Fault {
  const what = whatOf(dice, frame);
  const at = dice.below(EPISODE_TIME);
  const held =
    ['carrier', 'silent', 'removed', 'crash', 'stop', 'reload', 'bad-update'].includes(what.kind) && hits(dice, HELD);
  // Short ones more often: what matters happens within milliseconds or around the hold time.
  const lasting = held ? 'judged' : 1 + Math.floor(LONGEST * dice.fraction() ** 3);
  return { ...what, at, lasting };
}

const CODES = ['EBUSY', 'ENOBUFS', 'ENOMEM'] as const;

function whatOf(dice: Dice, { fabric, also }: Frame): What {
  const uplink = linkOf(dice, fabric);
  const link = fabric.pods !== undefined && hits(dice, 0.3) ? linkAbove(dice, fabric, uplink) : uplink;
  const either = hits(dice, 0.5) ? link : { ...link, a: link.b, b: link.a };
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
    [fabric.hosts === undefined ? 0 : 6, () => atHost(dice, fabric, uplink.a)],
    [3, () => reloadOf(dice, fabric, uplink)],
    [2, () => ({ kind: 'refusals', router, code: dice.pick(CODES), every: 1 + dice.below(5) })],
    [
      also.includes('bad-update') ? 8 : 0,
      () => ({ kind: 'bad-update', ...either, error: dice.pick(UPDATE_ERRORS), seed: dice.below(1_000_000) }),
    ],
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

function linkOf(dice: Dice, { leaves, spines, links = 1, pods = 1 }: FabricSpec): LinkEnds {
  const [leaf, place] = [dice.below(pods * leaves), dice.below(spines)];
  const ends = { a: `leaf${1 + leaf}`, b: `spine${1 + Math.floor(leaf / leaves) * spines + place}` };
  return links === 1 ? ends : { ...ends, link: 1 + dice.below(links) };
}

/** From the spine of an uplink to one of its superspines. */
function linkAbove(dice: Dice, { spines }: FabricSpec, { b: spine }: LinkEnds): LinkEnds {
  const place = 1 + ((Number(spine.slice('spine'.length)) - 1) % spines);
  return { a: spine, b: superspineName(place, 1 + dice.below(SUPERSPINES_PER_PLANE)) };
}

function atHost(dice: Dice, { hosts = 1 }: FabricSpec, leaf: string): What {
  const link = { a: leaf, b: hostName(Number(leaf.slice('leaf'.length)), 1 + dice.below(hosts), hosts) };
  return dice.pick<What>([
    { kind: 'carrier', ...link },
    { kind: 'removed', ...link },
  ]);
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

function reloadOf(dice: Dice, fabric: FabricSpec, { a: leaf, b: spine, link = 1 }: LinkEnds): What {
  const { spines, leaves, links = 1 } = fabric;
  const number = leaf.slice('leaf'.length);
  // Of the same pod.
  const other = 1 + dice.below(leaves) + Math.floor((Number(number) - 1) / leaves) * leaves;
  const colour = 1 + dice.below(spines * links);
  const isIpv4 = fabric.ipv4 === true && hits(dice, 0.5);
  const prefixOf = (number: number | string) =>
    isIpv4 ? `10.${number}.1${colour}.0/24` : `fc00:${number}:1:${colour}::/64`;
  const more = isIpv4 ? `10.1${number}.${colour}.0/24` : `fc00:aa:${number}:${colour}::/64`;
  const prefix = prefixOf(other);
  const up = portName(spine, link, links);
  const changes: readonly (() => { readonly router: string; readonly change: ConfigChange })[] = [
    () => ({ router: leaf, change: { kind: 'advertise', prefix: more, colour } }),
    () => ({ router: leaf, change: { kind: 'colours', shift: 1 + dice.below(spines) } }),
    () => ({ router: leaf, change: { kind: 'reject', way: 'import', interface: up, prefix } }),
    () => {
      const down = portName(`leaf${other}`, link, links);
      return { router: spine, change: { kind: 'reject', way: 'import', interface: down, prefix } };
    },
    () => ({ router: leaf, change: { kind: 'reject', way: 'export', interface: up, prefix: prefixOf(number) } }),
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
