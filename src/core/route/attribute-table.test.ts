import { describe, expect, it } from 'vitest';
import { parseAddress } from '../net/address.js';
import type { UpdateContext } from '../wire/bgp/message.js';
import { encodeNextHop } from '../wire/bgp/next-hop.js';
import type { PathAttributes } from '../wire/bgp/path-attributes.js';
import { splitUpdate } from '../wire/bgp/update.js';
import { encodeAttributes, UpdateBuilder } from '../wire/bgp/update-encoder.js';
import { UpdateView } from '../wire/bgp/update-view.js';
import { AttributeTable } from './attribute-table.js';
import { HAS_AIGP, HAS_COLOUR, LINK_LOCAL_NEXT_HOP } from './preference.js';

const BASE: PathAttributes = {
  origin: 1,
  asPath: [{ kind: 'sequence', asns: [65001, 65002] }],
  nextHop: { linkLocal: parseAddress('fe80::1')! },
};
const CONTEXT: UpdateContext = { fourOctetAs: true, addPath: [], externalPeer: true, aigp: true };

function viewOf(attributes: PathAttributes, context = CONTEXT): UpdateView {
  const view = new UpdateView();
  const builder = new UpdateBuilder({ family: 'ipv6-unicast', addPath: false, maximum: 4096 }, (message) =>
    splitUpdate(message.subarray(19), context, view),
  );
  const encoded = encodeAttributes(attributes, { fourOctetAs: true });
  builder.announce(encoded, encodeNextHop(attributes.nextHop!, 'single')!);
  builder.add(new Uint8Array(16), 0, 64);
  builder.flush();
  return view;
}

describe('AttributeTable', () => {
  it('gives equal attributes one id and decodes them once', () => {
    const table = new AttributeTable();
    const first = table.internReceived(viewOf(BASE), 'mp');
    const decoded = table.decoded(first);
    expect(table.internReceived(viewOf(BASE), 'mp')).toBe(first);
    expect(table.decoded(first)).toBe(decoded);
    expect(decoded.attributes).toEqual(BASE);
    expect(table.size).toBe(1);
  });

  it('has the value of each of more sets than it keeps values of, and of ids that are used again', () => {
    const table = new AttributeTable();
    const withMed = (number: number): PathAttributes => ({ ...BASE, med: number });
    const count = 20_000;
    const ids = Array.from({ length: count }, (_, number) => table.internReceived(viewOf(withMed(number)), 'mp'));
    for (const number of [0, 1, count / 2, count - 1]) expect(table.attributes(ids[number]!)).toEqual(withMed(number));
    table.release(ids[0]!);
    const own = table.internValue(withMed(count));
    expect(own).toBe(ids[0]);
    for (let number = 0; number < count; number++)
      table.release(table.internReceived(viewOf(withMed(count + 1 + number)), 'mp'));
    expect(table.attributes(own)).toEqual(withMed(count));
    expect(table.attributes(ids[1]!)).toEqual(withMed(1));
  });

  it('has the encoding of each set for each kind of session, without its next hop', () => {
    const table = new AttributeTable();
    const global = parseAddress('2001:db8::1')!;
    const values: PathAttributes[] = [
      BASE,
      { ...BASE, nextHop: { ...BASE.nextHop, global }, med: 7, backupColours: [1, 2] },
      {
        origin: 0,
        asPath: [{ kind: 'sequence', asns: [4_200_000_001] }],
        unknown: [{ flags: 0xc0, type: 200, value: Uint8Array.of(1) }],
      },
    ];
    const received = table.internReceived(viewOf(BASE), 'mp');
    const ids = values.map((value) => [table.internValue(value), value] as const);
    for (const [id, value] of [...ids, [received, BASE] as const])
      for (const fourOctetAs of [true, false])
        expect(table.encoded(id, { fourOctetAs })).toEqual(encodeAttributes(value, { fourOctetAs }));
  });

  it('keeps the same octets apart where sessions read them differently', () => {
    const table = new AttributeTable();
    const attributes: PathAttributes = { ...BASE, aigp: { metric: 5n, otherTlvs: [] } };
    const used = table.internReceived(viewOf(attributes), 'mp');
    const unused = table.internReceived(viewOf(attributes, { ...CONTEXT, aigp: false }), 'mp');
    expect(unused).not.toBe(used);
    expect(table.preference.flags[used]! & HAS_AIGP).toBe(HAS_AIGP);
    expect(table.preference.flags[unused]! & HAS_AIGP).toBe(0);
  });

  it('keeps next hops apart', () => {
    const table = new AttributeTable();
    const other = { ...BASE, nextHop: { linkLocal: parseAddress('fe80::2')! } };
    expect(table.internReceived(viewOf(other), 'mp')).not.toBe(table.internReceived(viewOf(BASE), 'mp'));
    expect(table.internValue(other)).not.toBe(table.internValue(BASE));
  });

  it('forgets an id with its last reference, and uses it again', () => {
    const table = new AttributeTable();
    const id = table.internReceived(viewOf(BASE), 'mp');
    table.acquire(id);
    table.release(id);
    expect(table.attributes(id)).toEqual(BASE);
    table.release(id);
    expect(table.size).toBe(0);
    expect(table.internValue({ ...BASE, origin: 0 })).toBe(id);
    expect(table.attributes(id).origin).toBe(0);
  });

  it('grows past its first capacity', () => {
    const table = new AttributeTable();
    const ids = Array.from({ length: 1000 }, (_, i) => table.internValue({ ...BASE, med: i }));
    expect(new Set(ids).size).toBe(1000);
    ids.forEach((id, i) => {
      expect(table.attributes(id).med).toBe(i);
      expect(table.preference.med[id]).toBe(i);
    });
  });
});

