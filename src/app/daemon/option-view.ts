/** The session options of a neighbour (core/policy/session-options.ts) in the words of the configuration: those that are not the default. */
import type {
  CommunityKind,
  NextHopChoice,
  PrivateAsRemoval,
  SessionOptions,
} from '../../core/policy/session-options.js';
import type { SessionConfig } from '../../core/speaker/config.js';

export function optionViews({ options = {}, defaultOriginate }: SessionConfig): string[] {
  const { allowAsIn, localAs, asOverride, removePrivateAs, nextHop, reflectorClient } = options;
  const { acceptCommunities, sendCommunities, enforceFirstAs } = options;
  return [
    ...(localAs ? [localAsText(localAs)] : []),
    ...(allowAsIn ? [`allow-as-in ${allowAsIn}`] : []),
    ...(enforceFirstAs === false ? ['enforce-first-as false'] : []),
    ...(asOverride ? ['as-override'] : []),
    ...(removePrivateAs ? [REMOVALS[removePrivateAs]] : []),
    ...(acceptCommunities ? [`accept-communities ${kinds(acceptCommunities)}`] : []),
    ...(sendCommunities ? [`send-communities ${kinds(sendCommunities)}`] : []),
    ...(nextHop ? [NEXT_HOPS[nextHop]] : []),
    ...(reflectorClient ? ['route-reflector-client'] : []),
    ...(defaultOriginate ? [originateText(defaultOriginate)] : []),
  ];
}

function localAsText({ asn, prependReceived, replaceAs }: NonNullable<SessionOptions['localAs']>): string {
  return ['local-as', asn, ...(prependReceived ? [] : ['no-prepend']), ...(replaceAs ? ['replace-as'] : [])].join(' ');
}

const REMOVALS: Readonly<Record<PrivateAsRemoval, string>> = {
  'private-paths': 'remove-private-as',
  all: 'remove-private-as all',
  replace: 'remove-private-as replace',
};

const NEXT_HOPS: Readonly<Record<NextHopChoice, string>> = {
  self: 'next-hop-self',
  'self-always': 'next-hop-self force',
  unchanged: 'next-hop-unchanged',
};

function kinds(given: readonly CommunityKind[]): string {
  return given.length === 0 ? 'none' : given.join(' ');
}

function originateText({ policy }: NonNullable<SessionConfig['defaultOriginate']>): string {
  return ['default-originate', ...(policy ?? []).map(({ name }) => name)].join(' ');
}
