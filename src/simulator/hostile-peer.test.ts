/** What a hostile neighbour can do to a router: lose its own session, and nothing else. */
import { describe, expect, it } from 'vitest';
import { bytes } from '../../test/harness/bgp-bytes.js';
import { AS_PATH, attribute, ORIGIN, reach, update } from '../../test/harness/hostile-updates.js';
import { MESSAGE_TYPE } from '../core/wire/bgp/message.js';
import { hex, octets32 } from '../core/wire/bgp/octets.js';
import { capabilities, type HostilePeer, keepalive, open, rawMessage } from './hostile-peer.js';
import { FOE_PREFIX, HostileStage, ROUTER_AS, ROUTER_IDENTIFIER, SECOND } from './hostile-stage.fixture.js';

/** Lines in the log must not come one a message. */
const MANY = 200;
const NLRI = '40fc00006600000000';
const LINK_LOCAL = 'fe800000000000000000000000000066';

interface Attack {
  readonly name: string;
  /** In OpenSent. */
  readonly early?: boolean;
  readonly sends: readonly Uint8Array[];
  /** `code/subcode` of the NOTIFICATION; `kept` when the session goes on. */
  readonly ends: string;
  /** The foe's route is used afterwards. */
  readonly route?: boolean;
  /** What the router says is wrong, so that the rule meant is the one that acted; nothing must be wrong without it. */
  readonly fault?: string;
  /** Kept, and not used for this reason. */
  readonly hidden?: string;
}

const extended = (length: number, value = '') => ({
  parameters: bytes(`ffff${length.toString(16).padStart(4, '0')}${value}`),
});
const FOUR_OCTET = '4104';
const MP_BOTH = '0104000100010104000200010506000100010002';
const own = (asn: number) => ({ asn, parameters: capabilities(bytes(`${MP_BOTH}${FOUR_OCTET}${hex(octets32(asn))}`)) });
const route = (...attributes: string[]) => update({ attributes: [...attributes, reach(LINK_LOCAL, NLRI)] });
const plain = route(ORIGIN, AS_PATH);
const long = (type: number, size: number) => attribute(0xc0, type, 'ab'.repeat(size));
const asPathOf = (segments: string) => attribute(0x40, 2, segments);

const HEADERS: readonly Attack[] = [
  { name: 'type 0', sends: [rawMessage(0, new Uint8Array(0))], ends: '1/3' },
  { name: 'type 6', sends: [rawMessage(6, new Uint8Array(4))], ends: '1/3' },
  { name: 'type 255', sends: [rawMessage(255, new Uint8Array(4))], ends: '1/3' },
  { name: 'a marker that is none', sends: [rawMessage(4, new Uint8Array(0), { marker: 0 })], ends: '1/1' },
  { name: 'length 0', sends: [rawMessage(4, new Uint8Array(0), { length: 0 })], ends: '1/2' },
  { name: 'length 18', sends: [rawMessage(2, new Uint8Array(4), { length: 18 })], ends: '1/2' },
  { name: 'a KEEPALIVE of 20 octets', sends: [rawMessage(4, new Uint8Array(1))], ends: '1/2' },
  { name: 'an UPDATE of 22 octets', sends: [rawMessage(2, new Uint8Array(3))], ends: '1/2' },
  { name: 'a NOTIFICATION of 20 octets', sends: [rawMessage(3, new Uint8Array(1))], ends: '1/2' },
];

