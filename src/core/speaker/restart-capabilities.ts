/** The capabilities that speak of restarts (RFC 4724 section 3, RFC 8538 section 2, RFC 9494 section 4.1). */
import { AFI, type Family, SAFI_UNICAST } from '../net/family.js';
import type { Capability } from '../wire/bgp/message.js';
import type { SessionConfig, SpeakerConfig } from './config.js';

/**
 * Set from a start until routes are selected: `preserved` where the kernel still forwarded as an earlier run told it, `empty` where
 * it did not, and the start only waits for what the neighbours know.
 */
export type Restarting = false | 'preserved' | 'empty';

/** Of a neighbour's place; its families are those that OPEN offers. */
export interface OfferPlace {
  readonly config: SessionConfig;
  readonly families: readonly Family[];
}

export function restartCapabilities(
  { restarter }: SpeakerConfig,
  { config: { restartHelper }, families }: OfferPlace,
  restarting: Restarting,
): readonly Capability[] {
  if (!restarter && !restartHelper) return [];
  const entries = families.map((family) => ({
    afi: AFI[family],
    safi: SAFI_UNICAST,
    forwardingPreserved: restarting === 'preserved',
  }));
  const gracefulRestart: Capability = {
    kind: 'graceful-restart',
    // RFC 4724 section 3: without it, two that wait for each other's routes would wait for ever.
    restarted: restarting !== false,
    notification: true,
    restartTime: restarter?.restartTime ?? 0,
    // Without families its sender only helps others.
    families: restarter ? entries : [],
  };
  const staleTime = restarter?.longLived ?? 0;
  if (staleTime === 0 && !restartHelper?.longLived) return [gracefulRestart];
  const longLived = entries.map((entry) => ({ ...entry, staleTime }));
  return [gracefulRestart, { kind: 'long-lived-graceful-restart', families: longLived }];
}
