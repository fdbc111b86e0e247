import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ConfigError } from '../config/read-text.js';
import { PROFILES } from './profiles.js';
import { readStudy, readSweep } from './read-study.js';
import { refusalOf } from './refusal.fixture.js';
import { runStudy } from './run-study.js';
import { schemeInFile, schemesOf } from './study-schemes.js';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'heddle-study-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

const FABRIC =
  'topology:\n  leaf-spine: { leaves: 2, spines: 2, hosts-per-leaf: 2, host-rate: 100G, uplink-rate: 100G }\n';
const WORKLOAD = 'workload:\n  permutation: { octets: 1MB }\n';

function study(text: string) {
  const path = join(folder, 'study.yaml');
  writeFileSync(path, text);
  return readStudy(path);
}

const faults = (text: string) => refusalOf(folder, () => study(text));

describe('readStudy', () => {
  it('builds the fabric, and knows schemes with their options', () => {
    const { topology, schemes, seeds, profile } = study(
      `name: one\n${FABRIC}${WORKLOAD}profile: ns3-conweave\nswitches: { buffer: 4MiB }\nschemes: [ecmp, { letflow: { gap: 50 } }]\nseeds: [4, 7]\n`,
    );
    expect([topology.hosts, topology.switches, topology.links.length]).toEqual([4, 4, 8]);
    expect(topology.links[0]!.rate).toBe(100e9);
    expect(schemes.map(({ label }) => label)).toEqual(['ecmp', 'letflow gap=50']);
    expect(seeds).toEqual([4, 7]);
    expect(profile.buffer.size).toBe(4 * 1024 * 1024);
    expect(profile.sizes.payload).toBe(1000);
  });

  it.each([
    ['schemes: [letflw]', 'study.yaml:6:11: schemes[0]: unknown scheme letflw; did you mean letflow?'],
    [
      'schemes: [{ letflow: { gapp: 3 } }]',
      'study.yaml:6:24: schemes[0].letflow.gapp: unknown option of letflow; did you mean gap? (it has gap',
    ],
    [
      'schemes: [{ letflow: { gap: "yes" } }]',
      'study.yaml:6:29: schemes[0].letflow.gap: expected a number such as 100, found "yes"',
    ],
    ['schemes: [{ letflow: { gap: -1 } }]', 'study.yaml:6:22: schemes[0].letflow: letflow gap=-1: gap -1'],
    ['schemes: [ecmp, ecmp]', 'study.yaml:6:17: schemes[1]: ecmp stands there twice; expected each scheme once'],
    [
      'schemes: [ecmp]\nfailures: [{ at: 1ms, link: leaf1:spine9 }]',
      'study.yaml:7:29: failures[0].link: there is no spine9 in the fabric; did you mean spine1? (it has host1 to host4, leaf1 to leaf2, spine1 to spine2)',
    ],
    [
      'schemes: [ecmp]\nfailures: [{ at: 1ms, link: leaf1:leaf2 }]',
      'study.yaml:7:29: failures[0].link: there is no link leaf1:leaf2 in the fabric; leaf1 has links to host1, host2, spine1, spine2',
    ],
    [
      'schemes: [ecmp]\nfailures: [{ at: 1ms, link: leaf1:spine1/2 }]',
      'failures[0].link: there is no link leaf1:spine1/2 in the fabric; there is one between the two',
    ],
    [
      'schemes: [ecmp]\nfailures: [{ at: 1ms, link: leaf1 }]',
      'failures[0].link: expected a link such as leaf1:spine2 or leaf1:spine2/2, found "leaf1"',
    ],
    [
      'schemes: [ecmp]\nfailures: [{ at: 1ms, link: host1:leaf1 }]',
      "failures[0].link: host1:leaf1 is a host's only link; expected a rate or loss with it",
    ],
    [
      'schemes: [ecmp]\nfailures: [{ at: 1ms, link: leaf1:spine1, until: 1ms }]',
      'study.yaml:7:50: failures[0].until: link leaf1:spine1: expected a time after that of at',
    ],
    [
      'schemes: [ecmp]\nfailures: [{ at: 1ms, link: leaf1:spine1, loss: 100% }]',
      'study.yaml:7:49: failures[0].loss: link leaf1:spine1: expected less than 100%',
    ],
    ['schemes: [ecmp]\nlimit: 5 parsecs', 'study.yaml:7:8: limit: expected a time above 0 such as 2ms'],
    ['schemes: []', 'study.yaml:6:10: schemes: expected a list of schemes such as [ecmp, rlb], found an empty list'],
    ['schemes: ecmp', 'study.yaml:6:10: schemes: expected a list of schemes such as [ecmp, rlb], found "ecmp"'],
    ['schemes: [ecmp]\nseeds: [1, 1]', 'study.yaml:7:8: seeds: a seed stands there twice; expected each once'],
    ['schemes: [ecmp]\nsedes: 3', 'study.yaml:7:1: sedes: unknown key; did you mean seeds?'],
    [
      'schemes: [ecmp]\nprofile: ns3-conweave\ntransport: { dcqcn: { cnp-interval: 50us } }',
      'study.yaml:8:23: transport.dcqcn.cnp-interval: the DCQCN of profile ns3-conweave has no such parameter, it is one of rocev2 and paper; expected one of gain,',
    ],
    [
      'schemes: [ecmp]\ntransport: { dcqcn: { cut-interval: 4us } }',
      'transport.dcqcn.cut-interval: the DCQCN of profile rocev2 has no such parameter, it is one of ns3-conweave; expected',
    ],
    [
      'schemes: [ecmp]\ntransport: { congestion-control: none, dcqcn: { gain: 6.25% } }',
      'study.yaml:7:49: transport.dcqcn.gain: no sender follows congestion here; expected congestion-control: dcqcn',
    ],
    [
      'schemes: [ecmp]\ntransport: { congestion-control: dcqcn-ns3 }',
      'transport.congestion-control: expected one of dcqcn, none, found "dcqcn-ns3"',
    ],
    ['schemes: [ecmp]\ntransport: { dscp: 48 }', 'study.yaml:7:20: transport.dscp: 48 leads into the class of CNPs'],
    [
      'schemes: [ecmp]\nswitches: { classes: { no-loss: { dscp: [26, 48] } } }',
      'study.yaml:7:41: switches.classes.no-loss.dscp: dscp 48 leads into no-loss and into control; expected it in one',
    ],
    [
      'schemes: [ecmp]\nswitches: { ecn: { minimum: 2MB, maximum: 1MB } }',
      'study.yaml:7:43: switches.ecn.maximum: 1000000 octets; expected 2000000 or more, the minimum',
    ],
    [
      'schemes: [ecmp]\nswitches: { ecn: { minimum: 9MB }, pfc: { alpha: 0.125 } }',
      'study.yaml:7:29: switches.ecn.minimum: leaf1: PFC may pause before ECN marks: marking from 9000000 octets on, it must be below',
    ],
    [
      'schemes: [ecmp]\nswitches: { buffer: 10KB }',
      'study.yaml:7:21: switches.buffer: leaf1: headroom and guarantees of 4 ports take',
    ],
  ])('refuses %s', (text, reason) => {
    expect(faults(`name: one\n${FABRIC}${WORKLOAD}${text}\n`)).toContain(reason);
  });

  it.each([
    ['fat-tree: { k: 3 }', 'study.yaml:3:18: topology.fat-tree.k: expected a multiple of 2, found 3'],
    [
      'leaf-spine: { leaves: 900000, spines: 2, hosts-per-leaf: 2 }',
      'study.yaml:3:15: topology.leaf-spine: a fabric of 2700002 hosts and switches; expected 100000 at most',
    ],
  ])('refuses the fabric %s', (topology, reason) => {
    expect(faults(`name: one\ntopology:\n  ${topology}\n${WORKLOAD}schemes: [ecmp]\n`)).toContain(reason);
  });

  it('has what a study says of hosts and switches in place of what the profile has, and names it', () => {
    const { profile, changed } = study(
      `name: one\n${FABRIC}${WORKLOAD}schemes: [ecmp]\ntransport: { dcqcn: { gain: 6.25%, additive-step: 40M, hyper-step: 2%, cnp-interval: 4us, increase-octets: 1MB, least-rate: 1G, fast-recovery: 1, alpha-interval: 1us, increase-interval: 300us }, ack-dscp: 26, cnp-dscp: 46 }\nswitches: { ecn: { minimum: 50KB, maximum: 200KB, probability: 1% }, egress-alpha: 2, pfc: { alpha: 0.5, xon-offset: 4KB, headroom: 60KB, watchdog: { detect: 1ms, action: forward } }, classes: { no-loss: { dscp: [26, 24], pcp: [4] }, control: { dscp: [46] } } }\n`,
    );
    expect(profile.dcqcn).toEqual({
      kind: 'cnp',
      parameters: {
        gain: 1 / 16,
        noticeInterval: 4e6,
        alphaInterval: 1e6,
        increaseInterval: 300e6,
        increaseOctets: 1e6,
        fastRecovery: 1,
        additive: { rate: 40e6 },
        hyper: { ofLine: 0.02 },
        leastRate: 1e9,
      },
    });
    expect(profile.marks).toEqual({ data: 26, acknowledgement: 26, notice: 46 });
    expect(profile.switches.marking).toEqual({ minimum: 50e3, maximum: 200e3, probability: 0.01 });
    expect(profile.switches.watchdog).toEqual({ detect: 1e9, restore: 200e9, action: 'forward' });
    expect(profile.buffer).toMatchObject({ ingressAlpha: 0.5, egressAlpha: 2, resumeOffset: 4000, pfc: true });
    expect(profile.headroom).toBe(60_000);
    expect(profile.classes.map(({ dscp, pcp }) => [dscp, pcp])).toEqual([
      [[46], [6]],
      [[26, 24], [4]],
      [[], []],
    ]);
    expect(changed).toHaveLength(24);
    expect(changed).toEqual(
      expect.arrayContaining(['transport.dcqcn.gain', 'switches.pfc.watchdog.action', 'switches.classes.control.dscp']),
    );
    expect(study(`name: one\n${FABRIC}${WORKLOAD}schemes: [ecmp]\n`).changed).toEqual([]);
  });

  it.each(['rocev2', 'paper', 'ns3-conweave'] as const)('has the parameters of %s and of no other profile', (name) => {
    const found = study(`name: one\n${FABRIC}${WORKLOAD}schemes: [ecmp]\nprofile: ${name}\n`);
    expect(found.profile).toEqual(PROFILES[name]);
    expect(found.changed).toEqual([]);
  });

  it('has only the schemes that are asked for, and nothing against the others', () => {
    const path = join(folder, 'study.yaml');
    const tree = 'topology:\n  fat-tree: { k: 4 }\n';
    writeFileSync(path, `name: one\n${tree}${WORKLOAD}schemes: [glb, ecmp, { ecmp: { queuePair: true } }, conga]\n`);
    const asked = readSweep(path, ['letflow', 'ecmp queuePair=true', 'ecmp'])[0]!;
    expect(asked.schemes.map(({ label }) => label)).toEqual(['letflow', 'ecmp queuePair=true', 'ecmp']);
    // As threads have it.
    const again = schemesOf({ ...asked.file, schemes: asked.schemes.map(schemeInFile) }, asked.topology);
    expect(again).toEqual(asked.schemes);
    expect(() => readSweep(path, ['ecmp', 'conga'])).toThrow(ConfigError);
  });

  it("has defaults that follow other options, and says in a scheme's name what does not follow", () => {
    const { schemes } = study(
      `name: one\n${FABRIC}${WORKLOAD}schemes: [hula, { hula: { probeInterval: 5 } }, { hula: { probeInterval: 20, transmitInterval: 10, timeConstant: 210 } }]\n`,
    );
    expect(schemes.map(({ label }) => label)).toEqual([
      'hula',
      'hula probeInterval=5',
      'hula probeInterval=20 timeConstant=210',
    ]);
    expect(schemes.map(({ options }) => [options.transmitInterval, options.timeConstant])).toEqual([
      [35, 210],
      [2.5, 15],
      [10, 210],
    ]);
  });

  it.each(['10KB', '100KB'])('refuses a buffer of %s and names one that does', async (buffer) => {
    const text = (size: string) => `name: one\n${FABRIC}${WORKLOAD}schemes: [ecmp]\nswitches: { buffer: ${size} }\n`;
    const reason = faults(text(buffer));
    const [, enough] = /^study\.yaml:7:21: .*; expected a larger buffer, such as (\d+KB)$/.exec(reason)!;
    const { result } = await runStudy(study(text(enough!)), study(text(enough!)).schemes[0]!, 1);
    expect(result.flows).toMatchObject({ count: 4, finished: 4 });
  });

  it('refuses two fabrics, and a file that is not there', () => {
    const two = `${FABRIC}  fat-tree: { k: 4 }\n`;
    expect(faults(`name: one\n${two}${WORKLOAD}schemes: [ecmp]\n`)).toContain('expected one of leaf-spine, rails');
    const missing = `name: one\ntopology: { ns3-file: nowhere.txt }\n${WORKLOAD}schemes: [ecmp]\n`;
    expect(faults(missing)).toContain('nowhere.txt: cannot be read: no such file');
  });
});
