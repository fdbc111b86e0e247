/**
 * The scalars of a configuration file: each schema takes what YAML gives and yields a domain value. A message that
 * starts with `expected` is completed with what was found there; any other message stands as it is.
 */
import { z } from 'zod';
import { type Address, formatAddress, isLinkLocal, isUnspecified, parseAddress } from '../../core/net/address.js';
import { AS_TRANS, type AsNumber, type AsRule, parseAsNumber, parseAsRule } from '../../core/net/as-number.js';
import { formatPrefix, masked, type Prefix, parsePrefix } from '../../core/net/prefix.js';
import type { Colour } from '../../core/speaker/config.js';
import { COLOUR_NAMES, colourOfName } from './colour-names.js';

const MAX_U32 = 0xffffffff;

export const nodeName = z
  .string('expected a name such as leaf1')
  .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/, 'expected letters, digits, dots, dashes (at most 63)')
  .describe('Name of this router; shown everywhere, and part of the default socket path.');

const ASDOT = /^\d{1,5}\.\d{1,5}$/;
const AS_EXPECTED = 'expected an AS number, 1 to 4294967294';

function reservedAs(as: AsNumber): string | undefined {
  if (as === 0) return 'AS 0 is reserved (RFC 7607)';
  if (as === AS_TRANS) return `AS ${AS_TRANS} is AS_TRANS (RFC 6793), no router's own`;
  if (as === 65535 || as === MAX_U32) return `AS ${as} is reserved (RFC 7300)`;
  return undefined;
}

/** asdot is a text by the time it is here: yaml-source.ts. */
export const asNumber = z
  .union(
    [z.int(AS_EXPECTED).min(0, AS_EXPECTED).max(MAX_U32, AS_EXPECTED), z.string(AS_EXPECTED).regex(ASDOT, AS_EXPECTED)],
    AS_EXPECTED,
  )
  .transform((given, context): AsNumber => {
    const as = typeof given === 'number' ? given : parseAsNumber(given);
    const problem = as === undefined ? AS_EXPECTED : reservedAs(as);
    if (as !== undefined && problem === undefined) return as;
    context.addIssue({ code: 'custom', message: problem ?? AS_EXPECTED });
    return z.NEVER;
  });

export const RULE_EXPECTED = 'expected external, an AS number, or a range such as 65001-65010';

export const asRule = z.union([z.int(RULE_EXPECTED), z.string()], RULE_EXPECTED).transform((given, context): AsRule => {
  const rule = parseAsRule(String(given));
  if (rule !== undefined) return rule;
  context.addIssue({ code: 'custom', message: RULE_EXPECTED });
  return z.NEVER;
});

/** One rule, or a list of them. */
export const asRules = z.union(
  [asRule.transform((rule) => [rule]), z.array(asRule).min(1, 'expected at least one AS rule')],
  RULE_EXPECTED,
);

const COLOUR_EXPECTED = `expected a colour: 0 to 4294967295, or one of ${COLOUR_NAMES.join(', ')}`;

export const colour = z
  .union(
    [z.int(COLOUR_EXPECTED).min(0, COLOUR_EXPECTED).max(MAX_U32, COLOUR_EXPECTED), z.enum(COLOUR_NAMES)],
    COLOUR_EXPECTED,
  )
  .transform((given): Colour => (typeof given === 'number' ? given : (colourOfName(given) ?? 0)))
  .describe('RFC 9012 colour value; green, blue, red, orange are 1 to 4.');

const ROUTER_ID_EXPECTED = 'expected a router id such as 10.1.0.1, not 0.0.0.0';

/** RFC 6286: any 32-bit value but 0. */
export const routerId = z.string(ROUTER_ID_EXPECTED).transform((text, context): number => {
  const address = parseAddress(text);
  const value = address?.length === 4 ? new DataView(address.buffer).getUint32(0) : 0;
  if (value === 0) context.addIssue({ code: 'custom', message: ROUTER_ID_EXPECTED });
  return value;
});

const PREFIX_EXPECTED = 'expected a prefix such as fc00:1:1:1::/64 or 192.0.2.0/24';

