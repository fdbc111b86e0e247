/** docs/migration.md shows what `heddle config` makes of the examples. */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../../', import.meta.url));

it('is written from the examples: run `npm run setup && node scripts/migration-page.mjs --write` after each change of a translation', () => {
  const { stderr, status } = spawnSync(process.execPath, ['scripts/migration-page.mjs'], {
    cwd: root,
    encoding: 'utf8',
  });
  expect([stderr, status]).toEqual(['', 0]);
});
