import { describe, expect, it } from 'vitest';
import fc from '../../../test/harness/properties.js';
import { parseAddress } from '../net/address.js';
import { contains, parsePrefix } from '../net/prefix.js';
import { colourCommunity, colourOf } from '../wire/bgp/colour.js';
import type { PathAttributes } from '../wire/bgp/path-attributes.js';
import { communityTexts } from './community-text.js';
import { bound, communities, community, LOCAL_AS, policy, prefixes } from './policy.fixture.js';
import type { Changes, Match, Policy } from './policy.js';
import { PrefixMatcher } from './prefix-matcher.js';
import { missingPolicies, rejectionText, SessionPolicies } from './session-policy.js';

const PREFIX = parsePrefix('fc00:1:1:1::/64')!;
const ROUTE: PathAttributes = {
  origin: 0,
  asPath: [{ kind: 'sequence', asns: [65001, 65101] }],
  nextHop: { linkLocal: parseAddress('fe80::1')! },
};

function judge(chain: readonly Policy[], attributes: PathAttributes = ROUTE, prefix = PREFIX) {
  const session = bound(chain);
  const verdict = session.evaluate(attributes, session.hits(prefix));
  return { ...verdict, accepted: session.accepts(verdict), text: rejectionText(session.rejection(verdict)) };
}

const matches = (match: Match, attributes: Partial<PathAttributes> = {}, prefix = PREFIX) =>
  judge([policy('p', { match, action: 'reject' })], { ...ROUTE, ...attributes }, prefix).decision === 'reject';

const changed = (set: Changes, attributes: Partial<PathAttributes> = {}) =>
  judge([policy('p', { set, action: 'accept' })], { ...ROUTE, ...attributes }).attributes;

describe('the order of evaluation', () => {
  it('ends at the first term that accepts or rejects', () => {
    const chain = [
      policy('a', { set: { localPref: 1 } }, { set: { med: 2 }, action: 'accept' }, { action: 'reject' }),
      policy('b', { action: 'reject' }),
    ];
    expect(judge(chain)).toMatchObject({
      accepted: true,
      decidedBy: { policy: 'a', term: '2' },
      attributes: { localPref: 1, med: 2 },
    });
  });

  it('goes on to the next policy where none of its terms decides, with what they set', () => {
    const chain = [policy('a', { set: { colour: 3 } }), policy('b', { match: { colour: [3] }, action: 'reject' })];
    expect(judge(chain)).toMatchObject({ accepted: false, text: 'rejected by import policy b term 1' });
  });

  it('lets a later term see what an earlier one changed, and the last one set it', () => {
    const chain = [policy('a', { set: { localPref: 1 } }, { set: { localPref: 2 } })];
    expect(judge(chain).attributes.localPref).toBe(2);
  });

  it('changes nothing where a term does not match', () => {
    expect(judge([policy('a', { match: { origin: [2] }, set: { med: 1 } })]).attributes).toBe(ROUTE);
  });

  it('leaves undecided routes to the DPF role on a fabric interface, and rejects them elsewhere (RFC 8212)', () => {
    const chain = [policy('a', { set: { med: 1 } })];
    const [fabric, strict] = [bound(chain), bound(chain, { strict: true })];
    expect(fabric.accepts(fabric.evaluate(ROUTE, ''))).toBe(true);
    const verdict = strict.evaluate(ROUTE, '');
    expect(strict.accepts(verdict)).toBe(false);
    expect(rejectionText(strict.rejection(verdict))).toBe('accepted by no term of import policy a');
  });
});

describe('a session without policy', () => {
  const place = { session: { interfaceName: 'eth1', neighbour: parseAddress('fe80::1')! }, localAs: LOCAL_AS };

  it('costs nothing on a fabric interface', () => {
    expect(new SessionPolicies().bind(undefined, { ...place, direction: 'import', strict: false })).toBeUndefined();
  });

  it.each(['import', 'export'] as const)('carries no routes elsewhere, and says why: %s (RFC 8212)', (direction) => {
    const nothing = new SessionPolicies().bind([], { ...place, direction, strict: true })!;
    const verdict = nothing.evaluate(ROUTE, '');
    expect(nothing.accepts(verdict)).toBe(false);
    expect(rejectionText(nothing.rejection(verdict))).toBe(`no ${direction} policy (RFC 8212)`);
  });

  it('is what is missing', () => {
    const some = [policy('a')];
    expect(missingPolicies(true, {})).toEqual(['no import policy (RFC 8212)', 'no export policy (RFC 8212)']);
    expect(missingPolicies(true, { import: some, export: [] })).toEqual(['no export policy (RFC 8212)']);
    expect(missingPolicies(true, { import: some, export: some })).toEqual([]);
    expect(missingPolicies(false, {})).toEqual([]);
  });
});

