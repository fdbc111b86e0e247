import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { formatAddress } from '../../core/net/address.js';
import { formatPrefix } from '../../core/net/prefix.js';
import type { DaemonConfig } from './daemon-config.js';
import { configJsonSchema, parseConfig } from './parse-config.js';
import { formatProblem } from './problem.js';
import { describedKeys } from './undescribed-keys.fixture.js';
import { NOT_OUR_WORDS, wrongTexts } from './wrong-values.fixture.js';

const root = new URL('../../../', import.meta.url);
const example = (name: string) => readFileSync(new URL(`examples/${name}.yaml`, root), 'utf8');

const LEAF = `name: leaf1
role: leaf
as: 65101
fabric:
  to-spine1: { colour: 1 }
`;

function accepted(text: string): { config: DaemonConfig; warnings: string[] } {
  const parsed = parseConfig(text);
  if (parsed.config === undefined) throw new Error(problems(text).join('\n'));
  return { config: parsed.config, warnings: parsed.warnings.map((problem) => formatProblem('f', problem)) };
}

function problems(text: string): string[] {
  const parsed = parseConfig(text);
  return parsed.config === undefined ? parsed.problems.map((problem) => formatProblem('f', problem)) : [];
}

describe('a good configuration', () => {
  it('needs name, role, as and fabric; the rest has defaults', () => {
    expect(accepted(LEAF)).toEqual({
      config: {
        speaker: {
          name: 'leaf1',
          role: 'leaf',
          asn: 65101,
          identifier: 65101,
          families: ['ipv6-unicast', 'ipv4-unicast'],
          port: 179,
          fabric: [
            { name: 'to-spine1', colour: 1, acceptRemoteAs: [{ kind: 'external' }], sendColour: true, aigp: true },
          ],
          hosts: [],
          advertise: [],
          dpf: { mode: 'policy', aigpOrigin: 0n, aigpStep: 1n },
          timers: {
            hold: 9,
            connectRetry: 10,
            sendHold: 480,
            routerAdvertisement: 10_000,
            neighbourLifetime: 30_000,
          },
          fib: { buckets: 128, idleTimer: 0.02 },
          balancing: expect.objectContaining({ mode: 'flowlet' }),
          manageSwitches: true,
        },
        policies: [],
        bmp: [],
        controlSocket: '/run/heddle/leaf1.sock',
        logLevel: 'info',
        rehearsal: true,
      },
      warnings: [],
    });
  });

  it('reads the leaf of the examples, capitals and leading zeros included', () => {
    const { config, warnings } = accepted(example('leaf1'));
    expect(warnings).toEqual([]);
    expect(config.speaker.identifier).toBe(0x0a010001);
    expect(config.speaker.fabric.map(({ colour }) => colour)).toEqual([1, 2, 3, 4]);
    expect(config.speaker.fabric[0]?.acceptRemoteAs).toEqual([{ kind: 'range', first: 65001, last: 65004 }]);
    const prefixes = config.speaker.hosts[0]?.prefixes ?? [];
    expect(prefixes.map(({ prefix, gateway }) => [formatPrefix(prefix), formatAddress(gateway)])).toEqual([
      ['fc00:1:1:1::/64', 'fc00:1:1:1::1'],
      ['fc00:1:1:2::/64', 'fc00:1:1:2::1'],
      ['fc00:1:1:3::/64', 'fc00:1:1:3::1'],
      ['fc00:1:1:4::/64', 'fc00:1:1:4::fe'],
    ]);
  });

  it('reads the spine of the examples: interfaces without settings', () => {
    const { config, warnings } = accepted(example('spine1'));
    expect(warnings).toEqual([]);
    expect(config.speaker.fabric.map(({ name, colour }) => [name, colour])).toEqual([
      ['to-leaf1', undefined],
      ['to-leaf2', undefined],
    ]);
  });

  it('takes American spellings and colour names', () => {
    const text = LEAF.replace('{ colour: 1 }', '{ color: red, send-color: false }');
    const { speaker } = accepted(`${text}timers: { neighbor-lifetime: 40 }\n`).config;
    expect(speaker.fabric[0]).toMatchObject({ colour: 3, sendColour: false });
    expect(speaker.timers.neighbourLifetime).toBe(40_000);
  });

  it.each([
    ['65001', [{ kind: 'range', first: 65001, last: 65001 }]],
    ['65001-65004', [{ kind: 'range', first: 65001, last: 65004 }]],
    ['external', [{ kind: 'external' }]],
    [
      '[65001, 65010-65011]',
      [
        { kind: 'range', first: 65001, last: 65001 },
        { kind: 'range', first: 65010, last: 65011 },
      ],
    ],
  ])('accept-remote-as: %s', (text, rules) => {
    const { speaker } = accepted(LEAF.replace('colour: 1', `accept-remote-as: ${text}`)).config;
    expect(speaker.fabric[0]?.acceptRemoteAs).toEqual(rules);
  });

  it('takes merge keys, so that settings can be shared', () => {
    const text = 'name: s\nrole: spine\nas: 1\nfabric:\n  a: &x { aigp: false }\n  b: { <<: *x, send-colour: false }\n';
    expect(accepted(text).config.speaker.fabric[1]).toMatchObject({ aigp: false, sendColour: false });
  });
});

