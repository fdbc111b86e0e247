import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import fc from '../../../test/harness/properties.js';
import { parseConfig } from '../config/parse-config.js';
import { fromFrr } from './frr/from-frr.js';
import { fromJunos } from './junos/from-junos.js';
import { sourceText } from './source-text.js';
import { leftoverText, type Translation, writeTranslation } from './translation.js';

const examples = fileURLToPath(new URL('../../../examples/migration/', import.meta.url));
const source = (name: string) => readFileSync(`${examples}${name}`, 'utf8');

function translated(result: Translation | string): Translation {
  if (typeof result === 'string') throw new Error(result);
  return result;
}

function frr(...lines: string[]): Translation {
  return translated(fromFrr(['router bgp 65101', ...lines].join('\n')));
}

function junos(...lines: string[]): Translation {
  return translated(fromJunos(['set protocols bgp log-updown', ...lines].join('\n'), { interfaces: new Map() }));
}

const lines = ({ left }: Translation) => left.map(leftoverText);

function accepted(translation: Translation): void {
  const { text, problems } = writeTranslation(translation, 'source');
  expect(problems).toEqual([]);
  expect(parseConfig(text).config).toBeDefined();
}

describe('examples', () => {
  it.each([
    ['leaf1.frr.conf', () => fromFrr(source('leaf1.frr.conf'))],
    ['leaf1.set', () => fromJunos(source('leaf1.set'), { interfaces: new Map() })],
    ['leaf1.junos.conf', () => fromJunos(source('leaf1.junos.conf'), { interfaces: new Map() })],
  ])('%s becomes a leaf that check accepts, with a colour for each uplink and prefix', (_, translate) => {
    const translation = translated(translate());
    accepted(translation);
    const { fabric, hosts } = translation.draft;
    expect(Object.values(fabric).map(({ colour }) => colour)).toEqual([1, 2]);
    expect(
      Object.values(hosts).flatMap(({ prefixes }) => prefixes.map(({ prefix, colour }) => [prefix, colour])),
    ).toEqual([
      ['fc00:1:1:1::/64', 1],
      ['fc00:1:1:2::/64', 2],
    ]);
  });

  it('names what is left, each with its line', () => {
    expect(
      lines(translated(fromFrr(source('leaf1.frr.conf')))).map((text) => text.split(': ').slice(0, 2).join(': ')),
    ).toEqual([
      'line 27: lo',
      'line 93: match tag 7',
      'line 99: set weight 7',
      'line 103: router ospf6',
      'line 104: ospf6 router-id 10.1.0.1',
    ]);
  });
});

