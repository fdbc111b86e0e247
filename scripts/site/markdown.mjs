/**
 * A page of the docs, read with markdown-it: its headings under the anchors that repositories give them, what it links to, the words of each section, and its HTML.
 * Comments and other HTML stay what they are. A link to another page becomes one to that page's HTML, a link to a folder one to the list of what is in it.
 */
import { posix } from 'node:path';
import MarkdownIt from 'markdown-it';

const markdown = new MarkdownIt({ html: true, linkify: false, typographer: false });
const ELSEWHERE = /^[a-z][a-z0-9+.-]*:/i;

/** README.md stands for its folder, as it does in a repository. */
export function htmlNameOf(name) {
  return name.replace(/(^|\/)README\.md$/, '$1index.html').replace(/\.md$/, '.html');
}

/** How a page names another file of the site. */
export const fromTo = (html, target) => posix.relative(posix.dirname(html), target);

const textOf = (inline) => inline.children.map(({ type, content }) => (type === 'softbreak' ? ' ' : content)).join('');

/** The anchor of a heading; the second of the same name ends in -1. */
function anchorOf(title, taken) {
  const slug = title
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\p{M}\s_-]/gu, '')
    .replace(/\s/g, '-');
  let anchor = slug;
  for (let again = 1; taken.has(anchor); again += 1) anchor = `${slug}-${again}`;
  taken.add(anchor);
  return anchor;
}

/** Where a link of this repository leads: a path from its root, and the heading there. */
function targetOf(name, text) {
  const [path, anchor] = decodeURI(text).split('#');
  const whole = path ? posix.join(posix.dirname(name), path) : name;
  return { path: whole.replace(/\/$/, ''), isFolder: whole.endsWith('/'), anchor, text };
}

function* localLinks(name, inline) {
  for (const [at, token] of inline.children.entries()) {
    const text = token.attrGet('href') ?? token.attrGet('src');
    if (text === null || ELSEWHERE.test(text)) continue;
    const after = inline.children.slice(at + 1);
    const words = after.slice(
      0,
      after.findIndex(({ type }) => type === 'link_close'),
    );
    yield { ...targetOf(name, text), title: words.map(({ content }) => content).join('') };
  }
}

/** The words of one token, for the search. */
const wordsOf = (token) =>
  token.type === 'inline' ? textOf(token) : token.type === 'fence' || token.type === 'code_block' ? token.content : '';

/** name: from the root of the repository, `docs/fib.md`. */
export function readPage(name, text) {
  const tokens = markdown.parse(text, {});
  const page = {
    name,
    html: htmlNameOf(name),
    title: name,
    tokens,
    anchors: new Set(),
    links: [],
    chapters: [],
    sections: [],
  };
  for (const [at, token] of tokens.entries()) {
    const level = tokens[at - 1]?.type === 'heading_open' ? tokens[at - 1].tag : undefined;
    if (level) beginSection(page, tokens[at - 1], textOf(token));
    else if (page.sections.length > 0) page.sections.at(-1).text += ` ${wordsOf(token)}`;
    if (token.type !== 'inline') continue;
    const links = [...localLinks(name, token)];
    page.links.push(...links);
    page.chapters.at(-1)?.items.push(...links.map(({ path, title }) => ({ name: path, title })));
  }
  page.chapters = page.chapters.filter(({ items }) => items.length > 0);
  return page;
}

function beginSection(page, heading, title) {
  const anchor = anchorOf(title, page.anchors);
  heading.attrSet('id', anchor);
  if (heading.tag === 'h1') page.title = title;
  if (heading.tag === 'h2') page.chapters.push({ title, items: [] });
  page.sections.push({ page: page.title, title, anchor, text: '' });
}

/** pages: those of the site, by name; a link to anything else stays as it is. */
export function renderPage(page, pages) {
  const link = (token, attribute) => {
    const text = token.attrGet(attribute);
    if (text === null || ELSEWHERE.test(text) || text.startsWith('#')) return;
    const { path, isFolder, anchor } = targetOf(page.name, text);
    const file = isFolder ? `${path}/index.html` : pages.has(path) ? htmlNameOf(path) : path;
    token.attrSet(attribute, fromTo(page.html, file) + (anchor ? `#${anchor}` : ''));
  };
  for (const { children } of page.tokens) {
    for (const token of children ?? []) {
      link(token, 'href');
      link(token, 'src');
    }
  }
  return markdown.renderer.render(page.tokens, markdown.options, {});
}
