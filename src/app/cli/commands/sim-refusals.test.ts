/** Studies that cannot be run, as somebody types them: refused before anything runs, with file, line, column and key, and what would be right. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CommandError } from '../exit-codes.js';
import { buildProgram } from '../program.js';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'heddle-refused-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

function write(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

// Loaded before the tests: their time limits are not for that.
await buildProgram('sim');

/** What `heddle sim compare` says of a study, and how it ends. */
async function refusal(study: string, ...options: readonly string[]) {
  const path = write('study.yaml', study);
  try {
    await (await buildProgram('sim')).parseAsync(['sim', 'compare', path, ...options], { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    return { message: error.message.replaceAll(`${folder}/`, ''), exitCode: error.exitCode };
  }
  throw new Error('it was taken');
}

const SMALL = 'leaf-spine: { leaves: 2, spines: 2, hosts-per-leaf: 2, host-rate: 100G, uplink-rate: 100G }';

function study({ topology = SMALL, workload = 'permutation: { octets: 1MB }', schemes = 'ecmp', more = '' }): string {
  return `name: one\ntopology:\n  ${topology}\nworkload:\n  ${workload}\nschemes: [${schemes}]\n${more}\n`;
}

/** Two leaves with two hosts each, and no link between them. */
const TWO_ISLANDS = `6 2 4
4 5
0 4 100Gbps 1us 0
1 4 100Gbps 1us 0
2 5 100Gbps 1us 0
3 5 100Gbps 1us 0
`;

describe('heddle sim compare refuses', () => {
  it.each([
    [
      'a fabric with hosts that cannot be reached',
      { topology: 'ns3-file: islands.txt' },
      'study.yaml:3:13: topology.ns3-file: islands.txt: no way from host1 to host3',
    ],
    [
      'a topology file with a bad line',
      { topology: 'ns3-file: bad.txt' },
      'study.yaml:3:13: topology.ns3-file: bad.txt: topology line 3: 100Gb: expected a number and one of bps, Kbps, Mbps, Gbps, Tbps',
    ],
    [
      'GLB where links are parallel',
      { topology: SMALL.replace('}', ', parallel-links: 2 }'), schemes: 'ecmp, glb' },
      'study.yaml:6:17: schemes[1]: glb: parallel links: GLB wants one link between a leaf and a spine',
    ],
    [
      'CONGA on three tiers',
      { topology: 'fat-tree: { k: 4 }', schemes: 'conga' },
      "study.yaml:6:11: schemes[0]: conga: a fabric of 3 tiers: CONGA's leaves know uplinks, not ways, so two tiers at most",
    ],
    [
      'GLB on five stages',
      { topology: 'fat-tree: { k: 4 }', schemes: '{ glb: { mode: per-packet } }' },
      'study.yaml:6:18: schemes[0].glb: glb mode=per-packet: a fabric of 5 stages: GLB knows next-next-hops only, so three at most',
    ],
    [
      'RLB where there is one uplink',
      { topology: SMALL.replace('spines: 2', 'spines: 1'), schemes: 'rlb' },
      'study.yaml:6:11: schemes[0]: rlb: leaves with one uplink have nothing to balance',
    ],
    [
      'marking that begins after pauses',
      { more: 'switches: { ecn: { minimum: 8MB } }' },
      /^study\.yaml:7:29: switches\.ecn\.minimum: leaf1: PFC may pause before ECN marks: marking from 8000000 octets on, it must be below \d+ \(4 ports, alpha 0\.125, \d+ shared octets\); or pfc-before-ecn: true runs it as it is$/,
    ],
    [
      'a flow file with a bad line',
      { workload: 'flow-file: flows.txt' },
      'study.yaml:5:14: workload.flow-file: flows.txt: flow file line 3: host9 is no host of this fabric',
    ],
    [
      'a flow file that is not there',
      { workload: 'flow-file: none.txt' },
      'study.yaml:5:14: workload.flow-file: none.txt: cannot be read: no such file',
    ],
    [
      'a file of sizes with a bad line',
      { workload: 'poisson: { sizes: { file: sizes.txt }, load: 50%, duration: 1ms }' },
      'study.yaml:5:21: workload.poisson.sizes: sizes.txt: line 2: 4KB 50: expected OCTETS PER-CENT such as 4000 22.93',
    ],
    [
      'sizes of which shares fall',
      { workload: 'poisson: { sizes: [[0, 0%], [4KB, 60%], [8KB, 50%], [1MB, 100%]], load: 50%, duration: 1ms }' },
      'study.yaml:5:21: workload.poisson.sizes: 8000 octets at 50% comes after 4000 octets at 60%; expected neither to fall',
    ],
    [
      'a load that hosts cannot send',
      {
        topology: SMALL.replace('spines: 2', 'spines: 8'),
        workload: 'poisson: { sizes: websearch, load: 50%, duration: 1ms }',
      },
      /^study\.yaml:5:12: workload\.poisson: a load of 0\.5 in a fabric oversubscribed 0\.25:1 is 2 of what hosts can send$/,
    ],
    [
      'a time in which no flow comes',
      { workload: 'poisson: { sizes: websearch, load: 1%, duration: 1ns }' },
      'study.yaml:5:12: workload.poisson: seed 1 draws no flow at all; expected a longer duration or a higher load',
    ],
    [
      'a receiver that is not there',
      { workload: 'incast: { octets: 1MB, receiver: host9, senders: 2 }' },
      'study.yaml:5:36: workload.incast.receiver: there is no host host9 in the fabric; expected host1 to host4',
    ],
    [
      'more senders than hosts',
      { workload: 'incast: { octets: 1MB, receiver: host1, senders: 9 }' },
      'study.yaml:5:52: workload.incast.senders: 9 senders; expected 3 at most, the other hosts of the fabric',
    ],
    [
      'a stride round the fabric',
      { workload: 'permutation: { octets: 1MB, stride: 4 }' },
      'study.yaml:5:16: workload.permutation: a stride of 4 among 4 hosts: 1 to 3',
    ],
    [
      'rails of a fabric that has none',
      { workload: 'collective: { kind: all-reduce, octets: 1MB, groups: rails }' },
      'study.yaml:5:56: workload.collective.groups: rails are those of a topology of rails; expected groups: one, or another topology',
    ],
    [
      'a collective of too few octets',
      { workload: 'collective: { kind: all-reduce, octets: 1B }' },
      'study.yaml:5:15: workload.collective: all-reduce of 1 octets: 16 are needed at least',
    ],
    [
      'more stages than hosts',
      {
        workload:
          'training: { stages: 9, micro-batches: 1, activations: 1MB, gradients: 1MB, forward: 1us, backward: 1us }',
      },
      'study.yaml:5:23: workload.training.stages: 9 stages, and the fabric has 4 hosts; expected a host for each stage at least',
    ],
    [
      'stages that leave hosts over',
      {
        workload:
          'training: { stages: 3, micro-batches: 1, activations: 1MB, gradients: 1MB, forward: 1us, backward: 1us }',
      },
      'study.yaml:5:23: workload.training.stages: 3 stages cannot share 4 hosts equally; expected a number such as 2 or 4',
    ],
    [
      'a load of more than all',
      { workload: 'poisson: { sizes: websearch, load: 150%, duration: 1ms }' },
      'study.yaml:5:38: workload.poisson.load: expected a share above 0, up to 100%, such as 50% or 0.5, found "150%"',
    ],
    [
      'a part of the run after all flows have come',
      {
        workload: 'poisson: { sizes: websearch, load: 50%, duration: 1ms }',
        more: 'measure: { from: 5ms }',
      },
      /^study\.yaml:7:18: measure\.from: seed 1: flows start from \d+us to \d+us; expected a part of the run in which some do$/,
    ],
    [
      'a part of the run before any flow has come',
      { workload: 'permutation: { octets: 1MB, start: 2ms }', more: 'measure: { until: 1ms }' },
      'study.yaml:7:19: measure.until: seed 1: flows start at 2000us; expected a part of the run in which some do',
    ],
    [
      'a part of the run after all background flows have come',
      {
        workload: 'collective: { kind: all-reduce, octets: 1MB }',
        more: 'background: { sizes: alistorage2019, load: 50%, duration: 200us }\nmeasure: { from: 5ms }',
      },
      /^study\.yaml:8:18: measure\.from: seed 1: background flows start from \d+us to 200us; expected/,
    ],
    [
      'a part of the run after its limit',
      { more: 'limit: 2ms\nmeasure: { from: 2ms }' },
      "study.yaml:8:18: measure.from: expected a time before the study's limit of 2ms",
    ],
    [
      'two workloads',
      { more: 'seeds: 1', workload: 'flow-file: flows.txt\n  permutation: { octets: 1MB }' },
      'study.yaml:5:3: workload: expected one of poisson, permutation, incast, collective, training, flow-file; found permutation, flow-file',
    ],
  ])('%s', async (_, parts, message) => {
    write('islands.txt', TWO_ISLANDS);
    write('bad.txt', TWO_ISLANDS.replace('100Gbps', '100Gb'));
    write('flows.txt', '# flows\n0 host1 host2 1000\n0 host1 host9 1000\n');
    write('sizes.txt', '0 0\n4KB 50\n');
    const said = await refusal(study(parts));
    expect(said.exitCode).toBe(2);
    if (typeof message === 'string') expect(said.message).toBe(message);
    else expect(said.message).toMatch(message);
  });

  it('a name that is no study, with the one that is near', async () => {
    const refused = async (name: string) =>
      (await buildProgram('sim')).parseAsync(['sim', 'compare', name], { from: 'user' });
    await expect(refused('permutaton')).rejects.toThrow(
      'permutaton: no such file, and no study that comes with heddle; did you mean permutation? (`heddle sim studies` lists them)',
    );
    await expect(refused('permutation.yml')).rejects.toThrow('; did you mean permutation?');
    await expect(refused('quite-another')).rejects.toThrow('no study that comes with heddle (`heddle sim studies`');
    await expect(refused('nowhere/permutaton.yaml')).rejects.toThrow('nowhere/permutaton.yaml: no such file');
  });

  it('a scheme of the command line that the fabric is too large for', async () => {
    expect(await refusal(study({ topology: 'fat-tree: { k: 4 }' }), '--schemes', 'conga')).toEqual({
      message: "--schemes: conga: a fabric of 3 tiers: CONGA's leaves know uplinks, not ways, so two tiers at most",
      exitCode: 2,
    });
    expect((await refusal(study({}), '--schemes', 'congo')).message).toMatch(
      /^--schemes: unknown scheme congo; did you mean conga\? \(there are ecmp, /,
    );
    expect(await refusal(study({}), '--schemes', 'ecmp,rlb,ecmp')).toEqual({
      message: '--schemes: ecmp stands there twice; expected each scheme once',
      exitCode: 2,
    });
  });

  it('a scheme of the file that the fabric is too large for, where that one is asked for', async () => {
    const tree = study({ topology: 'fat-tree: { k: 4 }', schemes: 'ecmp, { glb: { heartbeat: 9 } }' });
    const place = 'study.yaml:6:24: schemes[1].glb: glb heartbeat=9: a fabric of 5 stages';
    expect((await refusal(tree, '--schemes', 'glb')).message).toContain(place);
    expect((await refusal(tree, '--schemes', 'glb heartbeat=9')).message).toContain(place);
  });
});
