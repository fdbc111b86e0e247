import { describe, expect, it } from 'vitest';
import { byPrefix } from './by-prefix.js';

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
});
