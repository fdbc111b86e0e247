import { describe, expect, it } from 'vitest';
import { parseAddress } from '../../core/net/address.js';
import type { AuthenticationKey } from '../../core/ports/transport.js';
import { addedKey, deletedKey } from './tcp-ao.js';

const REMOTE = parseAddress('fe80::a8c1:abff:fe12:3456')!;
const KEY: AuthenticationKey = { sendId: 7, receiveId: 9, algorithm: 'hmac-sha-1-96', password: 'abc' };

const text = (octets: Uint8Array) => new TextDecoder().decode(octets.subarray(0, octets.indexOf(0)));
const hex = (octets: Uint8Array) => Buffer.from(octets).toString('hex');
const zeros = (octets: Uint8Array) => octets.every((octet) => octet === 0);

describe('struct tcp_ao_add of linux/tcp.h', () => {
  const option = addedKey(REMOTE, KEY);

  it('is 288 octets: sockaddr_storage, char[64], s32, u32 flags, u16, six u8, u8[80]', () => {
    expect(option).toHaveLength(128 + 64 + 4 + 4 + 2 + 6 + 80);
  });

  it('begins with the peer as a sockaddr_in6 without port and scope, which the kernel would refuse', () => {
    expect(hex(option.subarray(0, 28))).toBe('0a000000' + '00000000' + 'fe80000000000000a8c1abfffe123456' + '00000000');
    expect(zeros(option.subarray(28, 128))).toBe(true);
  });

  it('names the algorithm as the kernel does', () => {
    expect(text(option.subarray(128, 192))).toBe('hmac(sha1)');
    expect(text(addedKey(REMOTE, { ...KEY, algorithm: 'aes-128-cmac-96' }).subarray(128, 192))).toBe('cmac(aes128)');
  });

  it('has no VRF and no flags, then prefix, ids, 12 octets of MAC, key flags, and the key', () => {
    expect(zeros(option.subarray(192, 202))).toBe(true);
    expect(hex(option.subarray(202, 212))).toBe('80' + '07' + '09' + '0c' + '00' + '03' + '61626300');
    expect(zeros(option.subarray(211))).toBe(true);
  });

  it('has room for the longest key', () => {
    const longest = addedKey(REMOTE, { ...KEY, password: 'x'.repeat(80) });
    expect(longest).toHaveLength(288);
    expect(longest[207]).toBe(80);
    expect(longest[287]).toBe(0x78);
  });
});

it('struct tcp_ao_del is 144 octets with the same peer, prefix and ids', () => {
  const option = deletedKey(REMOTE, KEY);
  expect(option).toHaveLength(128 + 4 + 4 + 2 + 6);
  expect(hex(option.subarray(0, 28))).toBe(hex(addedKey(REMOTE, KEY).subarray(0, 28)));
  expect(hex(option.subarray(128))).toBe('0000000000000000' + '0000' + '80' + '07' + '09' + '000000');
});
