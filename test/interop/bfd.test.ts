/** BFD with other implementations: up, a silent link, a neighbour that takes it down on purpose. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { birdc } from '../../src/app/lab/bird-driver.js';
import { tearDown } from '../../src/app/lab/build.js';
import { vtysh } from '../../src/app/lab/frr-driver.js';
import { controlSocket, findRouter, type Lab } from '../../src/app/lab/lab.js';
import { healLink, silenceLink } from '../../src/app/lab/links.js';
import { ControlClient } from '../../src/edge/control/client.js';
import type { Neighbor } from '../../src/edge/control/schema.js';
import { labUnusable, startLab } from '../harness/lab.js';

const unusable = labUnusable({ peers: true });
if (unusable) console.log(`skipped: ${unusable}`);

const SPINES = ['spine1', 'spine2', 'spine3', 'spine4'];
/** Milliseconds: five intervals, and what a busy machine adds. The hold time is three minutes. */
const INTERVAL = 600;
const MULTIPLIER = 5;
const DETECTION = INTERVAL * MULTIPLIER;
const SLACK = 60_000;

describe.skipIf(unusable)('BFD of a heddle leaf with FRR, BIRD 2, BIRD 3 and heddle spines', () => {
  let lab: Lab;

  beforeAll(async () => {
    lab = await startLab(
      [
        'name: bfd',
        'spines: 4',
        'leaves: 1',
        'implementations: {spine1: frr, spine2: bird, spine3: bird3}',
        'timers: {hold: 180}',
        `bfd: {interval: ${INTERVAL}, multiplier: ${MULTIPLIER}}`,
        '',
      ].join('\n'),
    );
  });
  afterAll(async () => {
    if (lab) await tearDown(lab);
  });

  async function neighbor(spine: string): Promise<Neighbor> {
    const [found] = await new ControlClient(controlSocket(lab, 'leaf1')).neighbor(`to-${spine}`);
    return found!;
  }

  const states = async (spine: string) => {
    const { state, bfd } = await neighbor(spine);
    return `${state}, ${bfd?.state}`;
  };

  const frrState = async () => {
    const peers: { status: string }[] = JSON.parse(await vtysh(lab, 'spine1', ['show bfd peers json']));
    return peers.map(({ status }) => status);
  };
  const birdState = (spine: string) => birdc(lab, findRouter(lab, spine), 'show bfd sessions');

  it.each(SPINES)('comes up with %s at the interval of both', async (spine) => {
    await expect.poll(() => states(spine)).toBe('established, Up');
    await expect
      .poll(async () => (await neighbor(spine)).bfd)
      .toMatchObject({ remoteState: 'Up', transmitIntervalMs: INTERVAL, detectionTimeMs: DETECTION, failures: 0 });
  });

  it('is up in their eyes too', async () => {
    await expect.poll(frrState).toEqual(['up']);
    for (const spine of ['spine2', 'spine3']) await expect.poll(() => birdState(spine)).toMatch(/to-leaf1\s+Up/);
  });

  it.each(SPINES)('finds a silent link to %s long before the hold time, and the link again', async (spine) => {
    await expect.poll(() => states(spine)).toBe('established, Up');
    const before = (await neighbor(spine)).bfd!.failures;
    const from = performance.now();
    await silenceLink(lab, `leaf1:${spine}`);
    await expect.poll(async () => (await neighbor(spine)).bfd?.failures, { interval: 20 }).toBe(before + 1);
    expect(performance.now() - from).toBeLessThan(DETECTION + SLACK);
    const { state, lastDown } = await neighbor(spine);
    expect(state).not.toBe('established');
    expect(lastDown).toMatchObject({ kind: 'bfd-down', code: 6, subcode: 10 });
    await healLink(lab, `leaf1:${spine}`);
    await expect.poll(() => states(spine)).toBe('established, Up');
  });

  it('leaves the session alone when FRR takes BFD down on purpose', async () => {
    const before = await neighbor('spine1');
    const profile = (command: string) => vtysh(lab, 'spine1', ['configure terminal', 'bfd', 'profile fabric', command]);
    await profile('shutdown');
    await expect
      .poll(async () => (await neighbor('spine1')).bfd)
      .toMatchObject({ state: 'Down', remoteState: 'AdminDown', failures: before.bfd!.failures });
    expect(await neighbor('spine1')).toMatchObject({
      state: 'established',
      establishedCount: before.establishedCount,
      bfd: { reason: 'the neighbour has taken it down (AdminDown)' },
    });
    await profile('no shutdown');
    await expect.poll(() => states('spine1')).toBe('established, Up');
  });
});
