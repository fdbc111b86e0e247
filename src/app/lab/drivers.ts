/** Which driver runs a router. */
import { birdDriver } from './bird-driver.js';
import { frrDriver } from './frr-driver.js';
import { heddleDriver } from './heddle-driver.js';
import type { PlannedRouter } from './plan.js';
import type { RouterDriver } from './router-driver.js';
import type { Implementation } from './topology.js';

const DRIVERS: Readonly<Record<Implementation, RouterDriver>> = {
  heddle: heddleDriver,
  frr: frrDriver,
  bird: birdDriver,
  bird3: birdDriver,
};

export function driverOf(router: PlannedRouter): RouterDriver {
  return DRIVERS[router.implementation];
}
