import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { byPrefix, piecesByPrefix } from './by-prefix.js';

describe('rows by prefix', () => {
  it('orders by number, not by text, IPv4 first, the shorter of two first', () => {
    const texts = ['fc00:10::/64', 'fc00:9::/64', '10.0.0.0/8', '9.0.0.0/8', 'fc00:9::/48', '::/0'];
    expect(byPrefix(texts.map((prefix) => ({ prefix }))).map(({ prefix }) => prefix)).toEqual([
      '9.0.0.0/8',
      '10.0.0.0/8',
      '::/0',
      'fc00:9::/48',
      'fc00:9::/64',
      'fc00:10::/64',
    ]);
  });

  it('orders what comes in pieces, and hands on what is too long for that', async () => {
    const sorted = async (count: number) => {
      const rows = Array.from({ length: count }, (_, index) => ({ prefix: `10.${(count - index) & 0xff}.0.0/16` }));
      const pieces = Array.from({ length: 20 }, (_, place) =>
        rows.slice((place * count) / 20, ((place + 1) * count) / 20),
      );
      const got: { readonly prefix: string }[][] = [];
      for await (const piece of piecesByPrefix(Readable.from(pieces))) got.push([...piece]);
      return { rows, got };
    };
    const short = await sorted(100);
    expect(short.got).toEqual([short.rows.toReversed()]);
    const long = await sorted(60_000);
    expect(long.got.length).toBeGreaterThan(1);
    expect(long.got.flat()).toEqual(long.rows);
    expect((await sorted(0)).got).toEqual([]);
  });
});
