/**
 * Two projects: `unit` runs in parallel anywhere; `real` needs root and network namespaces and runs one file at a time, after the others. No
 * limit is there to judge how fast anything is: they end what hangs, on a machine that is ten times slower and has other things to do.
 */
import { defineConfig } from 'vitest/config';

const real = ['src/**/*.real.test.ts', 'test/interop/**/*.test.ts', 'test/scenarios/**/*.test.ts'];

export default defineConfig({
  test: {
    reporters: ['default', './scripts/summary-reporter.mjs'],
    projects: [
      {
        test: {
          name: 'unit',
          include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
          exclude: real,
          testTimeout: 600_000,
          hookTimeout: 600_000,
          expect: { poll: { timeout: 60_000 } },
        },
      },
      {
        test: {
          name: 'real',
          include: real,
          fileParallelism: false,
          testTimeout: 900_000,
          hookTimeout: 900_000,
          expect: { poll: { timeout: 120_000 } },
        },
      },
    ],
  },
});
