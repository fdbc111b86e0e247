/**
 * Keys that say how sessions with a neighbour are: the same for a fabric interface and for a neighbour given by its address.
 * BFD, graceful restart and policies stay as given here, for what holds everywhere is not known yet.
 */
import { z } from 'zod';
import type { SessionConfig } from '../../core/speaker/config.js';
import type { PrefixLimit } from '../../core/speaker/prefix-limit.js';
import { SWITCHABLE_CAPABILITIES, type SwitchableCapability } from '../../core/speaker/switchable-capabilities.js';
import { addPath } from './add-path-settings.js';
import { authenticationKey } from './authentication-settings.js';
import { type BfdSettings, bfdSettings } from './bfd-settings.js';
import * as value from './file-values.js';
import { policyNames } from './policy-schema.js';
import { type InterfaceRestart, interfaceRestart } from './restart-settings.js';
import { type GivenOptions, sessionOptionKeys, sessionOptions } from './session-option-settings.js';
import { spelled } from './spelling.js';

export const coloured = { colour: value.colour.optional(), color: value.colour.optional().describe('As colour.') };

const BANDWIDTH_EXPECTED = 'expected auto, or octets a second above zero';

/** RFC 10005 section 2: an IEEE 754 single. */
export const bandwidth = z.union(
  [z.literal('auto'), z.number().positive(BANDWIDTH_EXPECTED).max(3.4e38, BANDWIDTH_EXPECTED)],
  BANDWIDTH_EXPECTED,
);

const CAPABILITY_TITLES: Readonly<Record<SwitchableCapability, string>> = {
  'four-octet-as': 'AS numbers of four octets (RFC 6793)',
  'route-refresh': 'route refresh (RFC 2918)',
  'enhanced-route-refresh': 'enhanced route refresh (RFC 7313)',
  'extended-message': 'messages of more than 4096 octets (RFC 8654)',
  'extended-next-hop': 'IPv4 routes with an IPv6 next hop (RFC 8950)',
  'link-local-next-hop': 'a link-local next hop alone (capability 77)',
  'add-path': 'several paths of a prefix (RFC 7911), where add-path asks for them',
  fqdn: 'our name (capability 73)',
};

/** All are offered unless they are switched off. */
const capabilities = z
  .strictObject(
    Object.fromEntries(
      SWITCHABLE_CAPABILITIES.map((name) => [
        name,
        value.flag().optional().describe(`Offer ${CAPABILITY_TITLES[name]}. Default: true.`),
      ]),
    ),
  )
  .transform((given) => SWITCHABLE_CAPABILITIES.filter((name) => given[name] === false));

const prefixLimit = z
  .strictObject({
    limit: value.wholeNumber(1, 0xffffffff, 'a number of prefixes').describe('Prefixes a neighbour may announce.'),
    warn: value.wholeNumber(1, 100, 'per cent').optional().describe('Per cent of it to warn at. Default: 80.'),
    action: z
      .enum(['warn', 'restart', 'shutdown'], 'expected warn, restart or shutdown')
      .optional()
      .describe('Beyond it: a warning, a session that starts again, or none until it is enabled. Default: restart.'),
    'restart-after': value
      .wholeNumber(1, 86_400, 'seconds')
      .optional()
      .describe('Seconds until it starts again. Default: 60.'),
  })
  .superRefine((given, context) => {
    if (given['restart-after'] === undefined || (given.action ?? 'restart') === 'restart') return;
    const message = `restart-after goes with action restart, not with ${given.action}`;
    context.addIssue({ code: 'custom', path: ['restart-after'], message });
  })
  .transform(
    (given): PrefixLimit => ({
      limit: given.limit,
      warn: given.warn ?? 80,
      action: given.action ?? 'restart',
      restartAfter: given['restart-after'] ?? 60,
    }),
  );

const prefixLimits = z
  .strictObject({
    ipv6: prefixLimit.optional().describe('Of IPv6 unicast. Default: no limit.'),
    ipv4: prefixLimit.optional().describe('Of IPv4 unicast. Default: no limit.'),
  })
  .transform(({ ipv6, ipv4 }) => ({ ...(ipv6 && { 'ipv6-unicast': ipv6 }), ...(ipv4 && { 'ipv4-unicast': ipv4 }) }));