const OPENS: readonly Attack[] = [
  ...HEADERS.map((attack) => ({ ...attack, name: `${attack.name}, before OPEN`, early: true })),
  { name: 'version 3', early: true, sends: [open({ version: 3 })], ends: '2/1' },
  { name: 'hold time 1', early: true, sends: [open({ hold: 1 })], ends: '2/6' },
  { name: 'hold time 2', early: true, sends: [open({ hold: 2 })], ends: '2/6' },
  { name: 'hold time 0', early: true, sends: [open({ hold: 0 }), keepalive], ends: 'kept' },
  { name: 'identifier 0', early: true, sends: [open({ identifier: 0 })], ends: '2/3' },
  {
    name: 'our identifier in another AS',
    early: true,
    sends: [open({ identifier: ROUTER_IDENTIFIER }), keepalive],
    ends: 'kept',
  },
  { name: 'AS 0', early: true, sends: [open(own(0))], ends: '2/2' },
  { name: 'AS 0 behind AS_TRANS', early: true, sends: [open({ ...own(0), asn: 23456 })], ends: '2/2' },
  { name: 'AS_TRANS and no other', early: true, sends: [open({ asn: 23456, parameters: bytes('00') })], ends: '2/2' },
  { name: 'our own AS', early: true, sends: [open(own(ROUTER_AS))], ends: '2/2' },
  { name: 'two different AS numbers', early: true, sends: [open({ ...own(64999), asn: 64998 })], ends: '2/2' },
  {
    name: 'an unknown optional parameter',
    early: true,
    sends: [open({ parameters: bytes('03 01 01 00') })],
    ends: '2/4',
  },
  {
    name: 'parameters beyond the message',
    early: true,
    sends: [open({ parameters: bytes('40 02 06 4104') })],
    ends: '2/0',
  },
  {
    name: 'parameters that stop before its end',
    early: true,
    sends: [open({ parameters: bytes('00 02 00') })],
    ends: '2/0',
  },
  {
    name: 'a capability beyond its parameter',
    early: true,
    sends: [open({ parameters: bytes('04 02 02 41ff') })],
    ends: '2/0',
  },
  { name: 'half a capability', early: true, sends: [open({ parameters: bytes('03 02 01 41') })], ends: '2/0' },
  { name: 'no capability at all', early: true, sends: [open({ parameters: bytes('00') }), keepalive], ends: 'kept' },
  {
    name: 'only families that we do not speak',
    early: true,
    sends: [open({ parameters: capabilities(bytes('010400190041')) })],
    ends: '2/7',
  },
  {
    name: 'capabilities with lengths of their own',
    early: true,
    sends: [
      open({
        parameters: capabilities(
          bytes(
            `${MP_BOTH} 0100 010100 0501ff 4000 4100 4501aa 4900 4901ff 4302beef 0600 8000 ff02aaaa ${FOUR_OCTET}0000fde7`,
          ),
        ),
      }),
      keepalive,
    ],
    ends: 'kept',
  },
  { name: 'extended parameters of nothing', early: true, sends: [open({ ...extended(0) }), keepalive], ends: 'kept' },
  { name: 'extended parameters that lie', early: true, sends: [open({ ...extended(9, '02') })], ends: '2/0' },
  { name: 'extended parameters cut in a header', early: true, sends: [open({ ...extended(2, '0200') })], ends: '2/0' },
  {
    name: 'extended parameters of 4000 octets',
    early: true,
    sends: [
      open(
        extended(4000, `02 0f9d ${'b0fe'.padEnd(512, 'aa').repeat(15)}${'b09b'.padEnd(314, '00')}`.replaceAll(' ', '')),
      ),
      keepalive,
    ],
    ends: 'kept',
  },
  { name: 'KEEPALIVE first', early: true, sends: [keepalive], ends: '5/1' },
  { name: 'UPDATE first', early: true, sends: [plain], ends: '5/1' },
  { name: 'ROUTE-REFRESH first', early: true, sends: [rawMessage(5, bytes('00020001'))], ends: '5/1' },
  { name: 'OPEN and UPDATE', early: true, sends: [open(), plain], ends: '5/2' },
  { name: 'two OPENs', early: true, sends: [open(), open()], ends: '5/2' },
  { name: 'an OPEN of 4097 octets', early: true, sends: [rawMessage(1, new Uint8Array(4078))], ends: '1/2' },
];

