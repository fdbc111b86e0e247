/** `heddle lab ui` in a browser over a lab that is real: what it shows is what the kernel and the daemons say, and a click breaks a link and mends it. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { tearDown } from '../../src/app/lab/build.js';
import { controlSocket, type Lab, namespaceOf, PACKAGE_ROOT } from '../../src/app/lab/lab.js';
import { recordedProcesses } from '../../src/app/lab/processes.js';
import { ControlClient } from '../../src/edge/control/client.js';
import { offlineBrowser } from '../harness/browser.js';
import { labUnusable, startLab } from '../harness/lab.js';
import { ip } from '../harness/netns.js';
import { differsFromKept } from '../harness/screenshots.js';

const NAMESPACE = 'srep-page';
const TOPOLOGY = 'name: page\nspines: 3\nleaves: 2\n';
const LINK = 'leaf1:spine2';
/** Of fc00:2:1:2::/64 from leaf1, and when that link is cut. */
const ITS_WAY = [LINK, 'leaf2:spine2'];
const FALLBACK = ['leaf1:spine1', 'leaf1:spine3', 'leaf2:spine1', 'leaf2:spine3'];
/** Milliseconds, on a busy machine. */
const PATIENTLY = { timeout: 120_000, interval: 100 };
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** It takes the title of an SVG element, which is shown on hovering, for a part of its label that is seen. */
const AXE_OPTIONS = JSON.stringify({ rules: { 'label-content-name-mismatch': { enabled: false } } });

interface AxeFinding {
  readonly id: string;
  readonly impact: string | null;
  readonly nodes: readonly { readonly html: string }[];
}

const reason = labUnusable({ peers: false });
if (reason) console.log(`skipped: ${reason}`);

