import { describe, expect, it } from 'vitest';
import { describedKeys } from '../config/undescribed-keys.fixture.js';
import { NOT_OUR_WORDS, wrongTexts } from '../config/wrong-values.fixture.js';
import { parseTopology, topologyJsonSchema } from './read-topology.js';
import { topologyWarnings } from './topology-warnings.js';

const complete = `name: demo
spines: [s1, s2]
leaves: [l1, l2]
links-per-pair: 1
hosts-per-leaf: 1
colours: [1, 2]
addressing: { ipv6: "fc00:{leaf}:{host}:{uplink}::/64", ipv4: "10.{leaf}.{host}{uplink}.0/24" }
as: { spines: 65001, leaves: 65101 }
implementation: heddle
implementations: { s2: bird, leaves: frr }
timers: { hold: 9 }
`;
const good = 'name: demo\nspines: 4\nleaves: 2\n';

function complaints(text: string): string[] {
  const parsed = parseTopology(text);
  return parsed.topology === undefined ? parsed.problems.map((p) => `${p.line}:${p.column}: ${p.message}`) : [];
}

describe('a topology file', () => {
  it('needs a name, spines and leaves, and fills in the rest', () => {
    const parsed = parseTopology(good);
    expect(parsed.topology).toMatchObject({
      name: 'demo',
      linksPerPair: 1,
      hostsPerLeaf: 1,
      colours: [1, 2, 3, 4],
      timers: { hold: 9 },
      addressing: { ipv6: 'fc00:{leaf}:{host}:{uplink}::/64' },
    });
    expect(parsed.topology?.spines.map((spec) => [spec.name, spec.asn, spec.implementation])).toEqual([
      ['spine1', 65001, 'heddle'],
      ['spine2', 65002, 'heddle'],
      ['spine3', 65003, 'heddle'],
      ['spine4', 65004, 'heddle'],
    ]);
    expect(parsed.topology?.leaves.map((spec) => [spec.name, spec.asn])).toEqual([
      ['leaf1', 65101],
      ['leaf2', 65102],
    ]);
  });

  it('takes names instead of numbers, and implementations by group and by node', () => {
    const parsed = parseTopology(
      'name: x\nspines: [north, south]\nleaves: 2\nimplementations: {spines: bird, south: frr, leaf2: frr}\n',
    );
    const nodes = [...(parsed.topology?.spines ?? []), ...(parsed.topology?.leaves ?? [])];
    expect(nodes.map((spec) => `${spec.name} ${spec.implementation}`)).toEqual([
      'north bird',
      'south frr',
      'leaf1 heddle',
      'leaf2 frr',
    ]);
  });

  it.each([
    ['a misspelt key', `${good}colors: [1, 2, 3, 4]\n`, '4:1: colors: unknown key; did you mean colours?'],
    [
      'a missing key',
      'name: demo\nspines: 4\n',
      '1:1: leaves: missing; expected how many (1 to 64) or a list of names',
    ],
    [
      'too few colours',
      `${good}colours: [1, 2]\n`,
      '4:10: colours: 4 colours are needed, one per uplink of a leaf; 2 given',
    ],
    ['a colour twice', `${good}colours: [1, 2, 3, 3]\n`, '4:10: colours: a colour is given twice'],
    [
      'a name too long for an interface',
      'name: demo\nspines: [spine-number-one]\nleaves: 2\n',
      "2:10: spines[0]: spine-number-one is too long: its neighbours' interface would be to-spine-number-one, and Linux takes 15 characters",
    ],
    ['a node twice', 'name: demo\nspines: [a, b]\nleaves: [a]\n', '3:10: leaves[0]: two nodes are called a'],
    [
      'an unknown node',
      `${good}implementations: {spine5: frr}\n`,
      '4:27: implementations.spine5: there is no node spine5; nodes: spine1, spine2, spine3, spine4, leaf1, leaf2 (or spines, leaves)',
    ],
    [
      'an unknown implementation',
      `${good}implementation: quagga\n`,
      '4:17: implementation: expected heddle, frr, bird, bird3, found "quagga"',
    ],
    [
      'BIRD on both sides',
      `${good}implementation: bird\n`,
      '4:17: implementation: leaf1 and a spine both run BIRD, which waits for the other side to connect: no session would start',
    ],
    [
      'a pattern that gives one prefix twice',
      `${good}addressing: {ipv6: "fc00:{leaf}:{host}:1::/64"}\n`,
      "4:20: addressing.ipv6: two hosts' prefixes would both be fc00:1:1:1::/64: use {leaf}, {host} and {uplink}",
    ],
    [
      'a pattern with a word that is not known',
      `${good}addressing: {ipv6: "fc00:{rack}::/64"}\n`,
      '4:20: addressing.ipv6: {rack} is not known here: {leaf}, {host} and {uplink} are',
    ],
    [
      'a pattern that is no /64',
      `${good}addressing: {ipv6: "fc00:{leaf}:{host}:{uplink}::/80"}\n`,
      '4:20: addressing.ipv6: fc00:1:1:1::/80 is not a /64: hosts form their addresses by SLAAC, which needs one',
    ],
    [
      'AS numbers that overlap',
      `${good}as: {spines: 65001, leaves: 65003}\n`,
      "4:29: as.leaves: AS 65003 would be both a spine's and leaf1's",
    ],
    ['an empty file', '', '1:1: the file is empty; expected name, spines, leaves'],
  ])('is refused for %s, at its line', (_, text, expected) => {
    expect(complaints(text)).toContain(expected);
  });

  it.each(wrongTexts(complete))('says in its own words, once, what is wrong at %s', (_, texts) => {
    expect(complaints(complete)).toEqual([]);
    for (const found of texts.map(complaints)) {
      expect(found.filter((line) => NOT_OUR_WORDS.test(line))).toEqual([]);
      expect(found).toEqual([...new Set(found)]);
    }
  });
});