describe('accept-as-sets', () => {
  it('is off unless it is switched on', () => {
    const text = 'name: a\nrole: leaf\nas: 1\nfabric: { to-b: }\n';
    expect(accepted(text).config.speaker.acceptAsSets).toBeUndefined();
    expect(accepted(`${text}accept-as-sets: true\n`).config.speaker.acceptAsSets).toBe(true);
  });
});

describe('a bad configuration', () => {
  it('reports every mistake of the file at once, in order', () => {
    const text = `name: leaf 1
role: leef
as: "65101"
router_id: 10.1.0.1
fabric:
  to-spine1: { colour: purple, accept-remote-as: [65001, foo] }
  a-name-that-is-too-long:
hosts:
  to-gpu1:
    prefixes:
      - { prefix: fc00:1:1:1::/64, gateway: fc00:1:1:2::1 }
      - { prefx: fc00:1:1:4::/64, colour: -1 }
advertise: 192.0.2.0/24
timers: { hold: 2 }
`;
    expect(problems(text)).toEqual([
      'f:1:7: name: expected letters, digits, dots, dashes (at most 63), found "leaf 1"',
      'f:2:7: role: expected leaf or spine, found "leef"; did you mean leaf?',
      'f:3:5: as: expected an AS number, 1 to 4294967294, found the text "65101" (a number has no quotes)',
      'f:4:1: router_id: unknown key; did you mean router-id?',
      'f:6:24: fabric.to-spine1.colour: expected a colour: 0 to 4294967295, or one of green, blue, red, orange, found "purple"',
      'f:6:58: fabric.to-spine1.accept-remote-as[1]: expected external, an AS number, or a range such as 65001-65010, found "foo"',
      'f:7:3: fabric.a-name-that-is-too-long: an interface name has at most 15 characters',
      'f:11:45: hosts.to-gpu1.prefixes[0].gateway: gateway fc00:1:1:2::1 is outside fc00:1:1:1::/64',
      'f:12:11: hosts.to-gpu1.prefixes[1].prefx: unknown key; did you mean prefix?',
      'f:12:43: hosts.to-gpu1.prefixes[1].colour: expected a colour: 0 to 4294967295, or one of green, blue, red, orange, found -1',
      'f:13:12: advertise: expected a list of prefixes, found "192.0.2.0/24"',
      'f:14:17: timers.hold: hold time is 0 (off) or at least 3 seconds (RFC 4271 section 4.2)',
    ]);
  });

  it.each([
    ['', ['f:1:1: the file is empty; expected name, role, as, fabric']],
    ['# nothing\n', ['f:1:1: the file is empty; expected name, role, as, fabric']],
    ['- 1\n', ['f:1:1: expected a mapping (key: value), found a list']],
    ['a\n', ['f:1:1: expected a mapping (key: value), found "a"']],
    ['a: 1\n---\nb: 1\n', ['f:2:1: more than one YAML document; a configuration is one document']],
    ['a:\n\tb: 1\n', ['f:2:1: not valid YAML: Tabs are not allowed as indentation']],
    [`${LEAF}fabric: {}\n`, ['f:6:1: duplicate key fabric: each key may appear once in a mapping']],
    [`${LEAF}  to-spine1:\n`, ['f:6:3: duplicate key to-spine1: each key may appear once in a mapping']],
    [LEAF.replace('as: 65101\n', ''), ['f:1:1: as: missing; expected an AS number, 1 to 4294967294']],
  ])('%j', (text, expected) => {
    expect(problems(text)).toEqual(expected);
  });

  it.each([
    ['as: 65101', 'as: 0', 'f:3:5: as: AS 0 is reserved (RFC 7607)'],
    ['as: 65101', 'as: 23456', "f:3:5: as: AS 23456 is AS_TRANS (RFC 6793), no router's own"],
    ['as: 65101', 'as: 4294967296', 'f:3:5: as: expected an AS number, 1 to 4294967294, found 4294967296'],
    ['as: 65101', 'as: 1.65536', 'f:3:5: as: expected an AS number, 1 to 4294967294, found "1.65536"'],
    ['colour: 1', 'colour: 1, color: 1', 'f:5:14: fabric.to-spine1: colour is given in both spellings: keep one'],
    [
      'colour: 1',
      'accept-remote-as: 65101',
      'f:5:34: fabric.to-spine1.accept-remote-as: only our own AS 65101 is accepted, but sessions are external BGP',
    ],
    ['colour: 1', 'aigp: yes', 'f:5:22: fabric.to-spine1.aigp: expected true or false, found "yes"'],
    ['to-spine1', '"a b"', 'f:5:3: fabric.a b: an interface name has no space, slash or colon'],
  ])('%s as %s', (good, bad, expected) => {
    expect(problems(LEAF.replace(good, bad))).toEqual([expected]);
  });

  it.each([
    ['router-id: 0.0.0.0', 'f:6:12: router-id: expected a router id such as 10.1.0.1, not 0.0.0.0, found "0.0.0.0"'],
    ['router-id: 10.1', 'f:6:12: router-id: expected a router id such as 10.1.0.1, not 0.0.0.0, found 10.1'],
    ['router-id: fc00::1', 'f:6:12: router-id: expected a router id such as 10.1.0.1, not 0.0.0.0, found "fc00::1"'],
    [
      'advertise: [{ prefix: fe80::/64 }]',
      'f:6:23: advertise[0].prefix: fe80::/64 is a link-local prefix and cannot be advertised',
    ],
    [
      'advertise: [{ prefix: 224.0.0.0/4 }]',
      'f:6:23: advertise[0].prefix: 224.0.0.0/4 is a multicast prefix and cannot be advertised',
    ],
    [
      'advertise: [{ prefix: 10.1.1.1/24 }]',
      'f:6:23: advertise[0].prefix: host bits are set in 10.1.1.1/24: the prefix is 10.1.1.0/24',
    ],
    [
      'hosts: { to-spine1: { prefixes: [{ prefix: fc00:1::/64 }] } }',
      'f:6:10: hosts.to-spine1: this interface is also under fabric: an interface leads to routers or to hosts, not both',
    ],
    [
      'hosts: { h: { prefixes: [{ prefix: fc00:1::/63 }] } }',
      'f:6:36: hosts.h.prefixes[0].prefix: fc00:1::/63 is not a /64: hosts form their addresses by SLAAC, which needs one',
    ],
    [
      'hosts: { h: { prefixes: [{ prefix: fc00:1::/64, gateway: "fc00:1::" }] } }',
      'f:6:58: hosts.h.prefixes[0].gateway: fc00:1:: is the address of the whole fc00:1::/64, not of one router in it',
    ],
    [
      'families: [ipv6]\nadvertise: [{ prefix: 10.0.0.0/8 }]',
      'f:7:23: advertise[0].prefix: 10.0.0.0/8 is ipv4, which families leaves out',
    ],
    [
      'advertise: [{ prefix: fc00::/64 }, { prefix: FC00:0::/64 }]',
      'f:6:46: advertise[1].prefix: fc00::/64 is also at advertise[0].prefix',
    ],
    [
      'hosts: { a: { prefixes: [{ prefix: 10.0.0.0/8 }] }, b: { prefixes: [{ prefix: 10.1.0.0/16 }] } }',
      'f:6:79: hosts.b.prefixes[0].prefix: 10.1.0.0/16 overlaps 10.0.0.0/8 at hosts.a.prefixes[0].prefix',
    ],
    [
      'timers: { hold: 90, send-hold: 90 }',
      'f:6:32: timers.send-hold: send-hold 90 must be longer than hold 90 (RFC 9687 section 3.1)',
    ],
    [
      'timers: { router-advertisement: 60, neighbour-lifetime: 60 }',
      'f:6:57: timers.neighbour-lifetime: neighbours would expire between two RAs: longer than router-advertisement (60) needed',
    ],
    [
      'dpf: { mode: sessions }',
      'f:6:14: dpf.mode: expected policy or session, found "sessions"; did you mean session?',
    ],
    ['control-socket: heddle.sock', 'f:6:17: control-socket: expected an absolute path, found "heddle.sock"'],
  ])('%s', (line, expected) => {
    expect(problems(`${LEAF}${line}\n`)).toEqual([expected]);
  });

  it('reports what spans fields even when another section is broken', () => {
    const text = `${LEAF}port: x\nadvertise: [{ prefix: fc00::/64 }, { prefix: fc00::/64 }]\n`;
    expect(problems(text)).toEqual([
      'f:6:7: port: expected a TCP port, 1 to 65535, found "x"',
      'f:7:46: advertise[1].prefix: fc00::/64 is also at advertise[0].prefix',
    ]);
  });

  it.each(wrongTexts(example('leaf1')))('says in its own words, once, what is wrong at %s', (_, texts) => {
    for (const found of texts.map(problems)) {
      expect(found.filter((line) => NOT_OUR_WORDS.test(line))).toEqual([]);
      expect(found).toEqual([...new Set(found)]);
    }
  });
});