describe('keys of sessions', () => {
  const place = (interfaceName: string) => ({
    direction: 'export' as const,
    session: { interfaceName, neighbour: parseAddress('fe80::1')! },
    localAs: LOCAL_AS,
    strict: false,
  });

  it('are equal where the same chain says the same, and only there', () => {
    const policies = new SessionPolicies();
    const plain = [policy('a', { match: { origin: [0] } })];
    const looking = [policy('b', { match: { interface: ['eth1'] }, action: 'reject' })];
    const key = (chain: readonly Policy[], name: string) => policies.bind(chain, place(name))!.key;
    expect(key(plain, 'eth1')).toBe(key(plain, 'eth2'));
    expect(key(looking, 'eth1')).not.toBe(key(looking, 'eth2'));
    expect(key(looking, 'eth1')).toBe(key(looking, 'eth1'));
    expect(key([...plain], 'eth1')).not.toBe(key(plain, 'eth1'));
    expect(policies.bind(plain, { ...place('eth1'), strict: true })!.key).not.toBe(key(plain, 'eth1'));
  });
});

describe('match', () => {
  const path = (...asns: number[]) => ({ asPath: [{ kind: 'sequence' as const, asns }] });
  const aigp = (metric: bigint) => ({ aigp: { metric, otherTlvs: [] } });
  const PRESENT = { least: 0n, most: 2n ** 64n - 1n };

  it.each<[string, Match, Partial<PathAttributes>, boolean]>([
    ['nothing named', {}, {}, true],
    ['family', { family: 'ipv6-unicast' }, {}, true],
    ['another family', { family: 'ipv4-unicast' }, {}, false],
    ['any of two prefix lists', { prefixes: [prefixes('10.0.0.0/8'), prefixes('fc00::/7 64-64')] }, {}, true],
    ['a community', { communities: [communities('65000:*')] }, { communities: [65000 * 65536 + 1] }, true],
    ['a community of another kind', { communities: [communities('*:*:*')] }, { communities: [1] }, false],
    ['a large community', { communities: [communities('1:2:*')] }, { largeCommunities: [[1, 2, 9]] }, true],
    [
      'an extended one',
      { communities: [communities('color:*:3')] },
      { extendedCommunities: [colourCommunity(3)] },
      true,
    ],
    ['each of two lists', { allCommunities: [communities('0:1'), communities('0:2')] }, { communities: [1, 2] }, true],
    ['one of two lists', { allCommunities: [communities('0:1'), communities('0:2')] }, { communities: [1] }, false],
    ['a colour', { colour: [1, 3] }, { extendedCommunities: [colourCommunity(3)] }, true],
    ['the highest colour of several', { colour: [1] }, { extendedCommunities: [1, 3].map(colourCommunity) }, false],
    ['no colour', { colour: ['none'] }, {}, true],
    ['a colour where none is wanted', { colour: ['none'] }, { extendedCommunities: [colourCommunity(0)] }, false],
    ['an AS path', { asPath: ['^65009', '_65101$'] }, {}, true],
    ['another AS path', { asPath: ['^65009'] }, {}, false],
    ['an empty AS path', { asPath: ['^$'] }, path(), true],
    ['AIGP absent', { aigp: [{ absent: true }] }, {}, true],
    ['AIGP there', { aigp: [{ absent: true }] }, aigp(0n), false],
    ['AIGP present', { aigp: [PRESENT] }, aigp(2n ** 64n - 1n), true],
    ['AIGP not present', { aigp: [PRESENT] }, {}, false],
    ['AIGP in a range', { aigp: [{ least: 1n, most: 5n }] }, aigp(5n), true],
    ['AIGP beyond a range', { aigp: [{ least: 1n, most: 5n }] }, aigp(6n), false],
    ['a next hop', { nextHop: [parsePrefix('fe80::/10')!] }, {}, true],
    ['another next hop', { nextHop: [parsePrefix('fe80::2/128')!] }, {}, false],
    ['the origin', { origin: [1, 2] }, { origin: 2 }, true],
    ['another origin', { origin: [1, 2] }, {}, false],
    ['the neighbour', { neighbour: [parseAddress('fe80::1')!] }, {}, true],
    ['another neighbour', { neighbour: [parseAddress('fe80::2')!] }, {}, false],
    ['the interface', { interface: ['eth1'] }, {}, true],
    ['another interface', { interface: ['eth2'] }, {}, false],
    ['only all of it', { interface: ['eth1'], origin: [2] }, {}, false],
  ])('%s', (_name, match, attributes, expected) => {
    expect(matches(match, attributes)).toBe(expected);
  });
});

