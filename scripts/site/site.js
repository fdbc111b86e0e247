/** What a page of the site does by itself: the search, and on a narrow screen a list of pages that is folded away. */
const LONGEST = 20;
const search = document.getElementById('search');
const found = document.getElementById('found');
const pages = document.getElementById('pages');

if (matchMedia('(max-width: 860px)').matches) pages.open = false;

/** How well a section fits: its title before its page's, those before its words; 0 where a word is missing. */
function fitOf({ title, page, text }, words) {
  const [heading, name, body] = [title, page, text].map((one) => one.toLowerCase());
  if (heading === words.join(' ')) return 1_000;
  let fit = 0;
  for (const word of words) {
    const here = (heading.includes(word) ? 20 : 0) + (name.includes(word) ? 5 : 0) + (body.includes(word) ? 1 : 0);
    if (here === 0) return 0;
    fit += here;
  }
  return fit;
}

function itemOf({ title, page, html, anchor }) {
  const link = document.createElement('a');
  link.href = `${document.documentElement.dataset.root}${html}#${anchor}`;
  link.textContent = title;
  const where = document.createElement('small');
  where.textContent = page;
  const item = document.createElement('li');
  item.append(link, where);
  return item;
}

function show() {
  const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
  const best = window.SECTIONS.map((section) => ({ section, fit: fitOf(section, words) }))
    .filter(({ fit }) => words.length > 0 && fit > 0)
    .sort((a, b) => b.fit - a.fit)
    .slice(0, LONGEST);
  const items = best.map(({ section }) => itemOf(section));
  if (items.length === 0 && words.length > 0) {
    const none = document.createElement('li');
    none.textContent = 'Nothing has these words.';
    items.push(none);
  }
  found.replaceChildren(...items);
  found.hidden = items.length === 0;
}

search.addEventListener('input', show);
addEventListener('keydown', (event) => {
  const isTyping = document.activeElement === search;
  if (event.key === '/' && !isTyping && !event.ctrlKey && !event.metaKey) {
    event.preventDefault();
    search.focus();
  }
  if (event.key === 'Escape' && isTyping) {
    search.value = '';
    show();
  }
});