const UPDATES: readonly Attack[] = [
  ...HEADERS,
  { name: 'nothing wrong', sends: [plain], ends: 'kept', route: true },
  { name: 'a third OPEN', sends: [open()], ends: '5/3' },
  {
    name: 'attributes in descending order',
    sends: [
      update({ attributes: [attribute(0x80, 26, '01000b0000000000000005'), reach(LINK_LOCAL, NLRI), AS_PATH, ORIGIN] }),
    ],
    ends: 'kept',
    route: true,
  },
  {
    name: 'ORIGIN twice',
    sends: [route(ORIGIN, attribute(0x40, 1, '09'), AS_PATH)],
    ends: 'kept',
    fault: 'attribute-discard: attribute 1: appears again',
    route: true,
  },
  {
    name: 'MP_REACH_NLRI twice',
    sends: [update({ attributes: [ORIGIN, AS_PATH, reach(LINK_LOCAL, NLRI), reach(LINK_LOCAL, NLRI)] })],
    ends: '3/1',
  },
  {
    name: 'a transitive attribute of 60,000 octets',
    sends: [route(ORIGIN, AS_PATH, long(99, 60_000))],
    ends: 'kept',
    route: true,
  },
  {
    name: 'an attribute that says 65,535 octets',
    sends: [update({ attributes: [ORIGIN, AS_PATH, 'd063ffff'] })],
    ends: '3/1',
  },
  {
    name: 'the same behind routes',
    sends: [plain, update({ attributes: [reach(LINK_LOCAL, NLRI), ORIGIN, AS_PATH, 'd063ffff'] })],
    ends: 'kept',
    fault: 'treat-as-withdraw: attribute 99: attribute 99 overruns',
  },
  {
    name: 'ORIGIN with other flags',
    sends: [plain, route(attribute(0xc0, 1, '00'), AS_PATH)],
    ends: 'kept',
    fault: 'treat-as-withdraw: attribute 1: ORIGIN: wrong flags',
  },
  {
    name: 'an attribute that may be missing, with other flags',
    sends: [plain, route(ORIGIN, AS_PATH, attribute(0x80, 8, 'fde80001'))],
    ends: 'kept',
    fault: 'treat-as-withdraw: attribute 8: COMMUNITIES: wrong flags',
  },
  {
    name: 'ORIGIN 3',
    sends: [plain, route(attribute(0x40, 1, '03'), AS_PATH)],
    ends: 'kept',
    fault: 'treat-as-withdraw: attribute 1: ORIGIN: unknown value 3',
  },
  {
    name: 'no ORIGIN',
    sends: [plain, route(AS_PATH)],
    ends: 'kept',
    fault: 'treat-as-withdraw: attribute 1: ORIGIN is missing',
  },
  {
    name: 'no AS_PATH',
    sends: [plain, route(ORIGIN)],
    ends: 'kept',
    fault: 'treat-as-withdraw: attribute 2: AS_PATH is missing',
  },
  {
    name: 'AS 0 in AS_PATH',
    sends: [plain, route(ORIGIN, asPathOf('02020000fde700000000'))],
    ends: 'kept',
    fault: 'treat-as-withdraw: attribute 2: AS_PATH: AS 0',
  },
  {
    name: 'our AS in AS_PATH',
    sends: [plain, route(ORIGIN, asPathOf('02020000fde70000fde9'))],
    ends: 'kept',
    hidden: 'our own AS is in the AS path',
  },
  {
    name: 'an AS_SET',
    sends: [plain, route(ORIGIN, asPathOf('02010000fde701010000fde8'))],
    ends: 'kept',
    fault: 'treat-as-withdraw: attribute 2: AS_PATH: an AS_SET',
  },
  {
    name: 'a confederation segment',
    sends: [plain, route(ORIGIN, asPathOf('03010000fde7'))],
    ends: 'kept',
    fault: 'treat-as-withdraw: attribute 2: AS_PATH: segment type 3',
  },
  {
    name: 'segment type 0',
    sends: [plain, route(ORIGIN, asPathOf('00010000fde7'))],
    ends: 'kept',
    fault: 'treat-as-withdraw: attribute 2: AS_PATH: segment type 0',
  },
  {
    name: 'an empty segment',
    sends: [plain, route(ORIGIN, asPathOf('02010000fde70200'))],
    ends: 'kept',
    fault: 'treat-as-withdraw: attribute 2: AS_PATH: a segment is empty',
  },
  {
    name: 'a segment beyond its attribute',
    sends: [plain, route(ORIGIN, asPathOf('02010000fde702ff0000fde8'))],
    ends: 'kept',
    fault: 'treat-as-withdraw: attribute 2: AS_PATH: a segment overruns',
  },
  {
    name: 'an AS_PATH of 16,000 numbers',
    sends: [route(ORIGIN, asPathOf(`02ff${'0000fde7'.repeat(255)}`.repeat(60)))],
    ends: 'kept',
    route: true,
  },
  { name: 'an unknown well-known attribute', sends: [route(ORIGIN, AS_PATH, attribute(0x40, 99, '00'))], ends: '3/2' },
  { name: 'attribute 0', sends: [route(ORIGIN, AS_PATH, attribute(0xc0, 0, '00'))], ends: 'kept', route: true },
  {
    name: 'AIGP of all ones',
    sends: [route(ORIGIN, AS_PATH, attribute(0x80, 26, '01000bffffffffffffffff'))],
    ends: 'kept',
    fault: 'attribute-discard: attribute 26: AIGP: infinite metric',
    route: true,
  },
  {
    name: 'AIGP of length 10',
    sends: [route(ORIGIN, AS_PATH, attribute(0x80, 26, '01000a00000000000000'))],
    ends: 'kept',
    fault: 'attribute-discard: attribute 26: AIGP: AIGP TLV with a value of 7 octets',
    route: true,
  },
  {
    name: 'AIGP of length 2',
    sends: [route(ORIGIN, AS_PATH, attribute(0x80, 26, '010002'))],
    ends: 'kept',
    fault: 'attribute-discard: attribute 26: AIGP: TLV length 2 is not possible',
    route: true,
  },
  {
    name: 'transitive AIGP',
    sends: [route(ORIGIN, AS_PATH, attribute(0xc0, 26, '01000b0000000000000000'))],
    ends: 'kept',
    fault: 'attribute-discard: attribute 26: AIGP: wrong flags',
    route: true,
  },
  {
    name: 'three TLVs in AIGP',
    sends: [
      route(
        ORIGIN,
        AS_PATH,
        attribute(0x80, 26, '02000501020100 0b0000000000000005 01000b0000000000000009'.replaceAll(' ', '')),
      ),
    ],
    ends: 'kept',
    route: true,
  },
  {
    name: 'communities of 3 octets',
    sends: [plain, route(ORIGIN, AS_PATH, attribute(0xc0, 8, 'ffffff'))],
    ends: 'kept',
    fault: 'treat-as-withdraw: attribute 8: COMMUNITIES: length 3',
  },
  {
    name: 'extended communities of 7 octets',
    sends: [plain, route(ORIGIN, AS_PATH, attribute(0xc0, 16, '030b0000000000'))],
    ends: 'kept',
    fault: 'treat-as-withdraw: attribute 16: EXTENDED COMMUNITIES: length 7',
  },
  {
    name: 'next hop twice in 32 octets',
    sends: [update({ attributes: [ORIGIN, AS_PATH, reach(LINK_LOCAL + LINK_LOCAL, NLRI)] })],
    ends: 'kept',
    route: true,
  },
  {
    name: 'next hop :: in 32 octets',
    sends: [update({ attributes: [ORIGIN, AS_PATH, reach('00'.repeat(16) + LINK_LOCAL, NLRI)] })],
    ends: 'kept',
    route: true,
  },
  {
    name: 'next hop ::',
    sends: [update({ attributes: [ORIGIN, AS_PATH, reach('00'.repeat(16), NLRI)] })],
    ends: 'kept',
    fault: 'treat-as-withdraw: attribute 14: MP_REACH_NLRI: the next hop is the unspecified address',
  },
  {
    name: 'a next hop of 17 octets',
    sends: [update({ attributes: [ORIGIN, AS_PATH, reach('ab'.repeat(17), NLRI)] })],
    ends: '3/9',
  },
  {
    name: 'a next hop beyond the attribute',
    sends: [update({ attributes: [ORIGIN, AS_PATH, attribute(0x80, 14, '000201ff0000')] })],
    ends: '3/9',
  },
  {
    name: 'a prefix of 129 bits',
    sends: [update({ attributes: [ORIGIN, AS_PATH, reach(LINK_LOCAL, `81${'fc'.repeat(17)}`)] })],
    ends: '3/10',
  },
  {
    name: 'a prefix that is cut off',
    sends: [update({ attributes: [ORIGIN, AS_PATH, reach(LINK_LOCAL, '40fc00')] })],
    ends: '3/10',
  },
  { name: 'a withdrawn IPv4 prefix of 33 bits', sends: [update({ withdrawn: '210a00000080' })], ends: '3/10' },
  { name: 'lengths beyond the message', sends: [rawMessage(2, bytes('ffff0000'))], ends: '3/1' },
  { name: 'attributes beyond the message', sends: [rawMessage(2, bytes('0000ffff'))], ends: '3/1' },
  {
    name: 'withdrawals of what was never there',
    sends: [update({ withdrawn: '180a0000' }), update({ attributes: [attribute(0x80, 15, `000201${NLRI}`)] })],
    ends: 'kept',
  },
  {
    name: 'End-of-RIB of every kind',
    sends: [
      update({}),
      update({ attributes: [attribute(0x80, 15, '000201')] }),
      update({ attributes: [attribute(0x80, 15, '400486')] }),
      update({ attributes: ['900f0003000101'] }),
    ],
    ends: 'kept',
  },
  {
    name: 'routes of a family that was not agreed',
    sends: Array.from({ length: MANY }, () =>
      update({ attributes: [ORIGIN, AS_PATH, attribute(0x80, 14, `001946${'0400000000'}00ff`)] }),
    ),
    ends: 'kept',
    fault: 'ignored routes of AFI 25 SAFI 70: not negotiated',
  },
  {
    name: 'refreshes of families that were not agreed',
    sends: Array.from({ length: MANY }, () => rawMessage(5, bytes('40040047'))),
    ends: 'kept',
  },
  {
    name: 'refreshes in a row',
    sends: Array.from({ length: MANY }, () => rawMessage(5, bytes('00020001'))),
    ends: 'kept',
  },
  { name: 'a refresh of 5 octets', sends: [rawMessage(5, bytes('0002000100'))], ends: 'kept' },
  {
    name: 'errors in every UPDATE',
    sends: Array.from({ length: MANY }, () => route(AS_PATH)),
    ends: 'kept',
    fault: 'treat-as-withdraw: attribute 1: ORIGIN is missing',
  },
  { name: 'a NOTIFICATION without sense', sends: [rawMessage(3, bytes(`ffff${'00'.repeat(4000)}`))], ends: 'closed' },
  {
    name: 'a shutdown message that lies about its length',
    sends: [rawMessage(3, bytes('0602ff1b5b324a'))],
    ends: 'closed',
  },
];