describe('a prefix list', () => {
  it.each([
    ['the prefix itself', ['fc00:1:1:1::/64'], true],
    ['a longer one, without ge and le', ['fc00:1:1::/48'], false],
    ['a longer one, within', ['fc00:1:1::/48 64-64'], true],
    ['too short a range', ['fc00:1:1::/48 49-63'], false],
    ['another one', ['fc00:2::/32 32-128'], false],
    ['everything', ['::/0 0-128'], true],
    ['the other family', ['0.0.0.0/0 0-32'], false],
    ['denied before', ['!fc00:1:1:1::/64', 'fc00::/7 7-128'], false],
    ['denied after', ['fc00::/7 7-128', '!fc00:1:1:1::/64'], true],
    ['nothing', [], false],
  ])('%s', (_name, entries, expected) => {
    expect(new PrefixMatcher(prefixes(...entries).entries).matches(PREFIX)).toBe(expected);
  });

  it('answers as a look at every entry in turn does', () => {
    const octet = fc.constantFrom(0, 10, 128, 255);
    const address = fc.tuple(octet, octet, octet, octet).map((octets) => octets.join('.'));
    const entry = fc.tuple(fc.boolean(), address, fc.integer({ min: 0, max: 32 }), fc.nat(32), fc.nat(32));
    const text = entry.map(([deny, base, length, a, b]) => {
      return `${deny ? '!' : ''}${base}/${length} ${Math.max(length, Math.min(a, b))}-${Math.max(length, a, b)}`;
    });
    const asked = fc.tuple(address, fc.integer({ min: 0, max: 32 }));
    fc.assert(
      fc.property(fc.array(text, { maxLength: 8 }), asked, (texts, [base, length]) => {
        const { entries } = prefixes(...texts);
        const prefix = parsePrefix(`${base}/${length}`)!;
        const inside = ({ prefix: outer, least, most }: (typeof entries)[number]) =>
          outer.length <= length && contains(outer, prefix.address) && length >= least && length <= most;
        expect(new PrefixMatcher(entries).matches(prefix)).toBe(entries.find(inside)?.deny === false);
      }),
    );
  });
});

describe('set', () => {
  const texts = (attributes: PathAttributes) =>
    (['standard', 'extended', 'large'] as const).flatMap((kind) => communityTexts(attributes, kind));
  const full: Partial<PathAttributes> = {
    communities: [65000 * 65536 + 1, 65001 * 65536 + 1],
    extendedCommunities: [colourCommunity(3), { type: 0, subtype: 2, value: Uint8Array.of(0, 1, 0, 0, 0, 9) }],
    largeCommunities: [[1, 2, 3]],
  };

  it('gives one colour for all there were, or none', () => {
    const two = { extendedCommunities: [colourCommunity(3), ...full.extendedCommunities!] };
    expect(texts(changed({ colour: 2 }, two))).toEqual(['rt:1:9', 'color:00:2']);
    expect(texts(changed({ colour: 'none' }, two))).toEqual(['rt:1:9']);
  });

  it.each([
    [
      'add',
      { add: ['65000:1', '7:7:7', 'soo:1:1'] },
      ['65000:1', '65001:1', 'color:00:3', 'rt:1:9', 'soo:1:1', '1:2:3', '7:7:7'],
    ],
    ['remove', { remove: ['65000:*', 'rt:*:*', '*:*:*'] }, ['65001:1', 'color:00:3']],
    ['replace', { replace: ['9:9'] }, ['9:9', 'color:00:3']],
    ['replace by nothing', { replace: [] }, ['color:00:3']],
    ['remove, then add', { remove: ['*:*'], add: ['65000:1'] }, ['65000:1', 'color:00:3', 'rt:1:9', '1:2:3']],
  ] as const)(
    'communities: %s',
    (_name, { add, remove, replace }: Record<string, readonly string[] | undefined>, expected) => {
      const changes = {
        ...(add && { add: add.map(community) }),
        ...(remove && { remove: [communities(...remove)] }),
        ...(replace && { replace: replace.map(community) }),
      };
      expect(texts(changed({ communities: changes }, full))).toEqual(expected);
    },
  );

  it('leaves the colour to `colour`: no list of communities takes it away', () => {
    const result = changed({ communities: { remove: [communities('color:*:*', '030b000000000003')] } }, full);
    expect(colourOf(result)).toBe(3);
  });

  it('leaves no empty attribute behind', () => {
    const result = changed({ communities: { replace: [] }, colour: 'none' }, full);
    expect(result).toEqual(ROUTE);
  });

  it('AIGP, MED and LOCAL_PREF, or none', () => {
    expect(changed({ aigp: 7n, med: 1, localPref: 2 })).toMatchObject({ aigp: { metric: 7n }, med: 1, localPref: 2 });
    const with_ = { aigp: { metric: 1n, otherTlvs: [{ type: 2, value: Uint8Array.of(1) }] }, med: 4 };
    expect(changed({ aigp: 'none', med: 'none' }, with_)).toEqual(ROUTE);
    expect(changed({ aigp: 9n }, with_).aigp).toEqual({ metric: 9n, otherTlvs: with_.aigp.otherTlvs });
  });

  it('prepends our own AS, or others in the order given', () => {
    const path = (changes: Changes) => changed(changes).asPath[0]!.asns;
    expect(path({ prepend: { own: 2 } })).toEqual([LOCAL_AS, LOCAL_AS, 65001, 65101]);
    expect(path({ prepend: { asns: [1, 2] } })).toEqual([1, 2, 65001, 65101]);
  });

  it('says what was set by name, and the next hop apart', () => {
    const verdict = judge([policy('p', { set: { colour: 1, aigp: 1n, nextHop: 'self' } })]);
    expect(verdict).toMatchObject({
      colourSet: true,
      aigpSet: true,
      nextHop: 'self',
      attributes: { nextHop: ROUTE.nextHop },
    });
  });
});
