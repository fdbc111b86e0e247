/**
 * When a router advertises on one interface, and to whom it answers (RFC 4861 sections 6.2.4 and 6.2.6). Shared by fabric and host
 * interfaces.
 *
 *   due at once -> `initialAdvertisements` more, `initialInterval` apart -> steady: 0.75 to 1 of `advertiseInterval`
 *   solicited   -> at once while the allowance lasts, else the next multicast RA comes early
 *
 * Two rules are left on purpose: the 3 s between multicast RAs and the random delay of an answer protect links
 * with many routers and hosts; here they would only cost the time until a fabric is up.
 */
import type { Random } from '../ports/random.js';

export interface AdvertisingTiming {
  /** Milliseconds between steady unsolicited RAs (RFC 4861 MaxRtrAdvInterval; the draw is 0.75 to 1 of it). */
  readonly advertiseInterval: number;
  /** Quick RAs after the one at link-up, and the milliseconds between them. */
  readonly initialAdvertisements: number;
  readonly initialInterval: number;
}

export interface Advertising {
  /** When the next unsolicited RA is due, in clock milliseconds. */
  readonly nextAt: number;
  readonly quickLeft: number;
  /** RAs that may be sent in answer; fills up with time. Below 0 when unsolicited ones used more. */
  readonly allowance: number;
  readonly allowanceAt: number;
}

/** Together no more than ten RAs in any second, however many nodes solicit. */
const MAX_ALLOWANCE = 5;
const ALLOWANCE_PER_MS = 5 / 1000;
const EARLY_DELAY = 1 / ALLOWANCE_PER_MS;

/** Starts over with an RA that is due now, as after link-up or when what is advertised changed. */
export function startAdvertising(now: number, timing: AdvertisingTiming, before?: Advertising): Advertising {
  const { allowance, allowanceAt } = before ?? { allowance: MAX_ALLOWANCE, allowanceAt: now };
  return { nextAt: now, quickLeft: timing.initialAdvertisements, allowance, allowanceAt };
}

/** The due RA was sent. */
export function afterAdvertisement(
  advertising: Advertising,
  timing: AdvertisingTiming,
  at: { readonly now: number; readonly random: Random },
): Advertising {
  const { now, random } = at;
  const quick = advertising.quickLeft > 0;
  const wait = quick ? timing.initialInterval : timing.advertiseInterval * (0.75 + 0.25 * random.next());
  const quickLeft = quick ? advertising.quickLeft - 1 : 0;
  return { nextAt: now + wait, quickLeft, allowance: refilled(advertising, now) - 1, allowanceAt: now };
}

/** Asks for one RA in answer to somebody. When it is not allowed, the next multicast RA is early and answers all. */
export function takeAnswer(advertising: Advertising, now: number): { allowed: boolean; advertising: Advertising } {
  const allowance = refilled(advertising, now);
  if (allowance >= 1) {
    return { allowed: true, advertising: { ...advertising, allowance: allowance - 1, allowanceAt: now } };
  }
  const nextAt = Math.min(advertising.nextAt, now + EARLY_DELAY);
  return { allowed: false, advertising: { ...advertising, nextAt, allowance, allowanceAt: now } };
}

function refilled({ allowance, allowanceAt }: Advertising, now: number): number {
  return Math.min(MAX_ALLOWANCE, allowance + (now - allowanceAt) * ALLOWANCE_PER_MS);
}
