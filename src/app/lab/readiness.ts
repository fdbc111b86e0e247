/** Waits until every session of a lab is up and every route is in the kernel, or says node by node what is missing. */

import { driverOf } from './drivers.js';
import { kernelRoutes, missingRoutes, wantedPrefixes } from './kernel-routes.js';
import type { Lab } from './lab.js';
import type { PlannedRouter } from './plan.js';
import { poll } from './poll.js';

export interface Progress {
  readonly sessions: { readonly up: number; readonly total: number };
  readonly routes: { readonly installed: number; readonly total: number };
  /** `leaf1: to-spine2: idle`, one line a thing; empty when all is well. */
  readonly missing: readonly string[];
}

export interface ReadyOptions {
  /** Milliseconds. */
  readonly timeout: number;
  readonly onProgress?: (progress: Progress) => void;
  readonly signal?: AbortSignal;
}

/** One reading of the whole lab. The routes of a router are read only when its sessions are up. */
export async function labProgress(lab: Lab): Promise<Progress> {
  const readings = await Promise.all(lab.plan.routers.map((router) => routerProgress(lab, router)));
  const sum = (pick: (reading: Progress) => number) => readings.reduce((total, reading) => total + pick(reading), 0);
  return {
    sessions: { up: sum((one) => one.sessions.up), total: sum((one) => one.sessions.total) },
    routes: { installed: sum((one) => one.routes.installed), total: sum((one) => one.routes.total) },
    missing: readings.flatMap((reading) => reading.missing),
  };
}

async function routerProgress(lab: Lab, router: PlannedRouter): Promise<Progress> {
  const sessions = await driverOf(router).sessions(lab, router);
  const total = wantedPrefixes(lab, router).length;
  const lacking =
    sessions.up < sessions.total ? undefined : missingRoutes(lab, router, await kernelRoutes(lab, router.name));
  return {
    sessions,
    routes: { installed: lacking === undefined ? 0 : total - lacking.length, total },
    missing: [...sessions.missing, ...(lacking ?? [])].map((line) => `${router.name}: ${line}`),
  };
}

/** Resolves with the last reading; its `missing` is empty when the lab became ready in time. Throws when aborted. */
export async function waitReady(lab: Lab, options: ReadyOptions): Promise<Progress> {
  let progress = await labProgress(lab);
  options.onProgress?.(progress);
  await poll(
    async () => {
      options.signal?.throwIfAborted();
      if (progress.missing.length === 0) return true;
      progress = await labProgress(lab);
      options.onProgress?.(progress);
      return progress.missing.length === 0;
    },
    { timeout: options.timeout, interval: 50 },
  );
  return progress;
}