describe('warnings', () => {
  it.each([
    [
      `${LEAF}advertise: [{ prefix: fc00::/64, colour: 3 }]\n`,
      'f:6:23: warning: advertise[0].prefix: no fabric interface has colour 3 (red): fc00::/64 gets no preferred path (colours here: 1 (green) on to-spine1)',
    ],
    [
      `${LEAF}  to-spine2: { colour: 1 }\n`,
      'f:6:24: warning: fabric.to-spine2.colour: colour 1 (green) is on to-spine1 and to-spine2: its prefixes use both by ECMP, not one deterministic path',
    ],
    [
      LEAF.replace('role: leaf', 'role: spine'),
      'f:5:24: warning: fabric.to-spine1.colour: a colour has no effect on a spine in policy mode: it passes colours on unchanged',
    ],
    [
      `${LEAF}advertise: [{ prefix: 10.0.0.0/8 }, { prefix: 10.1.0.0/16 }]\n`,
      'f:6:47: warning: advertise[1].prefix: 10.1.0.0/16 overlaps 10.0.0.0/8 at advertise[0].prefix',
    ],
    ['name: a\nrole: leaf\nas: 1\nfabric: {}\n', 'f:4:9: warning: fabric: no interface: there will be no neighbour'],
  ])('%j', (text, expected) => {
    expect(accepted(text).warnings).toEqual([expected]);
  });
});

