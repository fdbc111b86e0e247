import { describe, expect, it } from 'vitest';
import { parseAddress } from '../../core/net/address.js';
import type { BfdChange, BfdTarget } from '../../core/ports/bfd.js';
import { LinuxBfdSessions } from './bfd-sessions.js';

const TARGET: BfdTarget = {
  interfaceName: 'x0',
  interfaceIndex: 1,
  local: parseAddress('fe80::1')!,
  remote: parseAddress('fe80::2')!,
};

function program(text: string): URL {
  return new URL(`data:text/javascript,${encodeURIComponent(text)}`);
}

/** A thread that answers each request with these reports. */
function answering(reports: string): URL {
  return program(`
    import { parentPort } from 'node:worker_threads';
    parentPort.on('message', ({ kind, id }) => {
      if (kind === 'stop') process.exit();
      if (kind === 'open') for (const report of ${reports}) parentPort.postMessage({ id, ...report });
    });`);
}

function open(sessions: LinuxBfdSessions) {
  const changes: BfdChange[] = [];
  const failures: string[] = [];
  const session = sessions.open(
    TARGET,
    { interval: 300, multiplier: 3 },
    { changed: (change) => void changes.push(change), failed: (reason) => void failures.push(reason) },
  );
  return { session, changes, failures };
}

describe('the BFD thread', () => {
  it('that dies is no failure of any path, and says why there is no BFD', async () => {
    const sessions = new LinuxBfdSessions(program('throw new Error("out of luck")'));
    const { session, changes, failures } = open(sessions);
    await expect.poll(() => failures).toEqual(['the BFD thread died: out of luck']);
    expect([changes, session.status()]).toEqual([[], undefined]);
    await sessions.close();
  });

  it('is not listened to about a session that was closed', async () => {
    const change = `{ kind: 'changed', change: { from: 'Up', to: 'Down' }, status: {} }`;
    const sessions = new LinuxBfdSessions(answering(`[${change}]`));
    const closed = open(sessions);
    closed.session.close();
    const kept = open(sessions);
    await expect.poll(() => kept.changes).toHaveLength(1);
    expect(closed.changes).toEqual([]);
    await sessions.close();
  });

  it('tells why a session cannot run, and what it counts', async () => {
    const sessions = new LinuxBfdSessions(
      answering(`[{ kind: 'status', status: { state: 'Down' } }, { kind: 'failed', reason: 'no socket' }]`),
    );
    const { session, failures } = open(sessions);
    await expect.poll(() => failures).toEqual(['no socket']);
    expect(session.status()).toEqual({ state: 'Down' });
    await sessions.close();
  });
});
