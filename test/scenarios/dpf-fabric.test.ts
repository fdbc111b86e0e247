/**
 * Deterministic path forwarding as scenarios, each run twice: on virtual time in this process, and for real in network
 * namespaces. Same topology, same steps, same expectations; the real one reads the kernel's tables and counters.
 */
import { expect } from 'vitest';
import type { ForwardingRoutes } from '../../src/app/trial/trial-fabric.js';
import { describeTrials } from '../harness/trial.js';

const TOPOLOGY = `
name: scenario
spines: 4
leaves: 2
`;
const COLOURS = [1, 2, 3, 4];
const ENDS = { from: 'host2', to: 'host1' };
const LEAF = 'leaf2';

const uplink = (colour: number): string => `to-spine${colour}`;
const others = (colour: number): string[] => COLOURS.filter((one) => one !== colour).map(uplink);
const prefixOf = (colour: number): string => `fc00:1:1:${colour}::/64`;
const sorted = ({ preferred, fallback }: ForwardingRoutes) => ({
  preferred: [...preferred].sort(),
  fallback: [...fallback].sort(),
});

describeTrials('a DPF fabric', TOPOLOGY, ({ fabric, real, scenario, settles, under }) => {
  /** Waits until the leaf's routes of every colour are these. */
  async function expectRoutes(expected: (colour: number) => ForwardingRoutes): Promise<void> {
    const table = async () => Promise.all(COLOURS.map(async (one) => sorted(await fabric.routes(LEAF, prefixOf(one)))));
    await settles(
      table,
      COLOURS.map((one) => sorted(expected(one))),
    );
  }

  async function expectPaths(expected: (colour: number) => readonly string[]): Promise<void> {
    for (const colour of COLOURS)
      await settles(async () => [...(await fabric.carriers(ENDS, colour))].sort(), [...expected(colour)].sort());
  }

  const expectIntact = async (): Promise<void> => {
    await expectRoutes((colour) => ({ preferred: [uplink(colour)], fallback: others(colour) }));
    await expectPaths((colour) => [uplink(colour)]);
  };

  /** What is left when spine `lost` is out of reach, wherever the break is. */
  const expectWithout = async (lost: number): Promise<void> => {
    const remaining = (colour: number): string[] => others(colour).filter((name) => name !== uplink(lost));
    await expectRoutes((colour) =>
      colour === lost
        ? { preferred: remaining(colour), fallback: [] }
        : { preferred: [uplink(colour)], fallback: remaining(colour) },
    );
    await expectPaths((colour) => (colour === lost ? remaining(colour) : [uplink(colour)]));
  };

  scenario('every session came up at its first try', async () => {
    expect(await fabric.sessionTries()).toEqual({ first: 16, total: 16 });
  });

  scenario('each prefix is on its own spine, with the other three behind it', expectIntact);

  scenario('the matrix shows colour and AIGP of each path', async () => {
    const { rows, uplinks } = await fabric.matrix(LEAF);
    expect(uplinks.map(({ interface: name, colour, up }) => ({ name, colour, up }))).toEqual(
      COLOURS.map((colour) => ({ name: uplink(colour), colour, up: true })),
    );
    for (const colour of COLOURS) {
      const row = rows.find(({ prefix }) => prefix === prefixOf(colour));
      expect(row).toMatchObject({ colour, origin: 65101 });
      expect(row?.cells).toEqual(
        COLOURS.map((one) =>
          one === colour ? { state: 'preferred', colour, aigp: '1' } : { state: 'fallback', colour, aigp: null },
        ),
      );
    }
  });

  scenario('the own link to a spine dies: its prefix goes over the other three, and back when it heals', async () => {
    await fabric.fail(LEAF, 'spine1');
    await expectWithout(1);
    await fabric.heal(LEAF, 'spine1');
    await expectIntact();
  });

  scenario('the link dies at the spine end: carrier is what counts', async () => {
    await fabric.fail('spine3', LEAF);
    await expectWithout(3);
    await fabric.heal('spine3', LEAF);
    await expectIntact();
  });

  scenario("the spine's link to the far leaf dies: the prefix leaves that spine all the same", async () => {
    await fabric.fail('spine2', 'leaf1');
    await expectWithout(2);
    await fabric.heal('spine2', 'leaf1');
    await expectIntact();
  });

  scenario('three of four uplinks die: everything goes over the last one', async () => {
    for (const spine of [1, 2, 4]) await fabric.fail(LEAF, `spine${spine}`);
    await expectRoutes(() => ({ preferred: ['to-spine3'], fallback: [] }));
    await expectPaths(() => ['to-spine3']);
    for (const spine of [1, 2, 4]) await fabric.heal(LEAF, `spine${spine}`);
    await expectIntact();
  });

  scenario('traffic loses nothing when the own link dies or heals', async () => {
    const failing = await under(ENDS, () => fabric.fail(LEAF, 'spine4'));
    const failed = await under(ENDS, () =>
      expectRoutes((colour) =>
        colour === 4
          ? { preferred: others(4), fallback: [] }
          : { preferred: [uplink(colour)], fallback: others(colour).filter((name) => name !== uplink(4)) },
      ),
    );
    const healing = await under(ENDS, async () => {
      await fabric.heal(LEAF, 'spine4');
      await expectRoutes((colour) => ({ preferred: [uplink(colour)], fallback: others(colour) }));
    });
    // The kernel drops what is on the wire while it takes the link of that colour down, for as long as that takes it.
    const [dropped, ...kept] = failing.toReversed();
    if (!real) expect(dropped!.longestOutageMs).toBeLessThanOrEqual(50);
    for (const { flow, sent, lost } of [...kept, ...failed, ...healing]) {
      expect(sent, flow).toBeGreaterThan(500);
      expect(lost, `lost of ${flow}`).toBe(0);
    }
  });
});