describe('the JSON Schema', () => {
  it('says of every key what it is, so that an editor can', () => {
    const { keys, undescribed } = describedKeys(configJsonSchema());
    expect(undescribed).toEqual([]);
    expect(keys).toEqual(
      expect.arrayContaining([
        'fabric.*.max-prefixes.ipv4.action',
        'neighbors.*.local-as.no-prepend',
        'policies.*[].set.communities.add',
        'bmp[].collector',
      ]),
    );
  });

  const committed: unknown = JSON.parse(readFileSync(new URL('schema/heddle-config.schema.json', root), 'utf8'));

  it('is committed as it is generated', () => {
    expect(committed).toEqual(JSON.parse(JSON.stringify(configJsonSchema())));
  });

  it.each(['leaf1', 'spine1'])('accepts the example %s', (name) => {
    const validate = new Ajv2020({ allErrors: true }).compile(committed as object);
    expect(validate(parse(example(name))), JSON.stringify(validate.errors)).toBe(true);
  });

  it.each([
    [{ name: 'a', role: 'leaf', as: 1 }, 'fabric'],
    [{ name: 'a', role: 'leaf', as: 1, fabric: {}, fabirc: {} }, 'additional properties'],
    [{ name: 'a', role: 'leaf', as: 1, fabric: { a: { colour: 'purple' } } }, 'equal to one of'],
  ])('refuses %j', (value, expected) => {
    const validate = new Ajv2020({ allErrors: true }).compile(committed as object);
    expect(validate(value)).toBe(false);
    expect(JSON.stringify(validate.errors)).toContain(expected);
  });
});
