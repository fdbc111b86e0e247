/** The page that `heddle sim compare --report` writes, as a browser shows it: from disk, without a network, on paper of both kinds and on a telephone. */
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PACKAGE_ROOT } from '../../src/app/lab/lab.js';
import { type OfflineBrowser, offlineBrowser } from '../harness/browser.js';
import { namespacesUnusable } from '../harness/netns.js';

const STUDY = `name: A page & its plots
topology:
  leaf-spine: { leaves: 3, spines: 2, parallel-links: 2, hosts-per-leaf: 4, host-rate: 100G, uplink-rate: 100G }
workload:
  poisson: { sizes: alistorage2019, load: 60%, duration: 300us }
schemes: [ecmp, { dlb: { mode: per-packet } }, rlb]
seeds: 2
`;

/** Letters of a plot are so many pixels high at least, on a telephone too. */
const LEAST_LETTERS = 8;
/** Milliseconds. */
const PATIENCE = 300_000;
/** WCAG 2.2, 1.4.3. */
const LEAST_CONTRAST = 4.5;
const PAPERS = ['light', 'dark'] as const;
const WIDTHS = [1400, 390] as const;

interface Opened {
  readonly page: Page;
  /** What went wrong, and what was asked for besides the file itself. */
  readonly complaints: string[];
}

const reason = namespacesUnusable();

describe.skipIf(reason !== undefined)(
  `the report of heddle sim in a browser${reason === undefined ? '' : `: ${reason}`}`,
  () => {
    let offline: OfflineBrowser | undefined;

    beforeAll(async () => {
      offline = await offlineBrowser();
      const study = join(offline.folder, 'study.yaml');
      writeFileSync(study, STUDY);
      const report = join(offline.folder, 'report.html');
      const command = [join(PACKAGE_ROOT, 'bin', 'heddle'), 'sim', 'compare', study, '--jobs', '1', '--report', report];
      execFileSync(process.execPath, command, { stdio: ['ignore', 'ignore', 'pipe'], timeout: 500_000 });
    }, 600_000);

    afterAll(() => offline?.close());

    async function open(colorScheme: (typeof PAPERS)[number], width: number): Promise<Opened> {
      const { browser, urlOf } = offline!;
      const page = await browser.newPage({ colorScheme, viewport: { width, height: 800 } });
      page.setDefaultTimeout(PATIENCE);
      const complaints: string[] = [];
      const url = urlOf('report.html');
      page.on('console', (message) => complaints.push(message.text()));
      page.on('pageerror', (error) => complaints.push(error.message));
      page.on('request', (request) => {
        if (request.url() !== url && !request.url().startsWith('data:')) complaints.push(request.url());
      });
      await page.goto(url);
      return { page, complaints };
    }

    it.each(PAPERS.flatMap((paper) => WIDTHS.map((width) => ({ paper, width }))))(
      'opens on $paper paper, $width pixels wide: all plots, legible, nothing beyond the edge, nothing asked for',
      async ({ paper, width }) => {
        const { page, complaints } = await open(paper, width);
        expect(await page.title()).toBe('A page & its plots');
        const plots = await page.evaluate<{ name: string; width: number; letters: number }[]>(`
        [...document.querySelectorAll('svg.plot')].map((plot) => ({
          name: plot.getAttribute('aria-label'),
          width: plot.getBoundingClientRect().width,
          letters: (plot.getBoundingClientRect().width / plot.viewBox.baseVal.width) * parseFloat(getComputedStyle(plot).fontSize),
        }))`);
        const names = plots.map(({ name }) => name);
        for (const name of ['Slowdown of flows, average', 'Slowdown of flows, distribution', 'Load, over time']) {
          expect(names).toContain(name);
        }
        expect(names.filter((name) => name === 'The way up')).toHaveLength(3);
        expect(names.filter((name) => name === 'Leaf to spine links')).toHaveLength(3);
        expect(plots.filter((plot) => plot.width < 280 || plot.letters < LEAST_LETTERS)).toEqual([]);
        expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
        expect(complaints).toEqual([]);
        await page.close();
      },
    );

    it('has ink that can be read on its paper, light on dark and dark on light', async () => {
      for (const paper of PAPERS) {
        const { page } = await open(paper, 1400);
        const colours = await page.evaluate<Record<'paper' | 'card' | 'ink' | 'quiet', string>>(`
        Object.fromEntries(['paper', 'card', 'ink', 'quiet'].map((name) =>
          [name, getComputedStyle(document.documentElement).getPropertyValue('--' + name).trim()]))`);
        expect(luminance(colours.paper) > 0.5).toBe(paper === 'light');
        for (const ink of [colours.ink, colours.quiet]) {
          for (const ground of [colours.paper, colours.card]) {
            expect(contrast(ink, ground)).toBeGreaterThanOrEqual(LEAST_CONTRAST);
          }
        }
        const shown = await page.evaluate('getComputedStyle(document.body).color');
        expect(shown).toBe(`rgb(${channels(colours.ink).join(', ')})`);
        await page.close();
      }
    });

    it('says why: what per-packet spraying costs under go-back-N', async () => {
      const { page } = await open('light', 1400);
      const card = page.locator('article', { hasText: 'dlb mode=per-packet' }).first();
      expect(await card.textContent()).toMatch(/% of data packets were sent again: .* go-back-N keeps nothing/);
      await page.close();
    });

    it('is used by keyboard: schemes are hidden, tables are opened and scrolled', async () => {
      const { page } = await open('dark', 390);
      const focused = () =>
        page.evaluate<string>(
          `document.activeElement.id || document.activeElement.getAttribute('aria-label') || document.activeElement.tagName`,
        );
      const lines = page.locator('svg g.s0').first();
      await page.keyboard.press('Tab');
      expect(await focused()).toBe('show0');
      expect(await lines.isVisible()).toBe(true);
      await page.keyboard.press('Space');
      await expect.poll(() => lines.isVisible()).toBe(false);
      expect(await page.locator('svg g.s1').first().isVisible()).toBe(true);
      const way: string[] = [];
      // The other schemes, the table that is open, and the next.
      for (let step = 0; step < 5; step++) {
        await page.keyboard.press('Tab');
        way.push(await focused());
      }
      expect(way).toEqual(['show1', 'show2', 'SUMMARY', 'slowdown', 'SUMMARY']);
      const second = page.locator('details').nth(1);
      expect(await second.getAttribute('open')).toBeNull();
      await page.keyboard.press('Enter');
      await expect.poll(() => second.locator('table').isVisible()).toBe(true);
      await page.close();
    });
  },
);

function channels(colour: string): number[] {
  return [1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16));
}

/** WCAG 2.2: relative luminance of an sRGB colour. */
function luminance(colour: string): number {
  const [red, green, blue] = channels(colour)
    .map((channel) => channel / 255)
    .map((value) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4));
  return 0.2126 * red! + 0.7152 * green! + 0.0722 * blue!;
}

function contrast(one: string, other: string): number {
  const [darker, lighter] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (lighter! + 0.05) / (darker! + 0.05);
}
