import { describe, expect, it } from 'vitest';
import { bytes } from '../../../../test/harness/bgp-bytes.js';
import { decodeRouteRefresh, encodeRouteRefresh } from './route-refresh.js';

describe('ROUTE-REFRESH', () => {
  it.each([0, 1, 2])('subtype %i goes there and back', (subtype) => {
    const refresh = { kind: 'route-refresh', afi: 2, safi: 1, subtype } as const;
    expect(decodeRouteRefresh(encodeRouteRefresh(refresh).subarray(19), true)).toEqual(refresh);
  });

  const CASES = [
    { name: 'reserved octet without enhanced refresh', body: '0002 02 01', enhanced: false, result: { subtype: 0 } },
    { name: 'unknown subtype', body: '0002 03 01', enhanced: true, result: undefined },
    { name: 'filters in a request', body: '0002 00 01 01 40 0000', enhanced: true, result: undefined },
    { name: 'three octets without enhanced refresh', body: '0002 01', enhanced: false, result: undefined },
    { name: 'three octets', body: '0002 01', enhanced: true, result: { kind: 'error', code: 7, subcode: 1 } },
    { name: 'long beginning', body: '0002 01 01 00', enhanced: true, result: { kind: 'error', code: 7, subcode: 1 } },
    { name: 'nothing', body: '', enhanced: true, result: { kind: 'error', code: 7, subcode: 1 } },
  ];

  it.each(CASES)('$name', ({ body, enhanced, result }) => {
    const decoded = decodeRouteRefresh(bytes(body), enhanced);
    if (result === undefined) expect(decoded).toBeUndefined();
    else expect(decoded).toMatchObject(result);
  });

  it('answers a wrong length with the whole message', () => {
    expect(decodeRouteRefresh(bytes('0002 01'), true)).toMatchObject({
      data: bytes(`${'ff'.repeat(16)} 0016 05 0002 01`),
    });
  });
});
