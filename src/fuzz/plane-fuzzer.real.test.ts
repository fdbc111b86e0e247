/** A slice of `npm run fuzz -- --frames`: the kernel and our interpreter say the same of any frame. */
import { describe, expect, it } from 'vitest';
import { namespacesUnusable } from '../../test/harness/netns.js';
import { SEED } from '../../test/harness/seed.js';
import { PASS_REASONS } from '../core/ebpf-plane/tables.js';
import { Finds } from './finds.js';
import { PlaneFuzzer } from './plane-fuzzer.js';

const unusable = namespacesUnusable();
if (unusable) console.log(`skipped: ${unusable}`);
const FRAMES = 3000;

describe.skipIf(unusable)('frames of all kinds, through the kernel and through the interpreter', () => {
  it.each([1, SEED])('come out the same (seed %i)', (seed) => {
    const finds = new Finds();
    const fuzzer = new PlaneFuzzer(seed, finds);
    try {
      fuzzer.run(FRAMES);
      // A test run has no tag beside its frame, and all ports take bare frames.
      expect(PASS_REASONS.filter((reason) => !fuzzer.reasons().has(reason))).toEqual(['vlan', 'not-native', 'stale']);
    } finally {
      fuzzer.close();
    }
    expect([...finds.found.values()]).toEqual([]);
    expect(fuzzer.forwarded).toBeGreaterThan(FRAMES / 30);
    expect(fuzzer.forwarded).toBeLessThan(FRAMES / 2);
  });
});