describe.each([
  ['whole', (foe: HostilePeer, octets: Uint8Array) => foe.send(octets)],
  ['octet by octet', (foe: HostilePeer, octets: Uint8Array) => foe.dribble(octets, octets.length < 5000 ? 1 : 997)],
])('a hostile neighbour that sends %s', (_how, send) => {
  it.each([...OPENS, ...UPDATES])('$name', async ({ early, sends, ends, route: usable, fault, hidden }) => {
    const stage = await HostileStage.ready();
    const foe = early ? await stage.connect() : await stage.established();
    for (const octets of sends) send(foe, octets);
    await stage.pass(4 * SECOND);
    expect(foe.notification ?? (foe.closed ? 'closed' : 'kept')).toBe(ends);
    expect(stage.routeOf(FOE_PREFIX) !== undefined).toBe(usable ?? false);
    if (ends === 'kept') {
      expect(stage.faults.slice(0, 1)).toEqual(fault === undefined ? [] : [expect.stringContaining(fault)]);
      expect(stage.unusedBecause(FOE_PREFIX)).toEqual(hidden === undefined ? [] : [hidden]);
    }
    stage.expectUnharmed();
  });
});

describe('a neighbour that asks for its routes without end', () => {
  const ENHANCED = '0104000200010200460041040000fde7';

  it.each([
    { name: 'with marks', parameters: ENHANCED },
    { name: 'without', parameters: ENHANCED.replace('4600', '') },
  ])('is told them once, and once more: $name', async ({ parameters }) => {
    const stage = await HostileStage.ready();
    const foe = await stage.established({ parameters: capabilities(bytes(parameters)) });
    foe.heard.length = 0;
    foe.send(...Array.from({ length: 1000 }, () => rawMessage(MESSAGE_TYPE.routeRefresh, bytes('00020001'))));
    await stage.pass(4 * SECOND);
    const marks = foe.heard.filter(({ type }) => type === MESSAGE_TYPE.routeRefresh).map(({ body }) => body[2]);
    expect(marks).toEqual(parameters === ENHANCED ? [1, 2, 1, 2] : []);
    expect(foe.count(MESSAGE_TYPE.update)).toBe(2);
    stage.expectUnharmed();
  });
});