describe('dpf-mode of a topology', () => {
  const links = (mode: string) => `name: x\nspines: 2\nleaves: 2\nlinks-per-pair: 2\ndpf-mode: ${mode}\n`;
  const warnings = (text: string) => topologyWarnings(parseTopology(text).topology!);

  it('is policy, session or none; these two need heddle everywhere', () => {
    expect(parseTopology(good).topology?.dpfMode).toBe('policy');
    expect(complaints(links('session'))).toEqual([]);
    expect(complaints(links('both'))).toEqual([expect.stringContaining('dpf-mode: expected policy, session, none')]);
    const mixed = `${good}dpf-mode: session\nimplementations: { spines: bird }\n`;
    expect(complaints(mixed)).toEqual([expect.stringContaining('spine1 runs bird, which has no session colours')]);
    expect(complaints(links('none'))).toEqual([]);
    expect(complaints(mixed.replace('session', 'none'))).toEqual([
      expect.stringContaining('spine1 runs bird, which is configured with colours here'),
    ]);
  });

  it('is warned of in policy mode with several links per pair, with the prefixes that tie and where', () => {
    const [warning] = warnings(links('policy'));
    expect(warning).toContain('a spine sends the same AIGP over all its links to a leaf');
    expect(warning).toContain('fc00:1:1:1::/64 and fc00:1:1:2::/64 tie on to-spine1-1 and to-spine1-2');
    expect(warning).toContain('fc00:1:1:3::/64 and fc00:1:1:4::/64 tie on to-spine2-1 and to-spine2-2');
    expect(warnings(links('session'))).toEqual([]);
    expect(warnings(good)).toEqual([]);
  });
});

it('says of every key what it is', () => {
  const { keys, undescribed } = describedKeys(topologyJsonSchema());
  expect(undescribed).toEqual([]);
  expect(keys).toEqual(expect.arrayContaining(['addressing.ipv4', 'bfd.interval', 'timers.hold']));
});
