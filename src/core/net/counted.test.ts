import { expect, it } from 'vitest';
import { counted, countedPrefixes } from './counted.js';

it('knows one from many, and none', () => {
  expect([counted(0, 'path'), counted(1, 'path'), counted(2, 'leaf', 'leaves')]).toEqual([
    '0 paths',
    '1 path',
    '2 leaves',
  ]);
  expect([countedPrefixes(1), countedPrefixes(2, 'ipv4-unicast')]).toEqual(['1 prefix', '2 ipv4-unicast prefixes']);
});