describe('preference columns', () => {
  function columns(changes: Partial<PathAttributes>) {
    const table = new AttributeTable();
    const id = table.internValue({ ...BASE, ...changes });
    return { preference: table.preference, id };
  }

  it('hold what a decision asks', () => {
    const { preference, id } = columns({
      med: 7,
      localPref: 300,
      aigp: { metric: (2n << 32n) | 3n, otherTlvs: [] },
      extendedCommunities: [{ type: 3, subtype: 0x0b, value: Uint8Array.of(0, 0, 0xff, 0, 0, 1) }],
    });
    expect(preference.flags[id]).toBe(HAS_AIGP | HAS_COLOUR | LINK_LOCAL_NEXT_HOP);
    expect([preference.aigpHigh[id], preference.aigpLow[id]]).toEqual([2, 3]);
    expect([preference.med[id], preference.localPref[id], preference.origin[id]]).toEqual([7, 300, 1]);
    expect([preference.neighbourAs[id], preference.originAs[id]]).toEqual([65001, 65002]);
    expect(preference.colour[id]).toBe(0xff000001);
  });

  it.each([
    ['an empty path', [], 0, 0, 0],
    ['a set counts as one', [{ kind: 'set', asns: [1, 2, 3] }], 1, 0, 0],
    [
      'a sequence and a set',
      [
        { kind: 'sequence', asns: [9, 8] },
        { kind: 'set', asns: [1, 2, 3] },
      ],
      3,
      9,
      0,
    ],
  ] as const)('measure %s', (_name, asPath, length, neighbour, origin) => {
    const { preference, id } = columns({ asPath });
    expect([preference.asPathLength[id], preference.neighbourAs[id], preference.originAs[id]]).toEqual([
      length,
      neighbour,
      origin,
    ]);
  });

  it('have defaults where nothing is said', () => {
    const { preference, id } = columns({});
    expect([preference.med[id], preference.localPref[id]]).toEqual([0, 100]);
  });

  it('tell AIGP 0 from none', () => {
    const { preference, id } = columns({ aigp: { metric: 0n, otherTlvs: [] } });
    expect(preference.flags[id]! & HAS_AIGP).toBe(HAS_AIGP);
  });
});
