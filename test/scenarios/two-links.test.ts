/**
 * Two links between each leaf and each spine, session mode: colours belong to links. Each scenario runs on virtual time and for
 * real in network namespaces, where the counters of the links say which of them carried the packets, at the leaf's end and at the
 * spine's.
 */
import { expect } from 'vitest';
import { describeTrials } from '../harness/trial.js';

const TOPOLOGY = `
name: dm-two-links
spines: 2
leaves: 2
links-per-pair: 2
dpf-mode: session
`;
const COLOURS = [1, 2, 3, 4];
const UPLINKS = ['to-spine1-1', 'to-spine1-2', 'to-spine2-1', 'to-spine2-2'];
const ENDS = { from: 'host2', to: 'host1' };

const uplink = (colour: number): string => UPLINKS[colour - 1]!;
const prefixOf = (colour: number): string => `fc00:1:1:${colour}::/64`;
describeTrials('two links per pair in session mode', TOPOLOGY, ({ fabric, scenario, settles }) => {
  const sorted = async (colour: number) => {
    const { out, in: arrived } = await fabric.ways(ENDS, colour);
    return { out: [...out].sort(), in: [...arrived].sort() };
  };

  const expectOwnLink = (colour: number): Promise<void> =>
    settles(() => sorted(colour), { out: [uplink(colour)], in: [uplink(colour)] });

  const expectPreferred = (colour: number, expected: readonly string[]): Promise<void> =>
    settles(async () => [...(await fabric.routes('leaf2', prefixOf(colour))).preferred].sort(), [...expected]);

  /** It goes by others: at the ends that are named. */
  async function expectMoved(colour: number, ends: readonly ('out' | 'in')[]): Promise<void> {
    const moved = async () => {
      const ways = await sorted(colour);
      return ends.every((end) => ways[end].length > 0 && !ways[end].includes(uplink(colour)));
    };
    await settles(moved, true);
  }

  scenario('each colour takes the link of its colour, up to the spine and down from it', async () => {
    for (const colour of COLOURS) await expectOwnLink(colour);
  });

  scenario('the leaf has all other links behind the one of the colour', async () => {
    for (const colour of COLOURS) {
      const { preferred, fallback } = await fabric.routes('leaf2', prefixOf(colour));
      expect(preferred).toEqual([uplink(colour)]);
      expect([...fallback].sort()).toEqual(UPLINKS.filter((name) => name !== uplink(colour)));
    }
  });

  scenario('the spine has the other link to that leaf behind the one of the colour', async () => {
    expect(await fabric.routes('spine1', prefixOf(1))).toEqual({ preferred: ['to-leaf1-1'], fallback: ['to-leaf1-2'] });
    expect(await fabric.routes('spine1', prefixOf(2))).toEqual({ preferred: ['to-leaf1-2'], fallback: ['to-leaf1-1'] });
  });

  scenario('every path on a link has the colour of the link, and nothing is hidden', async () => {
    const { rows } = await fabric.matrix('leaf2');
    for (const colour of COLOURS) {
      const row = rows.find(({ prefix }) => prefix === prefixOf(colour));
      expect(row?.cells).toEqual(
        COLOURS.map((one) => ({
          state: one === colour ? 'preferred' : 'fallback',
          colour: one,
          aigp: one === colour ? '1' : null,
        })),
      );
    }
  });

  scenario('one of the two own links to a spine dies: only its colour moves, to the links behind it', async () => {
    await fabric.fail('leaf2', 'spine1', 1);
    await expectPreferred(1, UPLINKS.slice(1));
    await expectMoved(1, ['out']);
    await expectOwnLink(2);
    await fabric.heal('leaf2', 'spine1', 1);
    await expectPreferred(1, [uplink(1)]);
    await expectOwnLink(1);
  });

  scenario(
    'one of the two links from the spine to the far leaf dies: its colour leaves that link at both ends',
    async () => {
      await fabric.fail('spine1', 'leaf1', 2);
      await expectPreferred(2, [uplink(1), uplink(3), uplink(4)]);
      await expectMoved(2, ['out', 'in']);
      await expectOwnLink(1);
      await fabric.heal('spine1', 'leaf1', 2);
      await expectPreferred(2, [uplink(2)]);
      await expectOwnLink(2);
    },
  );
});
