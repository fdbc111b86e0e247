import { describe, expect, it } from 'vitest';
import { decodeIpPacket, PROTOCOL } from './ip-packet.js';
import { decodeLinkFrame } from './link-frame.js';
import { decodeTcpSegment } from './tcp-segment.js';
import { decodeUdpDatagram } from './udp-datagram.js';

function bytes(hex: string): Uint8Array {
  return Uint8Array.from(hex.replaceAll(/\s/g, '').match(/../g) ?? [], (octet) => Number.parseInt(octet, 16));
}

const IPV4_UDP = '45000020 0001 0000 ff11 0000 0a000001 0a000002  c000 0ec8 000c 0000 01020304';
const ADDRESSES = 'fe800000000000000000000000000001 fe800000000000000000000000000002';
const UDP = 'c000 0ec8 000c 0000 01020304';

describe('link layers', () => {
  it.each([
    ['Ethernet', 1, 'aabbccddeeff 020000000001 0800', []],
    ['Ethernet with a VLAN tag', 1, 'aabbccddeeff 020000000001 8100 6064 0800', [100]],
    ['Ethernet with two VLAN tags', 1, 'aabbccddeeff 020000000001 88a8 0007 8100 0064 0800', [7, 100]],
    ['Linux cooked v1', 113, '0000 0001 0006 0200000000010000 0800', []],
    ['Linux cooked v1 with a VLAN tag', 113, '0000 0001 0006 0200000000010000 8100 0064 0800', [100]],
    ['Linux cooked v2', 276, '0800 0000 00000007 0001 00 06 0200000000010000', []],
    ['Linux cooked v2 with a VLAN tag', 276, '8100 0000 00000007 0001 00 06 0200000000010000 0064 0800', [100]],
    ['BSD loopback', 0, '02000000', []],
    ['raw IP', 101, '', []],
  ])('%s', (_name, linkType, header, vlans) => {
    const frame = decodeLinkFrame(linkType, bytes(header + IPV4_UDP));
    expect(frame).toMatchObject({ etherType: 0x0800, payload: bytes(IPV4_UDP), vlans });
    const hasMac = linkType === 1 || linkType === 113 || linkType === 276;
    expect(frame?.sourceMac).toEqual(hasMac ? bytes('020000000001') : undefined);
    expect(frame?.interfaceIndex).toBe(linkType === 276 ? 7 : undefined);
  });

  it.each([
    ['an unknown link type', 147, IPV4_UDP],
    ['a short Ethernet frame', 1, 'aabbccddeeff'],
    ['a short cooked frame', 113, '0000 0001'],
    ['raw octets that are no IP', 101, 'ff'],
    ['nothing', 101, ''],
  ])('gives nothing for %s', (_name, linkType, hex) => {
    expect(decodeLinkFrame(linkType, bytes(hex))).toBeUndefined();
  });
});

function ip(hex: string) {
  return decodeIpPacket(decodeLinkFrame(101, bytes(hex))!);
}

describe('IP', () => {
  it('reads IPv4 and leaves Ethernet padding out', () => {
    const packet = ip(`${IPV4_UDP} 0000`)!;
    expect(packet).toMatchObject({ hopLimit: 255, protocol: PROTOCOL.udp, payloadLength: 12, fragment: false });
    expect(packet.source).toEqual(bytes('0a000001'));
    expect(decodeUdpDatagram(packet)).toEqual({
      sourcePort: 0xc000,
      destinationPort: 3784,
      payload: bytes('01020304'),
    });
  });

  it.each([
    ['no extension header', '11', '', false],
    ['hop-by-hop and destination options', '00', '3c00 010400000000 1100 010400000000', false],
    ['a routing header', '2b', '1100 000000000000', false],
    ['an atomic fragment', '2c', '1100 0000 00000001', false],
    ['an authentication header', '33', '1104 0000 00000001 00000001 000000000000000000000000', false],
    ['a first fragment', '2c', '1100 0001 00000001', true],
  ])('reads IPv6 with %s', (_name, next, extension, fragment) => {
    const length = bytes(extension + UDP)
      .length.toString(16)
      .padStart(4, '0');
    const packet = ip(`60000000 ${length} ${next} 01 ${ADDRESSES} ${extension} ${UDP}`)!;
    expect(packet).toMatchObject({ protocol: PROTOCOL.udp, hopLimit: 1, payload: bytes(UDP), fragment });
    expect(decodeUdpDatagram(packet)?.destinationPort).toBe(fragment ? undefined : 3784);
  });

  it.each(['4500', '45000013', '60000000 0000 00 01', `60000000 0004 00 01 ${ADDRESSES} 11000000`])(
    'gives nothing for %s',
    (hex) => {
      expect(ip(hex)).toBeUndefined();
    },
  );
});

describe('TCP', () => {
  const tcp = (hex: string) => {
    const payload = bytes(hex);
    const address = new Uint8Array(16);
    return decodeTcpSegment({
      source: address,
      destination: address,
      hopLimit: 1,
      protocol: 6,
      payload,
      payloadLength: payload.length + 2,
      fragment: false,
    });
  };

  it('reads ports, numbers, flags and what was captured of the payload', () => {
    expect(tcp('00b3 c350 ffffffff 00000001 5018 0100 0000 0000 aabb')).toEqual({
      sourcePort: 179,
      destinationPort: 50000,
      sequence: 0xffffffff,
      acknowledgment: 1,
      syn: false,
      ack: true,
      fin: false,
      rst: false,
      signed: undefined,
      payload: bytes('aabb'),
      payloadLength: 4,
    });
  });

  it.each([
    ['01 01 13 12 0000000000000000000000000000 0000', 'md5'],
    ['01 01 1d 10 0000000000000000000000000000 0000', 'ao'],
    ['02 04 05b4 00 00 00 00 0000000000000000 00000000', undefined],
  ])('finds a signature among options %s', (options, signed) => {
    const words = 5 + bytes(options).length / 4;
    expect(tcp(`00b3 c350 00000001 00000000 ${words.toString(16)}002 0100 0000 0000 ${options}`)).toMatchObject({
      syn: true,
      signed,
    });
  });

  it.each([
    '00b3 c350',
    '00b3 c350 00000001 00000000 4002 0100 0000 0000',
    '00b3 c350 00000001 00000000 6002 0100 0000 0000',
  ])('gives nothing for %s', (hex) => {
    expect(tcp(hex)).toBeUndefined();
  });
});
