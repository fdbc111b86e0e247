/**
 * The docs as static pages: `npm run docs` writes site/, to be opened from disk or served by anything. It has the folders of the repository, each .md a .html beside what it
 * links to, so that a link is right in both; nothing is fetched from elsewhere. The order is that of docs/README.md. What it does not name comes last. A link or an
 * anchor that leads nowhere ends it with 1: `--check` does only that.
 *
 *     node scripts/docs.mjs [--check] [--from FOLDER] [OUT]
 */
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { readPage, renderPage } from './site/markdown.mjs';
import { htmlOf } from './site/template.mjs';

const here = fileURLToPath(new URL('..', import.meta.url));
const { values, positionals } = parseArgs({
  options: { check: { type: 'boolean' }, from: { type: 'string', default: here } },
  allowPositionals: true,
});
const root = values.from;
const out = positionals[0] ?? join(here, 'site');
const INDEX = 'docs/README.md';

const names = [
  ...['README.md', 'ARCHITECTURE.md', 'CHANGELOG.md'].filter((name) => existsSync(join(root, name))),
  ...readdirSync(join(root, 'docs'))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
];
const pages = new Map(names.map((name) => [name, readPage(name, readFileSync(join(root, name), 'utf8'))]));

/** What is wrong with a link of a page, or nothing. */
function faultOf({ name }, { path, anchor, text }) {
  const page = pages.get(path);
  if (!page && !existsSync(join(root, path))) return `${name}: ${text}: there is no ${path}`;
  if (anchor && page && !page.anchors.has(anchor)) return `${name}: ${text}: ${path} has no heading #${anchor}`;
  return undefined;
}

const faults = () => [...pages.values()].flatMap((page) => page.links.flatMap((link) => faultOf(page, link) ?? []));

/** Those of the index, and what it does not name at the end. */
function chapters() {
  const { links, chapters: named } = pages.get(INDEX);
  const known = new Set([INDEX, ...links.map(({ path }) => path)]);
  const more = [...pages.values()].filter(({ name }) => name.startsWith('docs/') && !known.has(name));
  return more.length === 0 ? named : [...named, { title: 'More', items: more }];
}

function write(name, text) {
  mkdirSync(dirname(join(out, name)), { recursive: true });
  writeFileSync(join(out, name), text);
}

/** Files that pages link to stand beside them; of a folder a list of what is in it. */
function bring(path) {
  if (!statSync(join(root, path)).isDirectory()) {
    cpSync(join(root, path), join(out, path));
    return;
  }
  const entries = readdirSync(join(root, path)).filter((name) => statSync(join(root, path, name)).isFile());
  const list = entries.map((name) => `- [${name}](${name})`).join('\n');
  const page = readPage(join(path, 'README.md'), `# ${path}\n\n${list}\n`);
  write(join(path, 'index.html'), htmlOf({ page, body: renderPage(page, pages), chapters: chapters() }));
  for (const name of entries) cpSync(join(root, path, name), join(out, path, name));
}

function build() {
  rmSync(out, { recursive: true, force: true });
  for (const page of pages.values()) {
    write(page.html, htmlOf({ page, body: renderPage(page, pages), chapters: chapters() }));
    for (const { path } of page.links) if (!pages.has(path)) bring(path);
  }
  for (const name of ['site.css', 'site.js']) cpSync(new URL(`site/${name}`, import.meta.url), join(out, name));
  const searched = [...pages.values()].flatMap((page) => page.sections.map((one) => ({ ...one, html: page.html })));
  write('search.js', `window.SECTIONS = ${JSON.stringify(searched)};\n`);
}

const found = faults();
if (found.length > 0) {
  process.stderr.write(`docs: ${found.length} to be mended:\n  ${found.join('\n  ')}\n`);
  process.exitCode = 1;
} else if (!values.check) {
  build();
  process.stdout.write(`docs: ${pages.size} pages: ${relative(process.cwd(), join(out, 'index.html'))}\n`);
}
