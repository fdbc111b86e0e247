import { describe, expect, it } from 'vitest';
import { PayloadWriter, parseAttributes, textOf, u32Of } from './attributes.js';

describe('attributes', () => {
  it('pads each to 4 octets and reads back what was written', () => {
    const payload = new PayloadWriter(Uint8Array.of(1, 2, 3, 4))
      .u8(1, 7)
      .u16(2, 0x1234)
      .u32(3, 0xdeadbeef)
      .data(4, Uint8Array.of(9, 8, 7, 6, 5))
      .finish();
    expect(payload.length).toBe(4 + 8 + 8 + 8 + 12);
    const attributes = parseAttributes(payload, 4);
    expect(attributes.get(1)).toEqual(Uint8Array.of(7));
    expect(u32Of(attributes.get(3))).toBe(0xdeadbeef);
    expect(attributes.get(4)).toEqual(Uint8Array.of(9, 8, 7, 6, 5));
  });

  it('nests attributes and grows as needed', () => {
    const payload = new PayloadWriter(new Uint8Array(8))
      .nested(5, (inner) => {
        for (let type = 1; type <= 100; type++) inner.u32(type, type * 3);
      })
      .u8(6, 1)
      .finish();
    const outer = parseAttributes(payload, 8);
    const inner = parseAttributes(outer.get(5)!);
    expect(inner.size).toBe(100);
    expect(u32Of(inner.get(100))).toBe(300);
    expect(outer.get(6)).toEqual(Uint8Array.of(1));
  });

  it.each([
    ['a length below its header', [2, 0, 1, 0, 9, 9, 9, 9]],
    ['a length beyond the end', [40, 0, 1, 0, 9, 9, 9, 9]],
    ['half a header', [8, 0]],
  ])('stops at %s', (_, octets) => {
    const good = new PayloadWriter(new Uint8Array()).u32(7, 1).finish();
    expect([...parseAttributes(Uint8Array.of(...good, ...octets)).keys()]).toEqual([7]);
  });

  it('reads text up to its end or its NUL', () => {
    expect([textOf(Uint8Array.of(97, 98, 0, 99)), textOf(Uint8Array.of(97, 98)), textOf(undefined)]).toEqual([
      'ab',
      'ab',
      undefined,
    ]);
  });
});
