import { describe, expect, it } from 'vitest';
import { bytes } from '../../../../test/harness/bgp-bytes.js';
import { formatAsPath } from './attributes/as-path.js';
import { colourCommunity } from './colour.js';
import { formatAttributes } from './format.js';

describe('formatAttributes', () => {
  it('has one member for each attribute, in the order of their types', () => {
    const formatted = formatAttributes({
      origin: 2,
      asPath: [
        { kind: 'sequence', asns: [65001, 4200000001] },
        { kind: 'set', asns: [65003, 65004] },
      ],
      nextHop: {
        global: bytes('fd000000000000000000000000000001'),
        linkLocal: bytes('fe800000000000000000000000000001'),
      },
      med: 0,
      localPref: 100,
      atomicAggregate: true,
      aggregator: { asn: 65001, address: bytes('0a000001') },
      communities: [0xfde80001, 0xffffff01],
      originatorId: 0x0a000001,
      clusterList: [0x0a000002, 0x0a000003],
      extendedCommunities: [colourCommunity(3)],
      largeCommunities: [[65000, 1, 4294967295]],
      aigp: { metric: 0xffff_ffff_ffff_fffen, otherTlvs: [] },
      unknown: [{ flags: 0xc0, type: 99, value: bytes('0102') }],
    });
    expect(JSON.stringify(formatted, undefined, 1).replaceAll(/\n */g, ' ')).toBe(
      [
        '{ "origin": "incomplete", "asPath": "65001 4200000001 {65003,65004}",',
        '"nextHop": { "global": "fd00::1", "linkLocal": "fe80::1" }, "med": 0, "localPref": 100,',
        '"atomicAggregate": true, "aggregator": "65001 10.0.0.1", "communities": [ "65000:1", "65535:65281" ],',
        '"originatorId": "10.0.0.1", "clusterList": [ "10.0.0.2", "10.0.0.3" ],',
        '"extendedCommunities": [ "color:00:3" ], "aigp": "18446744073709551614",',
        '"largeCommunities": [ "65000:1:4294967295" ],',
        '"unknown": [ { "type": 99, "flags": "0xc0", "value": "0102" } ] }',
      ].join(' '),
    );
  });

  it('leaves out what is not there', () => {
    expect(formatAttributes({ origin: 0, asPath: [] })).toEqual({ origin: 'igp', asPath: '' });
  });
});

describe('formatAsPath', () => {
  it('is empty for an empty path', () => {
    expect(formatAsPath([])).toBe('');
  });
});
