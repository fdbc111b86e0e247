import { describe, expect, it } from 'vitest';
import { matchesCommunity, parseCommunity, parseCommunityPattern } from './community-text.js';

const extended = (...octets: number[]) => ({
  kind: 'extended',
  value: { type: octets[0], subtype: octets[1], value: Uint8Array.from(octets.slice(2)) },
});

describe('a community in text', () => {
  it.each([
    ['65000:1', { kind: 'standard', value: 65000 * 65536 + 1 }],
    ['no-export', { kind: 'standard', value: 0xffffff01 }],
    ['graceful-shutdown', { kind: 'standard', value: 0xffff0000 }],
    ['65000:1:2', { kind: 'large', value: [65000, 1, 2] }],
    ['4294967295:0:4294967295', { kind: 'large', value: [4294967295, 0, 4294967295] }],
    ['rt:65000:70000', extended(0, 2, 0xfd, 0xe8, 0, 1, 0x11, 0x70)],
    ['soo:70000:7', extended(2, 3, 0, 1, 0x11, 0x70, 0, 7)],
    ['rt:192.0.2.1:7', extended(1, 2, 192, 0, 2, 1, 0, 7)],
    ['4004fde80000abcd', extended(0x40, 0x04, 0xfd, 0xe8, 0, 0, 0xab, 0xcd)],
    ['65536:1', undefined],
    ['65000', undefined],
    ['1:2:3:4', undefined],
    ['rt:70000:70000', undefined],
    ['xx:1:2', undefined],
    ['rt:1:x', undefined],
    ['65000:*', undefined],
  ])('%s', (text, expected) => {
    expect(parseCommunity(text)).toEqual(expected);
  });

  it.each([
    ['65000:*', '65000:7', true],
    ['65000:*', '65001:7', false],
    ['*:*', '1:1', true],
    ['*:*', '1:1:1', false],
    ['65000:*:3', '65000:9:3', true],
    ['65000:*:3', '65000:9:4', false],
    ['rt:65000:*', 'rt:65000:1', true],
    ['rt:65000:*', 'soo:65000:1', false],
    ['color:*:3', 'color:00:3', true],
    ['color:01:3', 'color:01:3', true],
    ['no-export', '65535:65281', true],
    ['4005FDE80000ABCD', '4005fde80000abcd', true],
  ])('%s describes %s: %s', (pattern, text, expected) => {
    expect(matchesCommunity(parseCommunityPattern(pattern)!, text)).toBe(expected);
  });

  it.each(['65536:*', 'foo:*:1', '*', '1:2:3:*', 'color:5:3', 'toString:*:1'])('%s describes nothing', (text) => {
    expect(parseCommunityPattern(text)).toBeUndefined();
  });
});
