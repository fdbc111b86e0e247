/**
 * What is played in a rehearsal, scene by scene: what a router goes through, over small tables. IPv6 alone: IPv4 takes the same ways through
 * the tables, and gains most of it too.
 */
import { colourCommunity } from '../../core/wire/bgp/colour.js';
import { encodeNextHop } from '../../core/wire/bgp/next-hop.js';
import { concat } from '../../core/wire/bgp/octets.js';
import type { PathAttributes } from '../../core/wire/bgp/path-attributes.js';
import { encodeAttributes, UpdateBuilder } from '../../core/wire/bgp/update-encoder.js';
import type { Actor } from './actor.js';
import type { Stage } from './stage.js';

export type Scene = (stage: Stage) => void;

export interface Act {
  readonly scenes: readonly Scene[];
  /** Its code has run before. */
  readonly isWarm: boolean;
}

interface Round {
  readonly prefixes: number;
  /** In one UPDATE. */
  readonly together: number;
  /** An UPDATE at a time, each followed to the kernel and to the neighbours before the next one comes. */
  readonly slowly?: boolean;
  /** Octets that the router reads at a time; absent: few. */
  readonly read?: number;
}

interface ActPlan {
  readonly rounds: readonly Round[];
  readonly isWarm: boolean;
}

/** Small at first: what is interpreted still must not hold up real work. The last one is as long as it takes to optimise what full tables need. */
const ACTS: readonly ActPlan[] = [
  {
    isWarm: false,
    rounds: [
      { prefixes: 32, together: 8 },
      { prefixes: 128, together: 100 },
      { prefixes: 256, together: 4 },
      { prefixes: 512, together: 100 },
    ],
  },
  { isWarm: true, rounds: [{ prefixes: 128, together: 1, slowly: true }] },
  { isWarm: true, rounds: [{ prefixes: 2_400, together: 25, read: 16_384 }] },
];
/** Sets of attributes that a table goes round: so many that tables of them have to grow. */
const SETS = 24;
const COLOURS = 4;
const MOST_OCTETS = 4_096;

export function script(): readonly Act[] {
  const first = (act: number) => ACTS.slice(0, act).reduce((sum, { rounds }) => sum + rounds.length, 0);
  return ACTS.map(({ rounds, isWarm }, act) => ({
    isWarm,
    scenes: rounds.flatMap((table, place) => round(table, 2 * (first(act) + place))),
  }));
}

/** Routes come, come again from others, change, and go in each of the ways there are. */
function round(table: Round, edition: number): readonly Scene[] {
  const [first, second, third] = [0, 1, 2];
  const enter = (place: number) => (stage: Stage) => stage.enter(stage.actors[place]!);
  const leave = (place: number) => (stage: Stage) => stage.actors[place]!.leave();
  const unsay = (place: number) => (stage: Stage) => stage.actors[place]!.say(withdrawals(table), table.read);
  const tell = (place: number, version: number) => (stage: Stage) => {
    const actor = stage.actors[place]!;
    const messages = announcements(actor, table, version);
    if (table.slowly) actor.saySlowly(messages);
    else actor.say(messages, table.read);
  };
  return [
    ...[first, second, third].flatMap((place) => [enter(place), tell(place, edition)]),
    unsay(first),
    tell(first, edition + 1),
    leave(first),
    unsay(second),
    unsay(third),
    tell(third, edition),
    leave(second),
    leave(third),
  ];
}

/** Those of another `edition` have other attributes. */
function announcements({ part: { address, asn } }: Actor, { prefixes, together }: Round, edition: number): Uint8Array {
  const nextHop = encodeNextHop({ global: address }, 'double')!;
  const sets: Uint8Array[] = [];
  const encoded = (set: number) =>
    (sets[set] ??= encodeAttributes(attributesOf(asn, edition * SETS + set), { fourOctetAs: true }));
  return updates((builder) => {
    for (let n = 0; n < prefixes; n++) {
      if (n % together === 0) builder.announce(encoded((n / together) % SETS), nextHop);
      addPrefix(builder, n);
    }
  });
}

function withdrawals({ prefixes }: Round): Uint8Array {
  return updates((builder) => {
    builder.withdraw();
    for (let n = 0; n < prefixes; n++) addPrefix(builder, n);
  });
}

function updates(write: (builder: UpdateBuilder) => void): Uint8Array {
  const messages: Uint8Array[] = [];
  const options = { family: 'ipv6-unicast', addPath: false, maximum: MOST_OCTETS } as const;
  const builder = new UpdateBuilder(options, (message) => messages.push(message));
  write(builder);
  builder.flush();
  return concat(messages);
}

/** fd01:0:0:N::/64. */
function addPrefix(builder: UpdateBuilder, n: number): void {
  builder.add(Uint8Array.of(0xfd, 1, 0, 0, 0, 0, n >> 8, n), 0, 64);
}

/** What routes have beside an origin and a path: code that has seen one kind alone is thrown away when another comes. */
const KINDS: readonly ((number: number) => Partial<PathAttributes>)[] = [
  () => ({}),
  (number) => ({ communities: [community(number)] }),
  (number) => ({ extendedCommunities: [colourCommunity(1 + (number % COLOURS))] }),
  (number) => ({ communities: [community(number)], extendedCommunities: [colourCommunity(1 + (number % COLOURS))] }),
  (number) => ({ med: number, communities: [community(number)] }),
  (number) => ({ communities: [community(number)], largeCommunities: [[number, 0, 1]] }),
];

/** 65000:NUMBER, which needs all of its 32 bits. */
function community(number: number): number {
  return ((65_000 << 16) | number) >>> 0;
}

function attributesOf(asn: number, number: number): PathAttributes {
  const others = KINDS[number % KINDS.length]!(number);
  return { origin: 0, asPath: [{ kind: 'sequence', asns: [asn, 66_000 + number] }], ...others };
}
