/** A small fabric with nothing special about it, for tests. */
import type { FabricSpec } from './scenario.js';

export const PLAIN_FABRIC: FabricSpec = {
  spines: 2,
  leaves: 2,
  mode: 'policy',
  bfd: false,
  graceful: false,
  balancing: false,
  delay: 0.01,
  raise: 0,
};