describe('from FRR', () => {
  it('gives a fabric interface what its group says, and what it says itself', () => {
    const { draft } = frr(
      'neighbor G peer-group',
      'neighbor G remote-as 65001',
      'neighbor G password warp',
      'neighbor G ttl-security hops 1',
      'neighbor up1 interface peer-group G',
      'neighbor up1 password weft',
      'neighbor up2 interface v6only remote-as external',
    );
    expect(draft.fabric).toEqual({
      up1: { 'accept-remote-as': 65001, aigp: false, password: 'weft', gtsm: 'require' },
      up2: { aigp: false },
    });
  });

  it('keeps groups of neighbours with addresses, and what their keys are', () => {
    const translation = frr(
      'neighbor G peer-group',
      'neighbor G remote-as internal',
      'neighbor G timers 10 30',
      'neighbor 192.0.2.1 peer-group G',
      'neighbor 192.0.2.1 update-source 192.0.2.2',
      'neighbor 192.0.2.1 local-as 65009 no-prepend replace-as',
      'neighbor 192.0.2.1 maximum-prefix 10 warning-only',
      'neighbor 192.0.2.1 send-community both',
      'neighbor 192.0.2.1 default-originate',
      'no neighbor 192.0.2.1 enforce-first-as',
    );
    accepted(translation);
    expect(translation.draft['peer-groups']).toEqual({ G: { timers: { hold: 30 } } });
    expect(translation.draft.neighbors['192.0.2.1']).toEqual({
      'peer-group': 'G',
      'remote-as': 'internal',
      families: ['ipv4'],
      source: '192.0.2.2',
      'local-as': { as: 65009, 'no-prepend': true, 'replace-as': true },
      'max-prefixes': { ipv4: { limit: 10, action: 'warn' } },
      'send-communities': ['standard', 'extended'],
      'default-originate': true,
      'enforce-first-as': false,
    });
  });

  it('makes two policies of maps that differ by family, and one where they are the same', () => {
    const maps = ['route-map A permit 10', 'set metric 1', 'route-map B permit 10', 'set metric 2'];
    const families = (first: string, second: string) => [
      'neighbor up1 interface remote-as external',
      'address-family ipv6 unicast',
      'neighbor up1 activate',
      `neighbor up1 route-map ${first} in`,
      'address-family ipv4 unicast',
      'neighbor up1 activate',
      `neighbor up1 route-map ${second} in`,
      'exit-address-family',
      ...maps,
    ];
    const same = frr(...families('A', 'A'));
    expect(same.draft.fabric.up1).toMatchObject({ import: 'A' });
    const differ = frr(...families('A', 'B'));
    accepted(differ);
    expect(differ.draft.fabric.up1).toMatchObject({ import: ['A-ipv6', 'B-ipv4'] });
    expect(differ.draft.policies['B-ipv4']).toEqual([
      { name: '10', match: { family: 'ipv4' }, set: { med: 2 }, action: 'accept' },
    ]);
  });

  it('translates lists and what maps do with them, in the order of their numbers', () => {
    const translation = frr(
      'no bgp default ipv4-unicast',
      'neighbor up1 interface remote-as external',
      'address-family ipv6 unicast',
      'neighbor up1 activate',
      'neighbor up1 route-map M in',
      'exit-address-family',
      'exit',
      'bgp extcommunity-list standard RED permit color 00:3',
      'bgp community-list standard OLD permit 65000:1',
      'ipv6 prefix-list P seq 10 permit fc00::/16 ge 48 le 64',
      'ipv6 prefix-list P seq 5 deny fc00:9::/32 le 128',
      'route-map M permit 30',
      ' set comm-list OLD delete',
      ' set as-path prepend 65101 65101',
      ' on-match next',
      'route-map M deny 10',
      ' match ipv6 address prefix-list P',
      'route-map M permit 20',
      ' match extcommunity RED',
      ' set extcommunity rt 65000:7',
      ' set community none',
    );
    accepted(translation);
    expect(translation.left).toEqual([]);
    expect(translation.draft['prefix-lists'].P).toEqual(['deny fc00:9::/32 le 128', 'fc00::/16 ge 48 le 64']);
    expect(translation.draft.policies.M).toEqual([
      { name: '10', match: { prefixes: 'P' }, action: 'reject' },
      {
        name: '20',
        match: { colour: 3 },
        set: { communities: { add: ['rt:65000:7'], replace: [] } },
        action: 'accept',
      },
      { name: '30', set: { communities: { remove: ['OLD'] }, prepend: [65101, 65101] }, action: 'next' },
      { name: 'end-of-map', action: 'reject' },
    ]);
  });

  it('takes no recipe for one where a prefix has AIGP on two uplinks, or others are passed on', () => {
    const leaf = (last: string) =>
      frr(
        'no bgp default ipv4-unicast',
        'neighbor up1 interface remote-as external',
        'neighbor up2 interface remote-as external',
        'address-family ipv6 unicast',
        'network fc00::/64',
        'neighbor up1 activate',
        'neighbor up2 activate',
        'neighbor up1 route-map A out',
        'neighbor up2 route-map B out',
        'exit-address-family',
        'exit',
        'bgp as-path access-list OWN permit ^$',
        'route-map A permit 10',
        'match as-path OWN',
        'set aigp-metric 0',
        ...last.split('\n'),
      ).draft.fabric.up1;
    expect(leaf('route-map B permit 10\nmatch as-path OWN')).toMatchObject({ colour: 1, 'send-colour': false });
    expect(leaf('route-map B permit 10\nmatch as-path OWN\nset aigp-metric 0')).toMatchObject({ export: 'A' });
    expect(leaf('route-map B permit 10')).toMatchObject({ export: 'A' });
  });

  it.each([
    ['router bgp 65102', 'line 2: router bgp 65102: a second BGP instance: run one daemon for each'],
    ['redistribute connected', 'line 2: redistribute connected: heddle announces what its configuration names'],
    ['neighbor up1 prefix-list P in', 'line 2: neighbor up1 prefix-list P in: write it as a route map'],
    ['neighbor up1 frobnicate', 'line 2: neighbor up1 frobnicate: heddle has nothing like it'],
    ['address-family l2vpn evpn', 'line 2: address-family l2vpn evpn: heddle speaks IPv6 and IPv4 unicast'],
    ['neighbor up1 inter', 'line 2: neighbor up1 inter: heddle has nothing like it'],
  ])('leaves %j', (line, expected) => {
    expect(lines(frr(line))[0]).toContain(expected);
  });
});