describe.skipIf(reason !== undefined)('the fabric page of a lab', () => {
  let lab: Lab;
  let browser: Browser;
  let closeBrowser: (() => Promise<void>) | undefined;
  let server: ChildProcess | undefined;
  let address = '';
  let port = 0;
  const seenAt = mkdtempSync(join(tmpdir(), 'heddle-page-'));
  const elsewhere: string[] = [];

  /** In the browser's namespace, which has a loopback and nothing else. */
  async function serve(): Promise<void> {
    const command = [process.execPath, join(PACKAGE_ROOT, 'bin', 'heddle'), 'lab', 'ui', '--lab', lab.name];
    server = spawn('ip', ['netns', 'exec', NAMESPACE, ...command, '--port', String(port)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [said] = await once(server.stdout!, 'data');
    address = /http:\S+/.exec(String(said))![0];
    port = Number(new URL(address).port);
  }

  async function stopServer(): Promise<void> {
    const gone = once(server!, 'exit');
    server!.kill('SIGINT');
    await gone;
  }

  beforeAll(async () => {
    lab = await startLab(TOPOLOGY);
    const offline = await offlineBrowser(NAMESPACE);
    ({ browser } = offline);
    closeBrowser = () => offline.close();
    await serve();
  }, 900_000);

  afterAll(async () => {
    if (server?.exitCode === null) await stopServer();
    await closeBrowser?.();
    if (lab) await tearDown(lab);
  }, 300_000);

  async function open(options: BrowserContextOptions = {}): Promise<Page> {
    const context = await browser.newContext({
      ...{ viewport: { width: 1280, height: 900 }, colorScheme: 'light', reducedMotion: 'reduce' },
      ...options,
    });
    const page = await context.newPage();
    page.setDefaultTimeout(PATIENTLY.timeout);
    page.on('request', (request) => {
      if (!request.url().startsWith(address)) elsewhere.push(request.url());
    });
    page.on('pageerror', (error) => elsewhere.push(error.message));
    await page.goto(address);
    await page.locator('.live', { hasText: 'live' }).waitFor();
    return page;
  }

  const textOf = async (page: Page, selector: string): Promise<string> =>
    ((await page.locator(selector).textContent()) ?? '').replace(/\s+/g, ' ').trim();
  const leafLink = () => JSON.parse(ip('-n', namespaceOf(lab, 'leaf1'), '-j', 'link', 'show', 'to-spine2'))[0];
  const drawn = (page: Page) => page.locator('.drawing svg');
  const link = (page: Page, name = LINK) => drawn(page).locator(`[data-link="${name}"]`);
  const rows = (page: Page) =>
    page.locator('.matrix tbody tr').evaluateAll((all) =>
      all.map((row) => {
        const [prefix, ...cells] = [...row.children];
        const marks = cells.slice(1).map((cell) => cell.querySelector('.heard')?.textContent ?? '');
        return [prefix!.textContent!.trim(), ...marks];
      }),
    );
  /** As the daemon has it. */
  const expected = async () => {
    const fabric = await new ControlClient(controlSocket(lab, 'leaf1')).fabric();
    return fabric.rows.map(({ prefix, cells }) => [prefix, ...cells.map(({ state }) => state)]);
  };
  const sameRows = async (page: Page) => JSON.stringify(await rows(page)) === JSON.stringify(await expected());
  /** The chosen prefix goes by these links and by no other. */
  const goes = (page: Page, links: readonly string[]) =>
    expect
      .poll(async () => {
        const ways = await drawn(page)
          .locator('.way [data-way]')
          .evaluateAll((all) => all.map((one) => one.getAttribute('data-way')));
        return ways.sort();
      }, PATIENTLY)
      .toEqual(links);
  const isWhole = (page: Page) => expect.poll(() => textOf(page, '.troubles'), PATIENTLY).toContain('Nothing.');

  it('has every router, host and link, and the matrix of the daemon', async () => {
    const page = await open();
    await isWhole(page);
    expect(await textOf(page, 'header .figures')).toContain('3 spines, 2 leaves, 2 hosts');
    expect(await drawn(page).locator('.node').count()).toBe(7);
    expect(await drawn(page).locator('.link').count()).toBe(8);
    await drawn(page).locator('[data-node="leaf1"]').click();
    await expect.poll(() => sameRows(page), PATIENTLY).toBe(true);
    expect((await rows(page)).length).toBe(3);
    await page.context().close();
    expect(elsewhere).toEqual([]);
  }, 600_000);

  it('breaks a link by a click, shows what carries its prefixes then, and mends it', async () => {
    const page = await open();
    await isWhole(page);
    await drawn(page).locator('[data-node="leaf1"]').click();
    await page.locator('.matrix button.prefix', { hasText: 'fc00:2:1:2::/64' }).click();
    await goes(page, ITS_WAY);
    await link(page).click();
    await expect.poll(() => leafLink().operstate, PATIENTLY).toBe('DOWN');
    await expect.poll(() => textOf(page, '.troubles'), PATIENTLY).toContain(LINK);
    await goes(page, FALLBACK);
    await expect.poll(() => sameRows(page), PATIENTLY).toBe(true);
    expect(await textOf(page, '.timeline .events')).toContain(LINK);
    await link(page).click();
    await expect.poll(() => leafLink().operstate, PATIENTLY).toBe('UP');
    await isWhole(page);
    await goes(page, ITS_WAY);
    await page.context().close();
  }, 600_000);

  it('is all there for who has a keyboard alone', async () => {
    const page = await open();
    await isWhole(page);
    const focused = () => page.evaluate<string>("document.activeElement?.getAttribute('data-link') ?? ''");
    const press = async (key: string, until: () => Promise<boolean>) => {
      for (let pressed = 0; pressed < 60 && !(await until()); pressed++) await page.keyboard.press(key);
      expect(await until()).toBe(true);
    };
    await press('Tab', async () => (await focused()) !== '');
    await press('ArrowRight', async () => (await focused()) === LINK);
    await page.keyboard.press('Enter');
    await expect.poll(() => leafLink().operstate, PATIENTLY).toBe('DOWN');
    await expect.poll(() => textOf(page, '.troubles'), PATIENTLY).toContain(LINK);
    expect(await focused()).toBe(LINK);
    await page.keyboard.press(' ');
    await expect.poll(() => leafLink().operstate, PATIENTLY).toBe('UP');
    await isWhole(page);
    await page.context().close();
  }, 600_000);

  it.each(['light', 'dark'] as const)(
    'can be read by everybody, %s',
    async (colorScheme) => {
      const page = await open({ colorScheme, bypassCSP: true });
      await isWhole(page);
      await page.evaluate(AXE);
      const found = (await page.evaluate(
        `axe.run(${AXE_OPTIONS}).then(({ violations }) => violations)`,
      )) as readonly AxeFinding[];
      expect(found.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`)).toEqual([]);
      await page.context().close();
    },
    600_000,
  );

  it.each(['light', 'dark'] as const)(
    'looks as it was looked at, %s, whole and broken',
    async (colorScheme) => {
      // Styles of the test's own are else refused, as they are to be.
      const page = await open({ colorScheme, bypassCSP: true });
      await isWhole(page);
      await drawn(page).locator('[data-node="leaf1"]').click();
      await page.locator('.matrix button.prefix', { hasText: 'fc00:2:1:2::/64' }).click();
      await goes(page, ITS_WAY);
      await page.mouse.move(0, 0);
      expect(await differsFromKept(`fabric-${colorScheme}`, drawn(page), seenAt)).toBeUndefined();
      execFileSync(process.execPath, [join(PACKAGE_ROOT, 'bin', 'heddle'), 'lab', 'fail', LINK, '--lab', lab.name]);
      await goes(page, FALLBACK);
      await expect.poll(() => drawn(page).locator('.node.hurt').count(), PATIENTLY).toBe(2);
      expect(await differsFromKept(`fabric-${colorScheme}-broken`, drawn(page), seenAt)).toBeUndefined();
      execFileSync(process.execPath, [join(PACKAGE_ROOT, 'bin', 'heddle'), 'lab', 'heal', LINK, '--lab', lab.name]);
      await isWhole(page);
      await page.context().close();
    },
    600_000,
  );

  it('fits on a telephone', async () => {
    const page = await open({ viewport: { width: 390, height: 800 }, isMobile: true });
    await isWhole(page);
    await expect.poll(async () => (await rows(page)).length, PATIENTLY).toBe(3);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390);
    expect(await link(page).isVisible()).toBe(true);
    await page.screenshot({ path: join(seenAt, 'telephone.png'), fullPage: true });
    await page.context().close();
  }, 600_000);

  it('says when nobody answers, keeps the last picture as one, and comes back by itself', async () => {
    const page = await open();
    await isWhole(page);
    await stopServer();
    await page.locator('.live.bad', { hasText: 'no answer since' }).waitFor();
    expect(await page.locator('main.stale').count()).toBe(1);
    expect(await drawn(page).locator('.node').count()).toBe(7);
    await serve();
    await page.locator('.live.good').waitFor();
    expect(await page.locator('main.stale').count()).toBe(0);
    await isWhole(page);
    await page.context().close();
  }, 600_000);

  it('draws a daemon that does not answer as one, until it does', async () => {
    const page = await open();
    await isWhole(page);
    const { pid } = recordedProcesses(lab.directory).find(({ name }) => name === 'spine3')!;
    const spine = drawn(page).locator('[data-node="spine3"]');
    process.kill(pid, 'SIGSTOP');
    try {
      await expect.poll(() => spine.getAttribute('class'), PATIENTLY).toContain('lost');
      await expect.poll(() => textOf(page, '.troubles'), PATIENTLY).toContain('spine3 does not answer');
    } finally {
      process.kill(pid, 'SIGCONT');
    }
    await expect.poll(() => spine.getAttribute('class'), PATIENTLY).toContain('well');
    await page.context().close();
  }, 600_000);
});
