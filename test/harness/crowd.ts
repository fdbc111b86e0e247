/**
 * A fabric with many prefixes on one uplink, as scenarios of failing links use it: three spines, each prefix of the far leaf on its
 * own, and more than a thousand on the first. Seen from leaf 2.
 */
import { expect } from 'vitest';
import type { FlowReport } from '../../src/app/lab/probe-report.js';
import type { KernelWrites } from '../../src/app/trial/trial-fabric.js';

export const LEAF = 'leaf2';
export const FAR = 'leaf1';
export const ENDS = { from: 'host2', to: 'host1' };
export const CROWD = 1000;
export const IN_THE_CROWD = 'fc00:e:0:2a::1';

const PREFIXES = Array.from({ length: CROWD }, (_, n) => `{ prefix: "fc00:e:0:${n.toString(16)}::/64", colour: 1 }`);

/** Text of a topology file. */
export const crowded = (name: string, more: string): string => `
name: ${name}
spines: 3
leaves: 2
settings: { ${FAR}: { advertise: [${PREFIXES.join(', ')}] } }
${more}`;

/** Prefixes of leaf 2 by their ways: preferred uplinks, and those behind them. */
export const INTACT = { 'spine1 | spine2 spine3': CROWD + 1, 'spine2 | spine1 spine3': 1, 'spine3 | spine1 spine2': 1 };
export const WITHOUT_SPINE1 = { 'spine2 spine3 | ': CROWD + 1, 'spine2 | spine3': 1, 'spine3 | spine2': 1 };

export function since(before: KernelWrites, now: KernelWrites): KernelWrites {
  return {
    nextHops: now.nextHops - before.nextHops,
    groups: now.groups - before.groups,
    routes: now.routes - before.routes,
  };
}

/** Longest outage of the flow of colour 1, and what the others lost. */
export function lossOf([first, ...others]: readonly FlowReport[]): {
  readonly outage: number;
  readonly others: number;
} {
  expect(first!.sent).toBeGreaterThan(500);
  return { outage: first!.longestOutageMs, others: others.reduce((sum, { lost }) => sum + lost, 0) };
}
