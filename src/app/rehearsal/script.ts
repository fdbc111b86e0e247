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

interface Round {
  readonly prefixes: number;
  /** In one UPDATE. */
  readonly together: number;
}

/** Small at first: what is interpreted still must not hold up real work. */
const ROUNDS: readonly Round[] = [
  { prefixes: 32, together: 8 },
  { prefixes: 128, together: 100 },
  { prefixes: 256, together: 4 },
  { prefixes: 512, together: 100 },
];
/** Sets of attributes that a table goes round. */
const SETS = 16;
const COLOURS = 4;
const MOST_OCTETS = 4_096;

export function script(): readonly Scene[] {
  return ROUNDS.flatMap(round);
}

/** Routes come, come again from others, change, and go in each of the ways there are. */
function round(table: Round, number: number): readonly Scene[] {
  const [first, second, third] = [0, 1, 2];
  const enter = (place: number) => (stage: Stage) => stage.enter(stage.actors[place]!);
  const leave = (place: number) => (stage: Stage) => stage.actors[place]!.leave();
  const unsay = (place: number) => (stage: Stage) => stage.actors[place]!.say(withdrawals(table));
  const tell = (place: number, edition: number) => (stage: Stage) => {
    const actor = stage.actors[place]!;
    actor.say(announcements(actor, table, edition));
  };
  return [
    ...[first, second, third].flatMap((place) => [enter(place), tell(place, number)]),
    unsay(first),
    tell(first, ROUNDS.length + number),
    leave(first),
    unsay(second),
    leave(second),
    leave(third),
  ];
}

/** Those of another `edition` have other attributes. */
function announcements({ part: { address, asn } }: Actor, { prefixes, together }: Round, edition: number): Uint8Array {
  const nextHop = encodeNextHop({ global: address }, 'double')!;
  const sets = Array.from({ length: SETS }, (_, set) =>
    encodeAttributes(attributesOf(asn, edition * SETS + set), { fourOctetAs: true }),
  );
  return updates((builder) => {
    for (let n = 0; n < prefixes; n++) {
      if (n % together === 0) builder.announce(sets[(n / together) % SETS]!, nextHop);
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

function attributesOf(asn: number, number: number): PathAttributes {
  return {
    origin: 0,
    asPath: [{ kind: 'sequence', asns: [asn, 66_000 + number] }],
    communities: [(asn << 16) | number],
    extendedCommunities: [colourCommunity(1 + (number % COLOURS))],
  };
}
