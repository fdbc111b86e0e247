/** Random path attributes that are valid, for property tests. */

import type { PathAttributes } from '../../src/core/wire/bgp/path-attributes.js';
import fc from './properties.js';

const octets = (length: number) => fc.uint8Array({ minLength: length, maxLength: length });
const uint32 = fc.integer({ min: 0, max: 0xffffffff });
const asn = fc.integer({ min: 1, max: 0xffffffff });

const address = (lengths: readonly number[]) =>
  fc.constantFrom(...lengths).chain((length) =>
    octets(length).map((value) => {
      // 10.x.y.z or fdxx::, so that it is neither link-local nor no host's address.
      value[0] = length === 4 ? 10 : 0xfd;
      return value;
    }),
  );

const linkLocal = octets(16).map((value) => {
  value.set([0xfe, 0x80]);
  return value;
});

const sequence = fc.array(asn, { minLength: 1, maxLength: 300 }).map((asns) => ({ kind: 'sequence' as const, asns }));
const set = fc.array(asn, { minLength: 1, maxLength: 5 }).map((asns) => ({ kind: 'set' as const, asns }));

/** AS_PATH as it comes off the wire: no segment of more than 255. */
const asPath = fc.oneof(
  fc.constant([]),
  sequence.map((segment) =>
    segment.asns.length <= 255 ? [segment] : [{ ...segment, asns: segment.asns.slice(0, 255) }],
  ),
  fc.tuple(sequence, set).map(([first, second]) => [{ ...first, asns: first.asns.slice(0, 9) }, second]),
);

const extendedCommunity = fc.record({ type: fc.nat(255), subtype: fc.nat(255), value: octets(6) });
const large = fc.tuple(uint32, uint32, uint32);
const aigpTlv = fc.record({ type: fc.integer({ min: 2, max: 255 }), value: fc.uint8Array({ maxLength: 20 }) });

const shared = {
  origin: fc.constantFrom(0 as const, 1 as const, 2 as const),
  asPath,
  med: uint32,
  localPref: uint32,
  atomicAggregate: fc.constant(true),
  aggregator: fc.record({ asn, address: address([4]) }),
  communities: fc.array(uint32, { minLength: 1, maxLength: 80 }),
  originatorId: uint32,
  clusterList: fc.array(uint32, { minLength: 1, maxLength: 20 }),
  extendedCommunities: fc.array(extendedCommunity, { minLength: 1, maxLength: 40 }),
  largeCommunities: fc.uniqueArray(large, { minLength: 1, maxLength: 30, selector: (value) => value.join() }),
  aigp: fc.record({
    metric: fc.bigInt({ min: 0n, max: 0xffff_ffff_ffff_fffen }),
    otherTlvs: fc.array(aigpTlv, { maxLength: 3 }),
  }),
  unknown: fc
    .uniqueArray(
      fc.record({
        flags: fc.constant(0xe0),
        type: fc.integer({ min: 100, max: 200 }),
        value: fc.uint8Array({ maxLength: 300 }),
      }),
      { minLength: 1, maxLength: 3, selector: ({ type }) => type },
    )
    .map((attributes) => attributes.toSorted((a, b) => a.type - b.type)),
};

const REQUIRED = { requiredKeys: ['origin', 'asPath', 'localPref', 'nextHop'] } as const;

/** With an IPv4 next hop: routes of the classic field. */
export const classicAttributes = fc.record(
  { ...shared, nextHop: fc.record({ global: address([4]) }) },
  { requiredKeys: [...REQUIRED.requiredKeys] },
) as fc.Arbitrary<PathAttributes>;

/** With an IPv6 next hop in any of its forms: routes of MP_REACH_NLRI. */
export const multiprotocolAttributes = fc.record(
  {
    ...shared,
    nextHop: fc.oneof(
      fc.record({ linkLocal }),
      fc.record({ global: address([16]) }),
      fc.record({ global: address([16]), linkLocal }),
    ),
  },
  { requiredKeys: [...REQUIRED.requiredKeys] },
) as fc.Arbitrary<PathAttributes>;