describe('a neighbour that is not heard', () => {
  const MINUTE = 60 * SECOND;

  it('is slowed down when it fails without end, and forgotten a minute after it gave up', async () => {
    const stage = await HostileStage.ready();
    let answered = 0;
    for (let attempt = 0; attempt < 300; attempt++) {
      const foe = await stage.connect();
      foe.send(open({ version: 3 }));
      await stage.pass(99);
      if (foe.count(MESSAGE_TYPE.open) > 0) answered++;
      foe.hangUp();
    }
    expect(answered).toBeLessThan(10);
    stage.expectUnharmed();
    await stage.pass(2 * MINUTE);
    expect(stage.router.fabricLinks[1]!.sessions()).toEqual([]);
  });

  it('is not forgotten while it has a session', async () => {
    const stage = await HostileStage.ready();
    (await stage.connect()).hangUp();
    const foe = await stage.established();
    for (let passed = 0; passed < 2 * MINUTE; passed += 3 * SECOND) {
      foe.send(keepalive);
      await stage.pass(3 * SECOND);
    }
    expect(foe.closed).toBe(false);
    expect(stage.router.fabricLinks[1]!.sessions()).toHaveLength(1);
  });

  it('loses its session when it is silent for the hold time', async () => {
    const stage = await HostileStage.ready();
    const foe = await stage.established();
    await stage.pass(10 * SECOND);
    expect(foe.notification).toBe('4/0');
    stage.expectUnharmed();
  });
});