export const prefix = z
  .string(PREFIX_EXPECTED)
  .transform((text, context): Prefix => {
    const parsed = parsePrefix(text);
    const problem = parsed === undefined ? PREFIX_EXPECTED : prefixProblem(text, parsed);
    if (parsed !== undefined && problem === undefined) return parsed;
    context.addIssue({ code: 'custom', message: problem ?? PREFIX_EXPECTED });
    return z.NEVER;
  })
  .describe('ADDRESS/LENGTH, IPv6 or IPv4, host bits zero.');

function prefixProblem(text: string, parsed: Prefix): string | undefined {
  const written = parseAddress(text.slice(0, text.indexOf('/')));
  if (written !== undefined && !isSame(written, masked(written, parsed.length))) {
    return `host bits are set in ${text}: the prefix is ${formatPrefix(parsed)}`;
  }
  const kind = specialKind(parsed.address, parsed.length);
  return kind && `${formatPrefix(parsed)} is a ${kind} prefix and cannot be advertised`;
}

function isSame(a: Address, b: Address): boolean {
  return formatAddress(a) === formatAddress(b);
}

function specialKind(address: Address, length: number): string | undefined {
  if (length === 0) return undefined;
  if (isLinkLocal(address) || (address.length === 4 && address[0] === 169 && address[1] === 254)) return 'link-local';
  if (address.length === 16 ? address[0] === 0xff : address[0]! >> 4 === 0xe) return 'multicast';
  if (address.length === 4 ? address[0] === 127 : formatAddress(address) === '::1') return 'loopback';
  return isUnspecified(address) ? 'unspecified-address' : undefined;
}

const ADDRESS_EXPECTED = 'expected an address such as fc00:1:1:1::1';

export const address = z.string(ADDRESS_EXPECTED).transform((text, context): Address => {
  const parsed = parseAddress(text);
  if (parsed !== undefined) return parsed;
  context.addIssue({ code: 'custom', message: ADDRESS_EXPECTED });
  return z.NEVER;
});

const familyNames = { ipv6: 'ipv6-unicast', ipv4: 'ipv4-unicast' } as const;

export const families = z
  .array(
    z.enum(['ipv6', 'ipv4'], 'expected ipv6 or ipv4').transform((name) => familyNames[name]),
    'expected a list of ipv6, ipv4',
  )
  .min(1, 'expected at least one of ipv6, ipv4')
  .transform((names) => [...new Set(names)]);

/** TCP_MD5SIG_MAXKEYLEN. */
export const password = z
  .string('expected a text')
  .min(1, 'a password is not empty')
  .refine((text) => new TextEncoder().encode(text).length <= 80, 'a password has at most 80 octets');

/** What Linux takes as an interface name (dev_valid_name), 15 octets at most. */
export const interfaceName = z
  .string()
  .regex(/^(?!\.{1,2}$)[^\s/:]+$/, 'an interface name has no space, slash or colon')
  .refine((name) => new TextEncoder().encode(name).length <= 15, 'an interface name has at most 15 characters');

export const socketPath = z
  .string('expected an absolute path')
  .regex(/^\//, 'expected an absolute path')
  .max(107, 'a unix socket path has at most 107 characters');

/** Seconds; fractions are fine. */
export function seconds(least: number, most: number): z.ZodNumber {
  const message = `expected seconds, ${least} to ${most}`;
  return z.number(message).min(least, message).max(most, message);
}

export function wholeNumber(least: number, most: number, unit = 'a whole number'): z.ZodInt {
  const message = `expected ${unit}, ${least} to ${most}`;
  return z.int(message).min(least, message).max(most, message);
}

/** RFC 4271 section 4.2. */
export const holdTime = wholeNumber(0, 65535, 'seconds').refine(
  (hold) => hold === 0 || hold >= 3,
  'hold time is 0 (off) or at least 3 seconds (RFC 4271 section 4.2)',
);

/** Until a neighbour that was away is preferred again. */
export const holdDown = wholeNumber(0, 3600, 'seconds');

export const connectRetry = wholeNumber(1, 65535, 'seconds');

export const groupName = z
  .string()
  .regex(/^[A-Za-z][A-Za-z0-9._-]*$/, 'a name starts with a letter; letters, digits, dots, dashes follow');

export function flag(): z.ZodBoolean {
  return z.boolean('expected true or false');
}
