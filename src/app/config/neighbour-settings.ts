/**
 * Neighbours given by their addresses, and peer groups: keys that several of them share. What a neighbour says itself goes before
 * what its group says, key by key.
 */
import { z } from 'zod';
import { type Address, formatAddress, isLinkLocal, parseAddress } from '../../core/net/address.js';
import type { NeighbourConfig, SessionConfig } from '../../core/speaker/config.js';
import * as value from './file-values.js';
import { type GivenSession, type SessionKeys, sessionKeys, sessionSettings } from './session-settings.js';
import { spelled } from './spelling.js';

const ADDRESS_EXPECTED = 'a neighbor is given by its address, such as 2001:db8::1, 192.0.2.1 or fe80::1%eth0';

/** The text as in the file; `parseNeighbourName` reads it. */
const neighbourName = z.string().superRefine((text, context) => {
  const parsed = parseNeighbourName(text);
  const problem = parsed ? nameProblem(parsed) : ADDRESS_EXPECTED;
  if (problem !== undefined) context.addIssue({ code: 'custom', message: problem });
});

const neighbourKeys = {
  'remote-as': value.asRules
    .optional()
    .describe(
      'AS numbers it may have: 65001, 65001-65010, internal (our own), external, or a list of these. Needed here or in the peer group.',
    ),
  description: z.string('expected a text').max(255, 'at most 255 characters').optional().describe('For the operator.'),
  source: value.address
    .optional()
    .describe('Our address for the session. Default: ours on the subnet of the neighbor.'),
  interface: value.interfaceName.optional().describe('The only interface the neighbor may be on. Default: any.'),
  multihop: value
    .wholeNumber(1, 255, 'hops')
    .optional()
    .describe('Hops the neighbor may be away. Default: none, it is on a subnet of ours.'),
  passive: value.flag().optional().describe('Wait for the neighbor to connect. Default: false.'),
  port: value.wholeNumber(1, 65535, 'a TCP port').optional().describe('TCP port of the neighbor. Default: ours.'),
  families: value.families.optional().describe('Address families of the session. Default: those of the router.'),
  timers: z
    .strictObject({
      hold: value.holdTime.optional().describe('Hold time offered, seconds. Default: that of the router.'),
      'connect-retry': value.connectRetry
        .optional()
        .describe('Seconds between attempts to connect. Default: that of the router.'),
    })
    .optional()
    .describe('Of the session. Default: those of the router.'),
  shutdown: value.flag().optional().describe('No session until `heddle neighbor NAME enable`. Default: false.'),
  ...sessionKeys,
};

/** Both spellings of a key are one from here on, so that a group's value and a neighbour's meet. */
function british<T extends SessionKeys>(given: T, context: z.RefinementCtx) {
  const { color, 'send-color': sendColor, ...rest } = given;
  const colour = spelled(given.colour, color, 'colour', context);
  const sendColour = spelled(given['send-colour'], sendColor, 'send-colour', context);
  return {
    ...rest,
    ...(colour !== undefined && { colour }),
    ...(sendColour !== undefined && { 'send-colour': sendColour }),
  };
}

const peerGroup = z.strictObject(neighbourKeys).transform(british);

const neighbour = z
  .strictObject({
    'peer-group': z
      .string('expected the name of a peer group')
      .optional()
      .describe('Group whose settings hold where this neighbor says nothing else.'),
    ...neighbourKeys,
  })
  .transform(british);

export const peerGroups = z
  .record(value.groupName, peerGroup, 'expected groups by name, each with its settings')
  .describe('Settings that neighbors share.');

export const neighbours = z
  .record(neighbourName, neighbour, 'expected addresses, each with its settings')
  .describe('Neighbors by address: 2001:db8::1, 192.0.2.1 or fe80::1%eth0.');

export type GivenNeighbour = z.output<typeof neighbour>;
export type GivenGroup = z.output<typeof peerGroup>;

export interface NeighbourSections {
  readonly neighbors?: Readonly<Record<string, GivenNeighbour>> | undefined;
  readonly neighbours?: Readonly<Record<string, GivenNeighbour>> | undefined;
  readonly 'peer-groups'?: Readonly<Record<string, GivenGroup>> | undefined;
}

export interface NeighbourName {
  readonly address: Address;
  /** Behind `%`. */
  readonly zone?: string;
}

/** `undefined` when the text is no address. */
export function parseNeighbourName(text: string): NeighbourName | undefined {
  const [written = '', zone] = text.split('%', 2);
  const address = parseAddress(written);
  return address && { address, ...(zone !== undefined && { zone }) };
}

/** The one way to write it. */
export function formatNeighbourName({ address, zone }: NeighbourName): string {
  return zone === undefined ? formatAddress(address) : `${formatAddress(address)}%${zone}`;
}

function nameProblem({ address, zone }: NeighbourName): string | undefined {
  const text = formatAddress(address);
  if (isLinkLocal(address)) {
    if (zone === undefined) return `a link-local address needs its interface: ${text}%eth0`;
    return value.interfaceName.safeParse(zone).success ? undefined : `${zone} is no name of an interface`;
  }
  return zone === undefined ? undefined : `only a link-local address has an interface behind %: use interface: ${zone}`;
}

/** A neighbour of the file with what its group says. */
export interface WholeNeighbour {
  readonly section: 'neighbors' | 'neighbours';
  /** As in the file. */
  readonly key: string;
  readonly given: GivenNeighbour;
}

/** An unknown group is an empty one: neighbour-checks.ts has refused it. */
export function wholeNeighbours(file: NeighbourSections): WholeNeighbour[] {
  const groups = new Map(Object.entries(file['peer-groups'] ?? {}));
  return (['neighbors', 'neighbours'] as const).flatMap((section) =>
    Object.entries(file[section] ?? {}).map(([key, given]) => {
      const group = groups.get(given['peer-group'] ?? '');
      return { section, key, given: { ...group, ...given } };
    }),
  );
}

type Settled = Omit<NeighbourConfig, Exclude<keyof SessionConfig, 'acceptRemoteAs'>>;

/** What the file says of each; what it says for all sessions is still to come. */
export function neighbourSettings(file: NeighbourSections): (Settled & GivenSession)[] {
  return wholeNeighbours(file).map(({ key, given }) => {
    const { address, zone } = parseNeighbourName(key)!;
    const { description, source, multihop, passive, port, families, timers, shutdown, interface: link } = given;
    const group = given['peer-group'];
    const connectRetry = timers?.['connect-retry'];
    return {
      name: formatNeighbourName({ address, ...(zone !== undefined && { zone }) }),
      address,
      acceptRemoteAs: given['remote-as'] ?? [],
      ...sessionSettings(given, { addIssue: () => {} }),
      // RFC 7311 section 3.2: off towards other ASes unless that is asked for.
      aigp: given.aigp ?? 'internal',
      ...((zone ?? link) !== undefined && { interfaceName: zone ?? link! }),
      ...(description !== undefined && { description }),
      ...(group !== undefined && { group }),
      ...(source && { source }),
      ...(multihop !== undefined && { multihop }),
      // There is BFD on one link only (RFC 5881), and over IPv6.
      ...((multihop !== undefined || address.length === 4) && { bfd: false }),
      ...(passive && { passive }),
      ...(port !== undefined && { port }),
      ...(families && { families }),
      ...(timers && {
        timers: {
          ...(timers.hold !== undefined && { hold: timers.hold }),
          ...(connectRetry !== undefined && { connectRetry }),
        },
      }),
      ...(shutdown && { shutdown }),
    };
  });
}
