import { describe, expect, it } from 'vitest';
import fc from '../../../test/harness/properties.js';
import { JsonArrayReader } from './json-array-reader.js';

function read(pieces: readonly string[]) {
  const reader = new JsonArrayReader();
  return { items: pieces.flatMap((piece) => reader.push(piece)), reader };
}

describe('a JSON array in pieces', () => {
  it('gives its objects, wherever it is cut', () => {
    const items = fc.array(fc.dictionary(fc.string(), fc.jsonValue()));
    fc.assert(
      fc.property(items, fc.array(fc.nat(200)), (values, cuts) => {
        const text = JSON.stringify(values);
        const places = [0, ...cuts.map((cut) => cut % (text.length + 1)).sort((a, b) => a - b), text.length];
        const pieces = places.slice(1).map((to, index) => text.slice(places[index], to));
        const { items: got, reader } = read(pieces);
        expect(got).toEqual(JSON.parse(text));
        expect(reader.isComplete).toBe(true);
      }),
    );
  });

  it('knows that one was cut off, and what is no JSON', () => {
    expect(read(['[{"a":1},{"a"']).reader.isComplete).toBe(false);
    expect(read(['[{"a":1},{"a"']).items).toEqual([{ a: 1 }]);
    expect(() => read(['[{a}]'])).toThrow(SyntaxError);
  });
});
