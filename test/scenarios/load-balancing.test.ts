/**
 * Load balancing over what is left when an uplink has failed: flows that the leaf's own hash puts on one of three links, which is
 * looked up before they start, and what those links are given in each mode. Without moves that would be what the hash gives them.
 */
import { expect } from 'vitest';
import type { BurstyFlows } from '../../src/app/trial/trial-fabric.js';
import { describeGroupTrials, type Trial } from '../harness/trial.js';

const LEAF = 'leaf2';
const ENDS = { from: 'host2', to: 'host1' };
const COLOUR = 1;
const LEFT = ['to-spine2', 'to-spine3', 'to-spine4'];
/** Octets a second of a link; and of all flows, three quarters of what three links take. */
const RATE = 500_000;
const OFFERED = 0.75 * LEFT.length * RATE;
const BURSTY = { rate: OFFERED, burst: 40, pause: 80 };
const STEADY = { rate: OFFERED, burst: 40, pause: 0 };
/** Flows by link: even ones, and those whose busiest link has 1.8 times the mean, and more than it takes. */
const EVEN = [8, 8, 8];
const UNEVEN = [18, 6, 6];
const HASHED = imbalanceOf(UNEVEN);
const isEven = (imbalance: number) => imbalance - 1 < 0.6 * (HASHED - 1);
const isHashed = (imbalance: number) => Math.abs(imbalance - HASHED) < 0.25 * (HASHED - 1);
/** Flow numbers among which there are enough of each link. */
const CANDIDATES = Array.from({ length: 300 }, (_, n) => n);
const BUCKETS = 128;
/** Milliseconds: of the balancer's looks and scans, and of what is measured. */
const LOOK = 100;
const SCAN = 1000;
const SETTLING = 3500;
const MEASURED = 2500;
/** Times that something is measured at most. */
const WINDOWS = 24;
/** Of a mode `flowlet`, between two moves: those it rests, and those that must agree. */
const LOOKS_BETWEEN = 4;

const topology = (name: string, settings: string) => `
name: ${name}
spines: 4
leaves: 2
link-rate: 4mbit
settings: { ${LEAF}: { ${settings} } }`;

function imbalanceOf(loads: readonly number[]): number {
  return Math.max(...loads) / (loads.reduce((sum, load) => sum + load, 0) / loads.length);
}

/** What the scenarios of all modes do. */
function acts({ fabric, real, settles }: Trial) {
  const dlb = () => fabric.dlb(LEAF);
  const ofThree = async () => (await dlb()).groups.filter(({ members }) => members.length === LEFT.length);
  const group = async () => {
    const [found, ...others] = await ofThree();
    expect(others).toEqual([]);
    const shares = LEFT.map((uplink) => found!.members.find((member) => member.interface === uplink)?.share ?? 0);
    return { moves: found!.moves, shares };
  };
  const placement = (flows: readonly number[]) => fabric.placement(ENDS, COLOUR, flows);
  return {
    dlb,
    group,
    placement,

    async loseUplink(): Promise<void> {
      await fabric.fail(LEAF, 'spine1');
      const preferred = async () => [...(await fabric.routes(LEAF, `fc00:1:1:${COLOUR}::/64`)).preferred].sort();
      await settles(preferred, LEFT);
      await settles(async () => (await ofThree()).length, 1);
    },

    /** So many flows on each link, by the hash. */
    async chosen(counts: readonly number[]): Promise<number[]> {
      const placed = [...(await placement(CANDIDATES))];
      return LEFT.flatMap((uplink, place) => {
        const mine = placed.filter(([, found]) => found === uplink).map(([flow]) => flow);
        expect(mine.length).toBeGreaterThanOrEqual(counts[place]!);
        return mine.slice(0, counts[place]);
      });
    },

    async sending(flows: BurstyFlows, body: () => Promise<void>): Promise<void> {
      const bursts = await fabric.bursts(ENDS, COLOUR, flows);
      try {
        await body();
      } finally {
        await bursts.stop();
      }
    },

    /** Largest over mean of what the links are given while `body` runs. */
    async imbalance(body: () => Promise<void>): Promise<number> {
      const given = async () => {
        const offered = await fabric.offered(LEAF);
        return LEFT.map((uplink) => offered.get(uplink) ?? 0);
      };
      const before = await given();
      let parts = LEFT.map(() => 0);
      // Until there is something to measure.
      for (let left = WINDOWS; left > 0 && Math.min(...parts) <= 50; left--) {
        await body();
        parts = (await given()).map((packets, place) => packets - before[place]!);
      }
      expect(Math.min(...parts)).toBeGreaterThan(50);
      return imbalanceOf(parts);
    },

    /** The first of several measurements that is as it is to be, or the last: the machine may hold up senders, daemons and both. */
    async measured(measure: () => Promise<number>, isRight: (imbalance: number) => boolean): Promise<number> {
      let found = Number.NaN;
      for (let left = real ? WINDOWS : 1; left > 0 && !isRight(found); left--) found = await measure();
      return found;
    },
  };
}

