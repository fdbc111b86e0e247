import { describe, expect, it } from 'vitest';
import fc from '../../../test/harness/properties.js';
import { equalPrefixes, formatPrefix, masked, type Prefix, parsePrefix } from '../net/prefix.js';
import { PLAIN_MEMORY } from '../ports/table-memory.js';
import { PrefixTable } from './prefix-table.js';

const prefixArb: fc.Arbitrary<Prefix> = fc
  .constantFrom(4, 16)
  .chain((octets) =>
    fc
      .tuple(fc.uint8Array({ minLength: octets, maxLength: octets, max: 2 }), fc.nat(octets * 8))
      .map(([address, length]) => ({ address: masked(address, length), length })),
  );

describe('PrefixTable', () => {
  it('takes a prefix over from another table, and finds it there without adding it', () => {
    const [here, there] = [new PrefixTable(), new PrefixTable()];
    const texts = ['10.1.0.0/16', '2001:db8::/32', '2001:db8::/48', '0.0.0.0/0', '::/0'];
    const ids = texts.map((text) => there.internPrefix(parsePrefix(text)!));
    expect(here.findFrom(there, ids[1]!)).toBeUndefined();
    expect(here.size).toBe(0);
    for (const id of ids.toReversed()) here.internFrom(there, id);
    for (const [place, id] of ids.entries()) {
      expect(formatPrefix(here.prefixOf(here.findFrom(there, id)!))).toBe(texts[place]);
      expect(here.internFrom(there, id)).toBe(ids.length - 1 - place);
    }
  });

  it('agrees with a map through any history, and uses ids again', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.boolean(), prefixArb), { maxLength: 300 }), (steps) => {
        const table = new PrefixTable({ ...PLAIN_MEMORY, capacity: 16 });
        const model = new Map<string, number>();
        let most = 0;
        for (const [add, prefix] of steps) {
          const text = formatPrefix(prefix);
          expect(table.find(prefix)).toBe(model.get(text));
          if (add) model.set(text, table.internPrefix(prefix));
          else if (model.has(text)) {
            table.remove(model.get(text)!);
            model.delete(text);
          }
          most = Math.max(most, model.size);
        }
        expect(table.size).toBe(model.size);
        expect(table.end).toBe(most);
        for (const [text, id] of model) {
          expect(formatPrefix(table.prefixOf(id))).toBe(text);
          expect(table.isUsed(id)).toBe(true);
        }
      }),
      { numRuns: 50 },
    );
  });

  it('gives back what it was given, top bits and all', () => {
    const table = new PrefixTable();
    const prefix = { address: new Uint8Array(16).fill(0xff), length: 128 };
    expect(equalPrefixes(table.prefixOf(table.internPrefix(prefix)), prefix)).toBe(true);
    const ipv4 = { address: Uint8Array.of(255, 255, 255, 255), length: 32 };
    const id = table.internPrefix(ipv4);
    expect(table.isIpv6(id)).toBe(false);
    expect(equalPrefixes(table.prefixOf(id), ipv4)).toBe(true);
  });

  it('keeps ids while it grows', () => {
    const table = new PrefixTable();
    const id = (i: number) => table.intern('ipv6-unicast', 64, 0xfd000000 | 0, i, 0, 0);
    for (let i = 0; i < 20_000; i++) id(i);
    for (let i = 0; i < 20_000; i += 97) expect(id(i)).toBe(i);
  });
});
