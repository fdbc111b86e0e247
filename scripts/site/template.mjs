/** The frame of a page of the site: the list of pages in the order of the docs' index, the search, and the page. Everything is named from the page, so that it opens from disk. */
import { fromTo, htmlNameOf } from './markdown.mjs';

const ENTITIES = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const escaped = (text) => text.replace(/[&<>"]/g, (one) => ENTITIES[one]);

function itemOf({ name, title }, page) {
  const current = name === page.name ? ' aria-current="page"' : '';
  return `<li><a href="${fromTo(page.html, htmlNameOf(name))}"${current}>${escaped(title)}</a></li>`;
}

const chapterOf = ({ title, items }, page) =>
  `<h2>${escaped(title)}</h2>\n<ul>\n${items.map((item) => itemOf(item, page)).join('\n')}\n</ul>`;

/** body: HTML of the page; chapters: titles with the names of their pages. */
export function htmlOf({ page, body, chapters }) {
  const to = (file) => fromTo(page.html, file);
  const root = to('index.html').replace('index.html', '');
  return `<!doctype html>
<html lang="en" data-root="${root}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escaped(page.title)}${page.title === 'heddle' ? '' : ' · heddle'}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${to('site.css')}">
<script defer src="${to('search.js')}"></script>
<script defer src="${to('site.js')}"></script>
</head>
<body>
<a class="skip" href="#page">To the page</a>
<nav aria-label="Pages">
<a class="home" href="${to('index.html')}">heddle</a>
<input id="search" type="search" placeholder="Search" aria-label="Search the docs" autocomplete="off">
<ol id="found" aria-live="polite" hidden></ol>
<details id="pages" open>
<summary>Pages</summary>
${chapters.map((chapter) => chapterOf(chapter, page)).join('\n')}
</details>
</nav>
<main id="page" tabindex="-1">
${body}</main>
</body>
</html>
`;
}
