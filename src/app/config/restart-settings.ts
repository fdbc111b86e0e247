/** The `graceful-restart` keys (RFC 4724, RFC 9494): once for all, and on an interface for what differs there. */
import { z } from 'zod';
import type { RestarterConfig, RestartHelperConfig } from '../../core/speaker/restart-config.js';
import * as value from './file-values.js';

/** Seconds; RFC 4724 section 3 has 12 bits for the restart time, RFC 9494 section 4.1 has 24 for the other. */
const LONGEST_RESTART = 4095;
const LONGEST_STALE = 0xffffff;

const helper = value.flag().optional();
const restartTime = value.wholeNumber(1, LONGEST_RESTART, 'seconds').optional();
const longLived = value.wholeNumber(0, LONGEST_STALE, 'seconds').optional();

export const interfaceRestart = z.strictObject({
  helper: helper.describe('Keep its paths when it restarts, while its link is up. Default: as for all interfaces.'),
  'restart-time': restartTime.describe('Seconds its restart may take at most. Default: as for all interfaces.'),
  'long-lived': longLived.describe('Seconds its paths are kept after that. Default: as for all interfaces.'),
});

export const restart = z.strictObject({
  helper: helper.describe('Keep the paths of a neighbour that restarts while its link is up. Default: false.'),
  'restart-time': restartTime.describe(
    'Seconds a restart may take: ours, as told to neighbours, and theirs at most. Default: 120.',
  ),
  'long-lived': longLived.describe(
    'Seconds paths are kept, as the last choice, after that (RFC 9494). Default: 0, not at all.',
  ),
  restarter: value
    .flag()
    .optional()
    .describe('Forwarding goes on while this router restarts (SIGTERM, or a crash). Default: false.'),
  'selection-deferral': value
    .wholeNumber(1, 3600, 'seconds')
    .optional()
    .describe('Seconds after a restart at which routes are selected, complete or not. Default: 60.'),
});

export type InterfaceRestart = z.output<typeof interfaceRestart>;

/** As a part of the interface's configuration: absent where nobody is helped. */
export function restartHelper(
  common: InterfaceRestart = {},
  own: InterfaceRestart = {},
): { readonly restartHelper?: RestartHelperConfig } {
  const given = { ...common, ...own };
  if (given.helper !== true) return {};
  return { restartHelper: { longest: given['restart-time'] ?? 120, longLived: given['long-lived'] ?? 0 } };
}

export function restarter(given: z.output<typeof restart> = {}): { readonly restarter?: RestarterConfig } {
  if (given.restarter !== true) return {};
  return {
    restarter: {
      restartTime: given['restart-time'] ?? 120,
      longLived: given['long-lived'] ?? 0,
      selectionDeferral: given['selection-deferral'] ?? 60,
    },
  };
}
