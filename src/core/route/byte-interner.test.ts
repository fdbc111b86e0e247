import { describe, expect, it } from 'vitest';
import fc from '../../../test/harness/properties.js';
import { ByteInterner } from './byte-interner.js';

const bytes = (...octets: number[]) => Uint8Array.from(octets);

describe('ByteInterner', () => {
  it('tells strings apart by octets and by length', () => {
    const interner = new ByteInterner();
    const ids = [[], [0], [0, 0], [0, 0, 0, 0], [0, 0, 0, 0, 1], [1]].map((octets) =>
      interner.add(bytes(...octets), octets.length),
    );
    expect(new Set(ids).size).toBe(6);
    expect(interner.find(bytes(0, 0, 9), 2)).toBe(ids[2]);
    expect(interner.find(bytes(2), 1)).toBe(-1);
  });

  it('agrees with a map through any history, and uses ids again', () => {
    const key = fc.uint8Array({ maxLength: 12, max: 3 });
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.boolean(), key), { maxLength: 400 }), (steps) => {
        const interner = new ByteInterner();
        const model = new Map<string, number>();
        let most = 0;
        for (const [add, octets] of steps) {
          const text = octets.join();
          const id = interner.find(octets, octets.length);
          expect(id).toBe(model.get(text) ?? -1);
          if (add && id === -1) model.set(text, interner.add(octets, octets.length));
          if (!add && id !== -1) {
            interner.remove(id);
            model.delete(text);
          }
          most = Math.max(most, model.size);
        }
        expect(new Set(model.values()).size).toBe(model.size);
        expect(interner.size).toBe(model.size);
        expect(interner.end).toBe(most);
      }),
      { numRuns: 50 },
    );
  });

  it('does not grow when strings come and go', () => {
    const interner = new ByteInterner();
    const octets = new Uint8Array(100);
    const ids: number[] = [];
    for (let i = 0; i < 20_000; i++) {
      new DataView(octets.buffer).setUint32(0, i);
      ids.push(interner.add(octets, octets.length));
      if (ids.length > 50) interner.remove(ids.shift()!);
    }
    expect(interner.end).toBe(51);
    expect(interner.arenaOctets).toBe(16384);
    for (let i = 19_950; i < 20_000; i++) {
      new DataView(octets.buffer).setUint32(0, i);
      expect(interner.find(octets, octets.length)).not.toBe(-1);
    }
  });
});
