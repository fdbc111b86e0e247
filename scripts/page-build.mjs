/** Builds the fabric page (src/ui) into dist/ui: an HTML file, a script and a style sheet, with all that they need. */
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

await build({
  configFile: false,
  root: join(root, 'src', 'ui'),
  logLevel: 'warn',
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    outDir: join(root, 'dist', 'ui'),
    emptyOutDir: true,
    // What is bundled wants its notice beside it.
    license: { fileName: '.licenses/bundled.md' },
    target: 'es2022',
    // Not in the page itself: its policy lets nothing in but files of ours.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
});
