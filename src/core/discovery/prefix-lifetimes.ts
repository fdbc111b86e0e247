/** How long the hosts of a link may keep the addresses they form in a prefix, in the seconds of an RA (RFC 4861 section 6.2.1). */

export interface PrefixLifetimes {
  /** INFINITE_LIFETIME (wire/icmpv6/nd-message.ts) never ends. */
  readonly valid: number;
  /** At most `valid`; 0: new connections use another address (RFC 4862 section 5.5.4, deprecated). */
  readonly preferred: number;
}

/** Defaults of AdvValidLifetime and AdvPreferredLifetime. */
export const VALID_LIFETIME = 2592000;
export const PREFERRED_LIFETIME = 604800;
export const DEFAULT_LIFETIMES: PrefixLifetimes = { valid: VALID_LIFETIME, preferred: PREFERRED_LIFETIME };

/** What ends at once. Hosts keep the address for up to two hours all the same, deprecated (RFC 4862 section 5.5.3 e). */
export const ENDED: PrefixLifetimes = { valid: 0, preferred: 0 };

/** Seconds for which a host keeps an address whatever it is told: as long are withdrawn prefixes advertised as ended. */
export const TWO_HOURS = 7200;
