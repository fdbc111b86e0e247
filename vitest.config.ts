/** Two projects: `unit` runs in parallel anywhere; `real` needs root and network namespaces and runs one file at a time. */
import { defineConfig } from 'vitest/config';

const real = ['src/**/*.real.test.ts', 'test/interop/**/*.test.ts', 'test/scenarios/**/*.test.ts'];

export default defineConfig({
  test: {
    reporters: ['default', './scripts/summary-reporter.mjs'],
    projects: [
      {
        test: { name: 'unit', include: ['src/**/*.test.ts', 'test/**/*.test.ts'], exclude: real, testTimeout: 60_000 },
      },
      {
        test: {
          name: 'real',
          include: real,
          fileParallelism: false,
          testTimeout: 180_000,
          hookTimeout: 180_000,
          expect: { poll: { timeout: 20_000 } },
        },
      },
    ],
  },
});
