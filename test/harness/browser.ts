/**
 * A headless Chromium in a network namespace of its own, which leads nowhere: what a page shows there it has in itself. The machine's Chromium, or
 * where there is none Debian's (scripts/peers-install --browser).
 */
import { execFileSync } from 'node:child_process';
import { accessSync, constants, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { type Browser, chromium } from 'playwright-core';
import { PACKAGE_ROOT } from '../../src/app/lab/lab.js';
import { createNamespace, deleteNamespace } from './netns.js';

const INSTALLED = '/usr/lib/chromium/chromium';

export interface OfflineBrowser {
  readonly browser: Browser;
  /** For the pages that it is to open. */
  readonly folder: string;
  urlOf(file: string): string;
  close(): Promise<void>;
}

/** Files that run at the same time take namespaces of their own. */
export async function offlineBrowser(namespace = 'srep-web'): Promise<OfflineBrowser> {
  const folder = mkdtempSync(join(tmpdir(), 'heddle-browser-'));
  createNamespace(namespace);
  const clear = () => {
    deleteNamespace(namespace);
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    const { command, seen } = chromiumAt(folder, namespace);
    const executablePath = join(folder, 'chromium');
    // The last profile folder counts: one that is removed with the rest, wherever the browser's root is.
    const script = `#!/bin/sh\nexec ${command} "$@" --user-data-dir=${join(seen, 'profile')}\n`;
    writeFileSync(executablePath, script, { mode: 0o755 });
    const env = { ...process.env, HEDDLE_PEERS_ROOT: 'browser', HEDDLE_PEER_DIR: folder };
    const browser = await chromium.launch({ executablePath, env, timeout: 300_000 });
    const close = async () => {
      await browser.close();
      clear();
    };
    return { browser, folder, urlOf: (file) => `file://${join(seen, file)}`, close };
  } catch (error) {
    clear();
    throw error;
  }
}

/** What starts it, and where it sees the folder. */
function chromiumAt(folder: string, namespace: string): { readonly command: string; readonly seen: string } {
  const own = (process.env.PATH ?? '')
    .split(delimiter)
    .map((place) => join(place, 'chromium'))
    .find(isProgram);
  if (own !== undefined) return { command: `ip netns exec ${namespace} ${own}`, seen: folder };
  execFileSync(join(PACKAGE_ROOT, 'scripts', 'peers-install'), ['--browser'], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  return { command: `${join(PACKAGE_ROOT, 'scripts', 'peer-run')} ${namespace} ${INSTALLED}`, seen: '/lab' };
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