/** With what holds unless something else is said for all sessions. */
export type GivenSession = Omit<
  SessionConfig,
  'acceptRemoteAs' | 'bfd' | 'restartHelper' | 'importPolicy' | 'exportPolicy' | keyof GivenOptions
> &
  GivenOptions & {
    readonly bfd?: BfdSettings;
    readonly restart?: InterfaceRestart;
    /** Names of policies. */
    readonly import?: readonly string[];
    readonly export?: readonly string[];
  };

export const sessionKeys = {
  ...coloured,
  'send-colour': value.flag().optional().describe('False leaves colour communities out here. Default: true.'),
  'send-color': value.flag().optional().describe('As send-colour.'),
  'link-bandwidth': bandwidth.optional().describe('As link-bandwidth.advertise, for this interface. Default: that.'),
  aigp: value
    .flag()
    .optional()
    .describe('Send and use AIGP here (RFC 7311). Default: true on fabric interfaces and to internal neighbors.'),
  'add-path': addPath
    .optional()
    .describe(
      'Several paths of a prefix (RFC 7911), for all families and for one. Default: none, in either direction.',
    ),
  capabilities: capabilities.optional().describe('Capabilities not to offer here: NAME: false.'),
  import: policyNames.optional().describe('Policies for what comes in here, in order. Default: as for all interfaces.'),
  export: policyNames.optional().describe('Policies for what goes out here, in order. Default: as for all interfaces.'),
  bfd: bfdSettings
    .optional()
    .describe('BFD here; what is not said of it is as for all interfaces. Default: as for all interfaces.'),
  'graceful-restart': interfaceRestart.optional().describe('Graceful restart here. Default: as for all interfaces.'),
  'hold-down': value.holdDown
    .optional()
    .describe('Seconds, as hold-down of the router. Default: as for all interfaces.'),
  password: value.password.optional().describe('TCP MD5 (RFC 2385); the neighbour has the same. Default: none.'),
  'tcp-ao': authenticationKey.optional().describe('TCP-AO (RFC 5925) in place of a password. Default: none.'),
  gtsm: z
    .enum(['auto', 'require', 'off'], 'expected auto, require or off')
    .optional()
    .describe(
      'Packets with a hop limit below 255 are dropped (RFC 5082): auto, once the neighbour is seen to send 255; require, from ' +
        'every neighbour; off, never. 255 is sent in any case. Default: auto.',
    ),
  'max-prefixes': prefixLimits.optional().describe('Prefixes a neighbour may announce, by family. Default: no limit.'),
  ...sessionOptionKeys,
};

/** The keys as they stand in the file, nothing defaulted. */
export type SessionKeys = { readonly [key in keyof typeof sessionKeys]?: z.output<(typeof sessionKeys)[key]> };

export function sessionSettings(given: SessionKeys, context: Pick<z.RefinementCtx, 'addIssue'>): GivenSession {
  const colour = spelled(given.colour, given.color, 'colour', context);
  if (given.password !== undefined && given['tcp-ao']) {
    const message = 'password (TCP MD5) and tcp-ao exclude each other on a session (RFC 5925): keep one';
    context.addIssue({ code: 'custom', path: ['tcp-ao'], message });
  }
  return {
    ...(colour !== undefined && { colour }),
    sendColour: spelled(given['send-colour'], given['send-color'], 'send-colour', context) ?? true,
    ...(given['link-bandwidth'] !== undefined && { linkBandwidth: given['link-bandwidth'] }),
    aigp: given.aigp ?? true,
    ...(given['add-path'] && { addPath: given['add-path'] }),
    ...(given.capabilities && { capabilitiesOff: given.capabilities }),
    ...(given.import && { import: given.import }),
    ...(given.export && { export: given.export }),
    ...(given.bfd !== undefined && { bfd: given.bfd }),
    ...(given['graceful-restart'] && { restart: given['graceful-restart'] }),
    ...(given['hold-down'] !== undefined && { holdDown: given['hold-down'] }),
    ...(given.password !== undefined && { password: given.password }),
    ...(given['tcp-ao'] && { authenticationKey: given['tcp-ao'] }),
    ...(given.gtsm && { gtsm: given.gtsm }),
    ...(given['max-prefixes'] && { prefixLimits: given['max-prefixes'] }),
    ...sessionOptions(given, context),
  };
}
