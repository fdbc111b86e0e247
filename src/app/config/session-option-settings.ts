/** Keys about what one neighbour is told and what is taken from it, beside policies (core/policy/session-options.ts). */
import { z } from 'zod';
import {
  COMMUNITY_KINDS,
  type LocalAs,
  type NextHopChoice,
  type SessionOptions,
} from '../../core/policy/session-options.js';
import * as value from './file-values.js';
import { policyNames } from './policy-schema.js';

const KINDS_EXPECTED = `expected all, none, or a list of ${COMMUNITY_KINDS.join(', ')}`;

const communityKinds = z
  .union([z.enum(['all', 'none']), z.array(z.enum(COMMUNITY_KINDS, KINDS_EXPECTED))], KINDS_EXPECTED)
  .transform((given) => (given === 'all' ? COMMUNITY_KINDS : given === 'none' ? [] : [...new Set(given)]));

const localAs = z
  .union(
    [
      value.asNumber.transform((as) => ({ as })),
      z.strictObject({
        as: value.asNumber.describe('The AS number.'),
        'no-prepend': value.flag().optional().describe('Not in front of what comes in. Default: false.'),
        'replace-as': value.flag().optional().describe('Instead of our own AS in what goes out. Default: false.'),
      }),
    ],
    'expected an AS number, or a mapping of as, no-prepend, replace-as',
  )
  .transform(
    (given: { as: number; 'no-prepend'?: boolean | undefined; 'replace-as'?: boolean | undefined }): LocalAs => ({
      asn: given.as,
      prependReceived: given['no-prepend'] !== true,
      replaceAs: given['replace-as'] === true,
    }),
  );

const defaultOriginate = z.union(
  [value.flag(), z.strictObject({ policy: policyNames.describe('Policies that the default route goes through.') })],
  'expected true, false, or a policy: NAME',
);

export const sessionOptionKeys = {
  'allow-as-in': value
    .wholeNumber(0, 10, 'times')
    .optional()
    .describe('Times our own AS may be in the AS_PATH of a route from here. Default: 0.'),
  'enforce-first-as': value
    .flag()
    .optional()
    .describe(
      "The AS_PATH of a route from an external neighbour begins with the neighbour's AS. A route server needs false. Default: true.",
    ),
  'as-override': value
    .flag()
    .optional()
    .describe("Our AS in place of the neighbour's in what it is told. Default: false."),
  'remove-private-as': z
    .union([value.flag(), z.enum(['all', 'replace'])], 'expected true, false, all or replace')
    .optional()
    .describe(
      'Private AS numbers (RFC 6996) in what an external neighbour is told: true takes them out of paths that have no others, ' +
        'all out of every path, replace puts our own in their place. Default: false.',
    ),
  'local-as': localAs
    .optional()
    .describe('Another AS number for us towards this neighbour (RFC 7705). Default: our own.'),
  'accept-communities': communityKinds.optional().describe('Communities that count when received. Default: all.'),
  'send-communities': communityKinds
    .optional()
    .describe('Communities that are sent; colours have send-colour. Default: all.'),
  'next-hop-self': z
    .union([value.flag(), z.literal('force')], 'expected true, false or force')
    .optional()
    .describe(
      'We are the next hop of what the neighbour is told; force: in reflected routes too. Default: true to external neighbours, ' +
        'false to internal ones.',
    ),
  'next-hop-unchanged': value
    .flag()
    .optional()
    .describe('Routes keep their next hop, to an external neighbour too. Default: false.'),
  'route-reflector-client': value
    .flag()
    .optional()
    .describe(
      'Reflect the routes of internal neighbours to this one, and its routes to them (RFC 4456). Default: false.',
    ),
  'default-originate': defaultOriginate
    .optional()
    .describe('Tell it a default route of each family, through a policy or as it is. Default: false.'),
};

type OptionKeys = { readonly [key in keyof typeof sessionOptionKeys]?: z.output<(typeof sessionOptionKeys)[key]> };

export interface GivenOptions {
  readonly options?: SessionOptions;
  /** Names of policies. */
  readonly defaultOriginate?: { readonly policy?: readonly string[] };
}

/** As parts of a session's settings: absent where nothing is said. */
export function sessionOptions(given: OptionKeys, context: Pick<z.RefinementCtx, 'addIssue'>): GivenOptions {
  const nextHop = nextHopChoice(given, context);
  const options: SessionOptions = {
    ...(given['allow-as-in'] && { allowAsIn: given['allow-as-in'] }),
    ...(given['enforce-first-as'] === false && { enforceFirstAs: false }),
    ...(given['accept-communities'] && { acceptCommunities: given['accept-communities'] }),
    ...(given['send-communities'] && { sendCommunities: given['send-communities'] }),
    ...(given['as-override'] && { asOverride: true }),
    ...removal(given['remove-private-as']),
    ...(given['local-as'] && { localAs: given['local-as'] }),
    ...(nextHop && { nextHop }),
    ...(given['route-reflector-client'] && { reflectorClient: true }),
  };
  const originate = given['default-originate'] || undefined;
  return {
    ...(Object.keys(options).length > 0 && { options }),
    ...(originate && { defaultOriginate: originate === true ? {} : originate }),
  };
}

function removal(given: OptionKeys['remove-private-as']): Pick<SessionOptions, 'removePrivateAs'> {
  if (!given) return {};
  return { removePrivateAs: given === true ? 'private-paths' : given };
}

function nextHopChoice(given: OptionKeys, context: Pick<z.RefinementCtx, 'addIssue'>): NextHopChoice | undefined {
  const self = given['next-hop-self'];
  if (!given['next-hop-unchanged']) return self ? (self === 'force' ? 'self-always' : 'self') : undefined;
  if (self) context.addIssue({ code: 'custom', path: ['next-hop-unchanged'], message: 'goes with no next-hop-self' });
  return 'unchanged';
}