describe('from Junos', () => {
  it('reads a group with neighbours by address, and its policies', () => {
    const translation = junos(
      'set routing-options autonomous-system 65101',
      'set protocols bgp group UP type external',
      'set protocols bgp group UP peer-as 65200',
      'set protocols bgp group UP hold-time 30',
      'set protocols bgp group UP family inet6 unicast',
      'set protocols bgp group UP import IN',
      'set protocols bgp group UP neighbor 2001:db8::1 description border',
      'set policy-options prefix-list P fc00::/16',
      'set policy-options community DRAINED members 65000:1',
      'set policy-options as-path FIRST "65200 .*"',
      'set policy-options policy-statement IN term a from prefix-list-filter P orlonger',
      'set policy-options policy-statement IN term a from as-path FIRST',
      'set policy-options policy-statement IN term a then local-preference 50',
      'set policy-options policy-statement IN term a then community add DRAINED',
      'set policy-options policy-statement IN term a then accept',
      'set policy-options policy-statement IN then reject',
    );
    accepted(translation);
    expect(translation.left).toEqual([]);
    expect(translation.draft.neighbors).toEqual({
      '2001:db8::1': {
        'remote-as': 65200,
        families: ['ipv6'],
        timers: { hold: 30 },
        import: ['IN', 'all'],
        export: ['all'],
        description: 'border',
      },
    });
    expect(translation.draft.policies.IN).toEqual([
      {
        name: 'a',
        match: { prefixes: ['fc00::/16 le 128'], 'as-path': ['^65200_'] },
        set: { 'local-pref': 50, communities: { add: ['65000:1'] } },
        action: 'accept',
      },
      { name: 'end', action: 'reject' },
    ]);
  });

  it('has neighbours of a group that is internal in the own AS, unless they say otherwise', () => {
    const translation = junos(
      'set routing-options autonomous-system 65101',
      'set protocols bgp group RR type internal',
      'set protocols bgp group RR neighbor 2001:db8::1',
      'set protocols bgp group RR neighbor 2001:db8::2 type external',
      'set protocols bgp group RR neighbor 2001:db8::2 peer-as 65200',
      'set protocols bgp group LINKS type internal',
      'set protocols bgp group LINKS dynamic-neighbor D peer-auto-discovery interface et-0/0/0.0',
    );
    expect(translation.left).toEqual([]);
    const { neighbors, fabric } = translation.draft;
    expect(neighbors['2001:db8::1']).toEqual({ 'remote-as': 'internal' });
    expect(neighbors['2001:db8::2']).toEqual({ 'remote-as': 65200, import: ['all'], export: ['all'] });
    expect(Object.values(fabric)).toEqual([expect.objectContaining({ 'accept-remote-as': 65101 })]);
  });

  it('takes no key that Junos does not show, and names it', () => {
    const translation = junos('set protocols bgp group G authentication-key "$9$abcdef"');
    expect(lines(translation)[0]).toContain('Junos does not show the key itself: write it as password');
  });

  it('heeds delete, deactivate and inactive', () => {
    const { draft } = junos('set system host-name a', 'set system host-name b', 'delete system host-name b');
    expect(draft.name).toBe('a');
    const braces = translated(
      fromJunos('protocols { bgp { log-updown; } } system { inactive: host-name x; }', { interfaces: new Map() }),
    );
    expect(braces.draft.name).toBe('heddle');
  });

  it.each([
    ['protocols { bgp { group G {', 'line 1: the brace of group G is never closed: the file is cut off'],
    ['protocols { bgp { log-updown } }', 'line 1: log-updown ends without a semicolon'],
    ['protocols { } }', 'line 1: a brace closes what none opened'],
    ['protocols { bgp; } system', 'the last statement, system, is not complete: the file is cut off'],
    ['{'.repeat(100), 'line 1: braces more than 64 deep'],
    ['system { host-name x; }', 'there is no protocols bgp in it'],
  ])('refuses %j', (text, problem) => {
    expect(fromJunos(text, { interfaces: new Map() })).toBe(problem);
  });
});

