import { expect, it } from 'vitest';
import { decodeProbe, encodeProbe } from './probe-datagram.js';

it('says which it is and when it was sent', () => {
  expect(decodeProbe(encodeProbe(4_000_000_000, 1234.5))).toEqual({ sequence: 4_000_000_000, sentAt: 1234.5 });
});

it('is for the same queue pair whatever it says', () => {
  const [one, other] = [encodeProbe(1, 1), encodeProbe(0xffff_ffff, 1e9 / 3)].map((bytes) => bytes.subarray(0, 12));
  expect(one).toEqual(other);
});
