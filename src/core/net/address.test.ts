import { Address6 } from 'ip-address';
import { describe, expect, it } from 'vitest';
import fc from '../../../test/harness/properties.js';
import { formatAddress, parseAddress } from './address.js';

describe('the text of an address', () => {
  it.each([
    // RFC 5952 sections 4.1 to 4.3.
    ['2001:0db8:0000:0000:0001:0000:0000:0001', '2001:db8::1:0:0:1'],
    ['2001:db8:0:1:1:1:1:1', '2001:db8:0:1:1:1:1:1'],
    ['2001:0:0:1:0:0:0:1', '2001:0:0:1::1'],
    ['2001:DB8:0:0:0:0:2:1', '2001:db8::2:1'],
    ['0:0:0:0:0:0:0:0', '::'],
    ['0:0:0:0:0:0:0:1', '::1'],
    ['fd00:1:0:0:0:0:0:0', 'fd00:1::'],
    ['0:0:1:0:0:0:0:0', '0:0:1::'],
    ['192.0.2.1', '192.0.2.1'],
  ])('of %s is %s', (written, text) => {
    expect(formatAddress(parseAddress(written)!)).toBe(text);
  });

  it('is what the library makes of it', () => {
    const group = fc.oneof(fc.constant(0), fc.constant(0), fc.nat(0xffff));
    fc.assert(
      fc.property(fc.array(group, { minLength: 8, maxLength: 8 }), (groups) => {
        const address = Uint8Array.from(groups.flatMap((value) => [value >> 8, value & 0xff]));
        expect(formatAddress(address)).toBe(Address6.fromUnsignedByteArray([...address]).correctForm());
      }),
      { numRuns: 2000 },
    );
  });
});
