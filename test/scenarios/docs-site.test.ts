/** The site of `npm run docs` in a browser: from disk, without a network, on paper of both kinds and on a telephone. */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PACKAGE_ROOT } from '../../src/app/lab/lab.js';
import { type OfflineBrowser, offlineBrowser } from '../harness/browser.js';
import { namespacesUnusable } from '../harness/netns.js';

const reason = namespacesUnusable();
if (reason) console.log(`skipped: ${reason}`);

describe.skipIf(reason !== undefined)('the site of the docs', () => {
  let offline: OfflineBrowser | undefined;
  const complaints: string[] = [];

  beforeAll(async () => {
    offline = await offlineBrowser();
    execFileSync(process.execPath, [join(PACKAGE_ROOT, 'scripts', 'docs.mjs'), join(offline.folder, 'site')]);
  }, 600_000);

  afterAll(() => offline?.close());

  async function open(file: string, colorScheme: 'light' | 'dark', width: number): Promise<Page> {
    const page = await offline!.browser.newPage({ colorScheme, viewport: { width, height: 800 } });
    page.setDefaultTimeout(120_000);
    page.on('console', (message) => complaints.push(message.text()));
    page.on('pageerror', (error) => complaints.push(error.message));
    page.on('requestfailed', (request) => complaints.push(request.url()));
    page.on('request', (request) => {
      if (!/^(file|data):/.test(request.url())) complaints.push(request.url());
    });
    await page.goto(offline!.urlOf(`site/${file}`));
    return page;
  }

  it.each([
    ['light', 1400],
    ['dark', 1400],
    ['light', 390],
    ['dark', 390],
  ] as const)(
    'fits on %s paper %i pixels wide, and asks nobody for anything',
    async (scheme, width) => {
      for (const file of ['index.html', 'docs/tutorial.html', 'docs/dpf.html', 'docs/configuration.html']) {
        const page = await open(file, scheme, width);
        const wide = await page.evaluate('document.documentElement.scrollWidth');
        expect(wide, file).toBeLessThanOrEqual(width);
        const paper = await page.evaluate('getComputedStyle(document.body).backgroundColor');
        expect(paper).toBe(scheme === 'light' ? 'rgb(255, 255, 255)' : 'rgb(18, 22, 27)');
        const drawn = await page.evaluate(
          '[...document.images].every((image) => image.complete && image.naturalWidth > 0)',
        );
        expect(drawn, file).toBe(true);
        expect(await page.textContent('main'), file).not.toContain('<!--');
        await page.close();
      }
      expect(complaints).toEqual([]);
    },
    600_000,
  );

  it('leads from the first page to every other, and finds words', async () => {
    const page = await open('index.html', 'light', 1400);
    expect(await page.locator('nav details a').count()).toBeGreaterThan(35);
    await page.locator('nav details a', { hasText: 'Ten minutes with heddle' }).click();
    expect(await page.locator('h1').textContent()).toBe('Ten minutes with heddle');
    expect(await page.locator('nav a[aria-current=page]').textContent()).toBe('Ten minutes with heddle');
    await page.fill('#search', 'prefix limit');
    await page.locator('#found a', { hasText: 'Prefix limit' }).first().click();
    expect(await page.locator('h1').textContent()).toBe('When something is wrong');
    expect(page.url()).toContain('#prefix-limit');
    await page.close();
  }, 600_000);

  it('folds the list of pages away on a telephone', async () => {
    const page = await open('docs/tutorial.html', 'light', 390);
    expect(await page.locator('#pages').getAttribute('open')).toBeNull();
    await page.locator('#pages summary').click();
    expect(await page.locator('nav a', { hasText: 'Limits' }).isVisible()).toBe(true);
    await page.close();
  }, 600_000);
});
