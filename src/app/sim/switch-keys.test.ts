/** What a study says of switches and hosts is what the run has: an incast under other classes of service, other pauses, another DCQCN. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readStudy } from './read-study.js';
import { runStudy } from './run-study.js';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'heddle-keys-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

const STUDY = `name: incast
topology:
  leaf-spine: { leaves: 2, spines: 2, hosts-per-leaf: 4, host-rate: 100G, uplink-rate: 100G }
workload:
  flow-file: flows.txt
schemes: [ecmp]
limit: 20ms
`;

/** Seven hosts to one at once. */
async function incast({ more = '', mark = '' }: { more?: string; mark?: string }) {
  const flows = [2, 3, 4, 5, 6, 7, 8].map((host) => `0 host${host} host1 500000 ${mark}`);
  writeFileSync(join(folder, 'flows.txt'), `${flows.join('\n')}\n`);
  const path = join(folder, 'study.yaml');
  writeFileSync(path, `${STUDY}${more}\n`);
  const study = readStudy(path);
  const { packets, pause, completionTime, flows: ended } = (await runStudy(study, study.schemes[0]!, 1)).result;
  return {
    dropped: packets['dropped-full'],
    pauses: pause.frames,
    notices: packets['congestion-notices'],
    slowest: completionTime?.most ?? Number.POSITIVE_INFINITY,
    finished: ended.finished,
  };
}

const SMALL = 'buffer: 1MB, pfc-before-ecn: true';
const UNCHECKED = 'transport: { congestion-control: none, reliability: irn }';

describe('an incast', () => {
  it('is paused in the lossless class; where the code point leads elsewhere it loses packets instead', async () => {
    const lossless = await incast({ more: `${UNCHECKED}\nswitches: { ${SMALL} }` });
    expect(lossless).toMatchObject({ dropped: 0, finished: 7 });
    expect(lossless.pauses).toBeGreaterThan(0);
    for (const setting of [
      { more: `${UNCHECKED}\nswitches: { ${SMALL}, classes: { no-loss: { dscp: [24] } } }` },
      { more: `${UNCHECKED.replace(' }', ', dscp: 10 }')}\nswitches: { ${SMALL} }` },
      { more: `${UNCHECKED}\nswitches: { ${SMALL} }`, mark: 'dscp=10' },
      { more: `${UNCHECKED}\nswitches: { ${SMALL} }`, mark: 'pcp=5' },
      { more: `${UNCHECKED}\nswitches: { ${SMALL}, pfc: false }` },
    ]) {
      const lossy = await incast(setting);
      expect(lossy.pauses, setting.more).toBe(0);
      expect(lossy.dropped, setting.more).toBeGreaterThan(0);
    }
    const moved = `${UNCHECKED}\nswitches: { ${SMALL}, classes: { no-loss: { dscp: [26], pcp: [5] } } }`;
    expect(await incast({ more: moved, mark: 'pcp=5' })).toEqual(lossless);
  });

  it('pauses sooner with a lower dynamic threshold', async () => {
    const pausesWith = async (alpha: number) =>
      (await incast({ more: `${UNCHECKED}\nswitches: { pfc-before-ecn: true, pfc: { alpha: ${alpha} } }` })).pauses;
    expect(await pausesWith(8)).toBe(0);
    expect(await pausesWith(0.001)).toBeGreaterThan(0);
  });

  it('has fewer notices the longer a receiver waits between them, and none where nothing is marked', async () => {
    const noticesWith = async (dcqcn: string, ecn = '{ minimum: 20KB, maximum: 80KB }') =>
      (await incast({ more: `transport: { dcqcn: { ${dcqcn} } }\nswitches: { ecn: ${ecn} }` })).notices;
    const usual = await noticesWith('cnp-interval: 50us');
    expect(usual).toBeGreaterThan(0);
    expect(await noticesWith('cnp-interval: 5us')).toBeGreaterThan(usual * 1.5);
    expect(await noticesWith('cnp-interval: 50us', '{ maximum: 900MB, probability: 0% }')).toBe(0);
  });
});
