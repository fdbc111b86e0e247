/** How long hosts may keep and prefer the addresses of a prefix: keys of a host prefix, and what is wrong with them. */
import { z } from 'zod';
import { PREFERRED_LIFETIME, type PrefixLifetimes, VALID_LIFETIME } from '../../core/discovery/prefix-lifetimes.js';
import { formatPrefix, type Prefix } from '../../core/net/prefix.js';
import { INFINITE_LIFETIME } from '../../core/wire/icmpv6/nd-message.js';

function lifetime(least: number) {
  const expected = `expected infinite, or seconds, ${least} to ${INFINITE_LIFETIME - 1}`;
  return z
    .union(
      [
        z.literal('infinite'),
        z
          .int(expected)
          .min(least, expected)
          .max(INFINITE_LIFETIME - 1, expected),
      ],
      expected,
    )
    .transform((given) => (given === 'infinite' ? INFINITE_LIFETIME : given));
}

export const lifetimeKeys = {
  'valid-lifetime': lifetime(1)
    .optional()
    .describe(
      'Seconds that hosts may use their address in the prefix after an advertisement, or infinite. Default: 30 days.',
    ),
  'preferred-lifetime': lifetime(0)
    .optional()
    .describe('The same for new connections; 0 deprecates the address. Default: 7 days, and not more than valid.'),
};

interface GivenLifetimes {
  readonly prefix: Prefix;
  readonly 'valid-lifetime'?: number | undefined;
  readonly 'preferred-lifetime'?: number | undefined;
}

/** Nothing where nothing is given. */
export function lifetimesOf(given: GivenLifetimes, context: z.core.$RefinementCtx): { lifetimes?: PrefixLifetimes } {
  const { 'valid-lifetime': validGiven, 'preferred-lifetime': preferredGiven } = given;
  if (validGiven === undefined && preferredGiven === undefined) return {};
  const valid = validGiven ?? VALID_LIFETIME;
  const preferred = preferredGiven ?? Math.min(PREFERRED_LIFETIME, valid);
  const key = preferredGiven === undefined ? 'valid-lifetime' : 'preferred-lifetime';
  const problem = (message: string) => context.addIssue({ code: 'custom', path: [key], message });
  if (given.prefix.address.length === 4)
    problem(`${formatPrefix(given.prefix)} is IPv4: hosts are not told of it, and no lifetime reaches them`);
  else if (preferred > valid)
    problem(
      `preferred for ${preferred} s and valid for ${valid} s: hosts ignore such a prefix (RFC 4862 section 5.5.3)`,
    );
  return { lifetimes: { valid, preferred } };
}
