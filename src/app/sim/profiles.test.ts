/** What the DCQCN of the profiles comes to on one link: whether two long flows get equal shares of it, and when. */
import { describe, expect, it } from 'vitest';
import type { CongestionControl } from '../../simulator/hosts/congestion-control.js';
import { flowList, smallClos, smallFabric } from '../../simulator/network/small-fabric.fixture.js';
import { PROFILE_NAMES, PROFILES, type ProfileName } from './profiles.js';
import { settingsOf } from './study-settings.js';

const MS = 1e9;

/** Jain's index of what two flows to one host get in each of so many milliseconds, and the share of the link that is used; the second begins at a 16th of the first's rate. */
function sharesOf(profile: ProfileName, rate: number, milliseconds: number) {
  const topology = smallClos(1, 1, 3, rate);
  const settings = settingsOf(topology, PROFILES[profile]);
  const controls: CongestionControl[] = [];
  const simulation = smallFabric(topology, {
    ...settings,
    congestion: (queuePairs, events) => {
      controls.push(settings.congestion(queuePairs, events));
      return controls[0]!;
    },
  });
  const octets = 4e9;
  const list = flowList(simulation, [
    { source: 1, destination: 0, octets, start: 0 },
    { source: 2, destination: 0, octets, start: 0 },
  ]);
  simulation.run(list, 1);
  for (let notice = 0; notice < 4; notice++) controls[0]!.congested(1);
  const { unacknowledged } = simulation.queuePairs;
  const { payload, overhead } = PROFILES[profile].sizes;
  let before = [0, 0];
  const windows = Array.from({ length: milliseconds }, (_, window) => {
    simulation.proceed(list, (window + 1) * MS);
    const [one, other] = [unacknowledged[0]! - before[0]!, unacknowledged[1]! - before[1]!];
    before = [unacknowledged[0]!, unacknowledged[1]!];
    const sum = one + other;
    const used = (sum * (payload + overhead) * 8) / (rate / 1000);
    return { fairness: sum ** 2 / (2 * (one ** 2 + other ** 2)), used };
  });
  expect([simulation.switches.droppedFull, simulation.hosts.resent]).toEqual([0, 0]);
  return windows;
}

const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;

describe('two long flows of which one has a 16th of the rate', () => {
  it.each([100e9, 400e9])(
    'are fair within 10 ms with rocev2 at %d bit/s, and stay so, and the link is full',
    (rate) => {
      const windows = sharesOf('rocev2', rate, 20);
      expect(windows[0]!.fairness).toBeLessThan(0.75);
      const settled = windows.slice(10);
      expect(mean(settled.map(({ fairness }) => fairness))).toBeGreaterThan(0.95);
      expect(Math.min(...settled.map(({ fairness }) => fairness))).toBeGreaterThan(0.9);
      expect(mean(settled.map(({ used }) => used))).toBeGreaterThan(0.95);
    },
  );

  it("are not with the paper's step of 40 Mb/s at 400 Gb/s, which is made for 40", () => {
    expect(sharesOf('paper', 400e9, 20).at(-1)!.fairness).toBeLessThan(0.95);
    expect(
      mean(
        sharesOf('paper', 40e9, 30)
          .slice(20)
          .map(({ fairness }) => fairness),
      ),
    ).toBeGreaterThan(0.9);
  });
});

it('profiles share no parameter set: each names its own DCQCN and its own marking', () => {
  const parameters = PROFILE_NAMES.map((name) => PROFILES[name].dcqcn.parameters);
  expect(new Set(parameters).size).toBe(PROFILE_NAMES.length);
  expect(new Set(PROFILE_NAMES.map((name) => PROFILES[name].switches.marking)).size).toBe(PROFILE_NAMES.length);
});
