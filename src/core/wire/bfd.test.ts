import { describe, expect, it } from 'vitest';
import { decodeBfdControlPacket, encodeBfdControlPacket } from './bfd.js';

/** From FRR 10.3: state Up with a poll. */
const CAPTURED = '20e00318c6e1a457c32744b7000493e0000493e00000c350';

function bytes(hex: string): Uint8Array {
  return Uint8Array.from(hex.match(/../g) ?? [], (octet) => Number.parseInt(octet, 16));
}

describe('BFD control packets', () => {
  it('are read field by field', () => {
    expect(decodeBfdControlPacket(bytes(CAPTURED))).toEqual({
      version: 1,
      diagnostic: 0,
      state: 3,
      poll: true,
      final: false,
      controlPlaneIndependent: false,
      authenticationPresent: false,
      demand: false,
      multipoint: false,
      detectMultiplier: 3,
      myDiscriminator: 0xc6e1a457,
      yourDiscriminator: 0xc32744b7,
      desiredMinTxInterval: 300_000,
      requiredMinRxInterval: 300_000,
      requiredMinEchoRxInterval: 50_000,
    });
  });

  it.each([
    ['diagnostic', 0, 0x23, { diagnostic: 3 }],
    ['Final and C', 1, 0xd8, { poll: false, final: true, controlPlaneIndependent: true, state: 3 }],
    [
      'authentication, demand and multipoint',
      1,
      0x07,
      { state: 0, authenticationPresent: true, demand: true, multipoint: true },
    ],
  ])('%s', (_name, at, value, expected) => {
    const packet = bytes(CAPTURED);
    packet[at] = value;
    expect(decodeBfdControlPacket(packet)).toMatchObject(expected);
  });

  it('are nothing when shorter than the mandatory section or than they say', () => {
    const whole = bytes(CAPTURED);
    for (let length = 0; length < whole.length; length++) {
      expect(decodeBfdControlPacket(whole.subarray(0, length))).toBeUndefined();
    }
    for (const claimed of [0, 23, 25]) {
      const packet = Uint8Array.from(whole);
      packet[3] = claimed;
      expect(decodeBfdControlPacket(packet)).toBeUndefined();
    }
  });

  it('are written as a real peer writes them', () => {
    expect(encodeBfdControlPacket(decodeBfdControlPacket(bytes(CAPTURED))!)).toEqual(bytes(CAPTURED));
  });

  it.each([0xd8, 0x03, 0x40])('keep the flags 0x%s', (flags) => {
    const packet = bytes(CAPTURED);
    packet[1] = flags;
    expect(encodeBfdControlPacket(decodeBfdControlPacket(packet)!)).toEqual(packet);
  });
});