for (const { mode, settings, between } of [
  { mode: 'flowlet', settings: '', between: LOOKS_BETWEEN * LOOK },
  { mode: 'adaptive', settings: `, scan-interval: ${SCAN / 1000}`, between: SCAN },
])
  describeGroupTrials(
    `load balancing, ${mode}`,
    topology(`lb-${mode}`, `load-balancing: { mode: ${mode}${settings} }`),
    (trial) => {
      const { fabric, scenario } = trial;
      const { group, loseUplink, chosen, sending, imbalance, measured: measuredOf } = acts(trial);

      scenario('moves nothing while the load is even', async () => {
        await loseUplink();
        const { shares } = await group();
        await sending({ flows: await chosen(EVEN), ...STEADY }, () => fabric.pause(2 * SCAN + MEASURED));
        expect(await group()).toEqual({ moves: 0, shares });
      });

      scenario(
        'moves shares from the crowded link to the others, step by step, until the load is nearly even',
        async () => {
          const before = await group();
          let measured = Number.POSITIVE_INFINITY;
          let seen = before;
          // Later the crowd may be elsewhere, and the first link take some back.
          let given = before.shares[0]!;
          await sending({ flows: await chosen(UNEVEN), ...BURSTY }, async () => {
            const started = performance.now();
            for (let passed = 0; passed < SETTLING; passed += LOOK) {
              await fabric.pause(LOOK);
              seen = await group();
              given = Math.min(given, seen.shares[0]!);
              expect(seen.shares.reduce((sum, share) => sum + share, 0)).toBe(BUCKETS);
              expect(Math.min(...seen.shares)).toBeGreaterThan(1);
            }
            measured = await measuredOf(() => imbalance(() => fabric.pause(MEASURED)), isEven);
            seen = await group();
            const passed = trial.real ? performance.now() - started : SETTLING + MEASURED;
            expect(seen.moves).toBeLessThanOrEqual(passed / between + 1);
          });
          expect(seen.moves).toBeGreaterThan(0);
          expect(given).toBeLessThan(before.shares[0]!);
          const figures = [HASHED, measured].map((figure) => figure.toFixed(2));
          console.log(`${mode}: largest over mean ${figures.join(' by hash, then ')}, ${seen.moves} moves`);
          expect(isEven(measured), figures[1]).toBe(true);
        },
      );
    },
  );

describeGroupTrials(
  'load balancing, flowlet, of flows that never pause',
  topology('lb-steady', 'load-balancing: { mode: flowlet }, fib: { idle-timer: 30 }'),
  (trial) => {
    const { fabric, scenario } = trial;
    const { group, loseUplink, chosen, placement, sending } = acts(trial);

    scenario('moves shares, and no flow that is under way', async () => {
      await loseUplink();
      const flows = await chosen(UNEVEN);
      const before = await placement(flows);
      await sending({ flows, ...STEADY }, async () => {
        for (let passed = 0; passed < SETTLING; passed += 5 * LOOK) {
          await fabric.pause(5 * LOOK);
          expect(await placement(flows)).toEqual(before);
        }
        expect((await group()).moves).toBeGreaterThan(0);
      });
    });
  },
);

for (const [mode, plain] of [
  ['assigned-flow', true],
  ['off', false],
] as const)
  describeGroupTrials(
    `load balancing, ${mode}`,
    topology(`lb-${mode}`, `load-balancing: { mode: ${mode} }`),
    (trial) => {
      const { fabric, scenario } = trial;
      const { dlb, group, loseUplink, chosen, placement, sending, imbalance, measured: measuredOf } = acts(trial);

      scenario('leaves every flow where its hash put it, and the shares as they are', async () => {
        await loseUplink();
        expect((await dlb()).plainGroups !== null).toBe(plain);
        const flows = await chosen(UNEVEN);
        const [before, where] = [await group(), await placement(flows)];
        let measured = 0;
        await sending({ flows, ...BURSTY }, async () => {
          await fabric.pause(5 * LOOK);
          const unmoved = async () => {
            for (let passed = 0; passed < MEASURED; passed += 5 * LOOK) {
              await fabric.pause(5 * LOOK);
              expect(await placement(flows)).toEqual(where);
              expect(await group()).toEqual(before);
            }
          };
          measured = await measuredOf(() => imbalance(unmoved), isHashed);
        });
        expect(before.moves).toBe(0);
        expect(isHashed(measured), measured.toFixed(2)).toBe(true);
      });
    },
  );
