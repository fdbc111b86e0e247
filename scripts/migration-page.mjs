/**
 * The configurations in docs/migration.md are what `heddle config` makes of the examples: below each comment `from-... FILE ...` stands its output. It runs the
 * build: `npm run setup` first. `--write` writes the page; without it the page is compared.
 *
 *     node scripts/migration-page.mjs [--write] [PAGE]
 */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { filesGiven, writeOrJudgeText } from './generated-page.mjs';

const PAGE = 'docs/migration.md';
const root = fileURLToPath(new URL('..', import.meta.url));
const [pageFile] = filesGiven();
const page = readFileSync(pageFile ?? `${root}${PAGE}`, 'utf8');

const text = page.replaceAll(/(<!-- (from-[^\n]*?) -->\n```yaml\n)[\s\S]*?(```)/g, (_, head, words, end) => {
  const { stdout } = spawnSync(process.execPath, ['bin/heddle', 'config', ...words.split(' ')], {
    cwd: root,
    encoding: 'utf8',
  });
  return `${head}${stdout}${end}`;
});
writeOrJudgeText({ script: 'scripts/migration-page.mjs', page: PAGE, pageFile, source: 'heddle config', text });