describe('what is no configuration', () => {
  const octets = (text: string) => new TextEncoder().encode(text);

  it.each([
    [new Uint8Array(), 'there is nothing in it'],
    [octets(' \n\n'), 'there is nothing in it'],
    [Uint8Array.of(0x7f, 0x45, 0x4c, 0x46, 0, 0, 1), 'it is no text: a binary file, or another encoding than UTF-8'],
    [Uint8Array.of(0xff, 0xfe, 0x41), 'it is no text: a binary file, or another encoding than UTF-8'],
    [new Uint8Array(16 * 1024 * 1024 + 1).fill(65), "it has more than 16777216 octets: no router's configuration has"],
  ])('%#', (bytes, problem) => {
    expect(sourceText(bytes)).toEqual({ problem });
  });

  it('takes line ends of Windows, and a byte order mark', () => {
    const windows = sourceText(octets(`\ufeff${source('leaf1.frr.conf').replaceAll('\n', '\r\n')}`));
    expect(windows).toEqual({ text: source('leaf1.frr.conf') });
  });

  it('refuses text that is something else', () => {
    expect(fromFrr('Lorem ipsum\ndolor sit amet')).toBe('there is no router bgp in it');
  });
});

describe('whatever comes', () => {
  const words = fc.constantFrom(
    ...[...new Set(['leaf1.frr.conf', 'leaf1.set', 'leaf1.junos.conf'].flatMap((name) => source(name).split(/\s+/)))],
    ...['{', '}', ';', '[', ']', '"', '\\', '#', '99999999999', '::/0', '<<', '&a', '*', '- ', 'a: b', '\u2028'],
  );
  const text = fc.array(
    fc.array(words, { maxLength: 8 }).map((line) => line.join(' ')),
    { maxLength: 30 },
  );

  it.each([
    ['FRR', (lines: string[]) => fromFrr(['router bgp 65101', ...lines].join('\n'))],
    [
      'Junos',
      (lines: string[]) => fromJunos(['set protocols bgp log-updown', ...lines].join('\n'), { interfaces: new Map() }),
    ],
    [
      'Junos with braces',
      (lines: string[]) =>
        fromJunos(`protocols { bgp { log-updown; } } ${lines.join('\n')}`, { interfaces: new Map() }),
    ],
  ])('%s: it is a file of YAML, its mistakes are told', (_, translate) => {
    fc.assert(
      fc.property(text, (given) => {
        const result = translate(given);
        if (typeof result === 'string') return;
        const { text: written, problems } = writeTranslation(result, 'source\nname: x');
        expect(parseConfig(written).config !== undefined || problems.length > 0).toBe(true);
        expect(written.startsWith('# Translated from source?name: x.')).toBe(true);
      }),
      { numRuns: 150 },
    );
  });

  it('cut off anywhere it is refused, or what is cut is named or taken', () => {
    const whole = source('leaf1.junos.conf');
    for (let end = 0; end < whole.length; end += 7)
      expect(() => fromJunos(whole.slice(0, end), { interfaces: new Map() })).not.toThrow();
    expect(fromJunos(whole.slice(0, whole.length / 2), { interfaces: new Map() })).toMatch(/cut off|no protocols bgp/);
  });
});
