/** Policies in a configuration file: what they become, and what is wrong with them. */
import { describe, expect, it } from 'vitest';
import { parseConfig } from './parse-config.js';
import { formatProblem } from './problem.js';

const HEAD = 'name: leaf1\nrole: leaf\nas: 65101\n';

function accepted(text: string) {
  const parsed = parseConfig(HEAD + text);
  if (!parsed.config) throw new Error(parsed.problems.map((problem) => formatProblem('f', problem)).join('\n'));
  return parsed.config;
}

function said(text: string): string[] {
  const parsed = parseConfig(HEAD + text);
  return (parsed.config ? parsed.warnings : parsed.problems).map((problem) => formatProblem('f', problem));
}

/** Line 4 is the first of `terms`, which stand in policy p; p is in use. */
const inUse = (terms: string) => `policies:\n  p:\n${terms}\nfabric: { eth0: { import: p } }\n`;

describe('policies in a file', () => {
  it('become data without names in it', () => {
    const { speaker, policies } = accepted(`
prefix-lists: { gpu: ["deny fc00:9::/32 le 128", "fc00::/16 ge 64 le 64"] }
community-lists: { drained: [graceful-shutdown, "65000:*"] }
policies:
  drain:
    - name: maintenance
      match: { prefixes: [gpu, 10.0.0.0/8], communities: drained, colour: [green, none], as-path: ^65001_, aigp: [absent, 1-5] }
      set: { local-pref: 0, communities: { add: "65000:1", remove: ["65001:*", drained] }, prepend: 2, med: none }
    - { match: { family: ipv4, neighbor: "fe80::1", next-hop: "fe80::/10", origin: igp }, action: reject }
fabric:
  eth0: { colour: 1, import: drain, export: [drain] }
  eth1: { colour: 2 }
export: [drain]
`);
    const [policy] = policies;
    expect(policy).toMatchObject({
      name: 'drain',
      terms: [
        {
          name: 'maintenance',
          action: 'next',
          match: {
            prefixes: [
              {
                name: 'gpu',
                entries: [
                  { deny: true, least: 32, most: 128 },
                  { deny: false, least: 64, most: 64 },
                ],
              },
              { name: '10.0.0.0/8', entries: [{ least: 8, most: 8 }] },
            ],
            communities: [{ name: 'drained', patterns: [{ parts: ['65535', '0'] }, { parts: ['65000', '*'] }] }],
            colour: [1, 'none'],
            asPath: ['^65001_'],
            aigp: [{ absent: true }, { least: 1n, most: 5n }],
          },
          set: {
            localPref: 0,
            med: 'none',
            prepend: { own: 2 },
            communities: { add: [{ kind: 'standard' }], remove: [{ name: '65001:*' }, { name: 'drained' }] },
          },
        },
        { name: '2', action: 'reject', match: { family: 'ipv4-unicast', origin: [0], nextHop: [{ length: 10 }] } },
      ],
    });
    const [first, second] = speaker.fabric;
    expect(first?.importPolicy).toEqual([policy]);
    expect(second?.importPolicy).toBeUndefined();
    // The same chain is the same object: it is compiled once, and its sessions share a group.
    expect(second?.exportPolicy).toBe(first?.exportPolicy);
  });

  it.each([
    [
      'an unknown policy',
      'policies: { drain: [{ action: accept }] }\nfabric: { eth0: { import: [drain, drian] } }\n',
      ['f:5:35: fabric.eth0.import[1]: no policy drian; did you mean drain?'],
    ],
    [
      'an unknown prefix list',
      inUse('    - { match: { prefixes: gpus }, action: accept }'),
      ['f:6:18: policies.p[0].match.prefixes[0]: no prefix list gpus; there is none'],
    ],
    [
      'an unknown community list',
      inUse('    - { set: { communities: { remove: old } } }'),
      ['f:6:31: policies.p[0].set.communities.remove[0]: no community list old; there is none'],
    ],
    [
      'a bad expression',
      inUse('    - { match: { as-path: ["^1", "^(65001"] }, action: accept }'),
      [
        'f:6:34: policies.p[0].match.as-path[1]: not a regular expression: a ( that is not closed (character 2 of ^(65001)',
      ],
    ],
    [
      'lengths that no prefix has',
      inUse('    - { match: { prefixes: fc00::/64 ge 65 le 60 }, action: accept }'),
      ['f:6:28: policies.p[0].match.prefixes: no prefix length fits: the prefix has 64, ge is 65, le is 60'],
    ],
    [
      'a colour among communities',
      inUse('    - { set: { communities: { add: "color:00:1" } } }'),
      ['f:6:36: policies.p[0].set.communities.add: a colour is set by colour:, so that nothing else changes it'],
    ],
    [
      'a misspelt key',
      inUse('    - { match: { prefixs: 10.0.0.0/8 }, action: accept }'),
      ['f:6:18: policies.p[0].match.prefixs: unknown key; did you mean prefixes?'],
    ],
    [
      'next-hop self on import',
      inUse('    - { set: { next-hop: self } }'),
      ['f:7:19: fabric.eth0.import[0]: policy p sets next-hop self, which only an export can'],
    ],
    [
      'a name used twice',
      inUse('    - { name: a, action: accept, match: { colour: 1 } }\n    - { name: a, action: reject }'),
      ['f:7:15: policies.p[1].name: another term is named a'],
    ],
  ])('is refused: %s', (_name, text, expected) => {
    expect(said(text)).toEqual(expected);
  });

  it.each([
    [
      'lists and policies that nothing uses',
      'prefix-lists: { a: 10.0.0.0/8 }\ncommunity-lists: { b: "1:1" }\npolicies: { c: [{ action: accept }] }\nfabric: { eth0: }\n',
      [
        'f:4:17: warning: prefix-lists.a: this prefix list is used nowhere',
        'f:5:20: warning: community-lists.b: this community list is used nowhere',
        'f:6:13: warning: policies.c: this policy is used nowhere',
      ],
    ],
    [
      'a term behind one that takes everything',
      inUse('    - { action: accept }\n    - { match: { colour: 1 }, action: reject }'),
      ['f:7:7: warning: policies.p[1]: never reached: term 1 accepts all of its routes before'],
    ],
    [
      'a term behind its equal',
      inUse('    - { match: { colour: 1 }, action: reject }\n    - { match: { colour: green }, set: { med: 1 } }'),
      ['f:7:7: warning: policies.p[1]: never reached: term 1 rejects all of its routes before'],
    ],
    [
      'a term without effect',
      inUse('    - { match: { colour: 1 } }'),
      ['f:6:7: warning: policies.p[0]: this term sets nothing and decides nothing'],
    ],
    [
      'a policy behind one that decides everything',
      'policies: { a: [{ action: accept }], b: [{ set: { med: 1 } }] }\nfabric: { eth0: { import: [a, b] } }\n',
      ['f:5:31: warning: fabric.eth0.import[1]: never asked: policy a before it decides every route'],
    ],
  ])('is warned of: %s', (_name, text, expected) => {
    expect(said(text)).toEqual(expected);
  });
});
