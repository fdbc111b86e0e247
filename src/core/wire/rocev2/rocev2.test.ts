import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import fc from '../../../../test/harness/properties.js';
import { formatAddress, parseAddress } from '../../net/address.js';
import { concat, octets16, octets32 } from '../bgp/octets.js';
import { CRC32_START, finishCrc32, updateCrc32 } from './crc32.js';
import { entropyPort, flowLabelOf, portOfFlowLabel, ROCE_PORT } from './entropy-port.js';
import { InvariantCrc, readIcrc, type UdpPath } from './invariant-crc.js';
import { OPCODE, OPERATIONS } from './opcode.js';
import { addPsn, PSN_MODULUS, psnDistance } from './psn.js';
import { PUBLISHED_PACKETS, VERSION_1_PACKETS } from './published-packets.fixture.js';
import { decodeRoce, encodeRoce, ROCE_DEFAULTS, type RocePacket } from './roce-packet.js';
import { decodeSyndrome, encodeSyndrome, NAK_CODE } from './syndrome.js';

const IPV6: UdpPath = {
  source: parseAddress('fc00:1:1:1::5')!,
  destination: parseAddress('fc00:2:1:1::5')!,
  sourcePort: 0xc123,
};
const IPV4: UdpPath = { source: parseAddress('10.0.0.1')!, destination: parseAddress('10.0.0.2')!, sourcePort: 0xc123 };

function packetOf(bytes: Uint8Array): RocePacket {
  const decoded = decodeRoce(bytes);
  if (decoded.kind === 'packet') return decoded.packet;
  throw new Error(`${decoded.field}: ${decoded.reason}`);
}

const octet = fc.integer({ min: 0, max: 255 });
const number24 = fc.integer({ min: 0, max: PSN_MODULUS - 1 });
const number32 = fc.integer({ min: 0, max: 2 ** 32 - 1 });
const reth = fc.record({ address: fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }), rKey: number32, length: number32 });
const aeth = fc.record({ syndrome: octet, messageSequence: number24 });

/** Any packet that can be written. */
const anyPacket: fc.Arbitrary<RocePacket> = fc.constantFrom(...OPERATIONS.keys()).chain((opcode) => {
  const headers = OPERATIONS.get(opcode)!.headers;
  const bits = { ackRequest: fc.boolean(), solicited: fc.boolean(), migrated: fc.boolean() };
  return fc.record({
    ...bits,
    opcode: fc.constant(opcode),
    destinationQp: number24,
    psn: number24,
    partitionKey: fc.integer({ min: 0, max: 0xffff }),
    fecn: fc.boolean(),
    becn: fc.boolean(),
    ...(headers.includes('reth') && { reth }),
    ...(headers.includes('aeth') && { aeth }),
    ...(headers.includes('immediate') && { immediate: number32 }),
    payload: fc.uint8Array({ maxLength: 70 }),
  });
});

describe('packets', () => {
  it.each(PUBLISHED_PACKETS)('$name: the CRC is the published one', (published) => {
    const path = {
      source: parseAddress(published.source)!,
      destination: parseAddress(published.destination)!,
      sourcePort: published.sourcePort,
    };
    const icrc = new InvariantCrc(path, published.identification);
    expect(icrc.of(published.payload)).toBe(readIcrc(published.payload));
    expect(encodeRoce(packetOf(published.payload), icrc)).toEqual(published.payload);
  });

  it('read the fields of a write and an acknowledgement that were captured', () => {
    expect(packetOf(VERSION_1_PACKETS.write.transport)).toEqual({
      ...ROCE_DEFAULTS,
      opcode: OPCODE.writeOnly,
      destinationQp: 0x10a,
      psn: 0xa788bc,
      ackRequest: true,
      reth: { address: 0x55d4c0726000n, rKey: 0x47b3, length: 5 },
      payload: Uint8Array.of(0, 0, 0, 0, 1),
    });
    expect(packetOf(VERSION_1_PACKETS.acknowledgement.transport)).toEqual({
      ...ROCE_DEFAULTS,
      opcode: OPCODE.acknowledge,
      destinationQp: 0x109,
      psn: 0xa788c0,
      aeth: { syndrome: 0, messageSequence: 5 },
    });
  });

  it('survive being written and read', () => {
    fc.assert(
      fc.property(anyPacket, (packet) => {
        const bytes = encodeRoce(packet, new InvariantCrc(IPV6));
        expect(bytes.length % 4).toBe(0);
        expect(decodeRoce(bytes)).toEqual({ kind: 'packet', packet, icrc: new InvariantCrc(IPV6).of(bytes) });
      }),
    );
  });

  it('are read or named, whatever the octets are', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 90 }), (bytes) => {
        const decoded = decodeRoce(bytes);
        if (decoded.kind === 'malformed') expect(decoded.offset).toBeLessThanOrEqual(bytes.length);
        else expect(encodeRoce(decoded.packet, new InvariantCrc(IPV6)).length).toBe(bytes.length);
      }),
    );
  });

  const whole = encodeRoce(
    {
      ...ROCE_DEFAULTS,
      opcode: OPCODE.writeOnlyImmediate,
      destinationQp: 7,
      psn: 9,
      reth: { address: 1n, rKey: 2, length: 3 },
      immediate: 4,
      payload: Uint8Array.of(1, 2, 3),
    },
    new InvariantCrc(IPV6),
  );
  const changed = (at: number, value: number) => whole.map((kept, index) => (index === at ? value : kept));

  it.each([
    ['nothing', new Uint8Array(0), 'base header', 0, '0 octets, where 16 are the least'],
    ['a base header without its CRC', whole.subarray(0, 15), 'base header', 0, '15 octets, where 16 are the least'],
    ['another transport version', changed(1, 0x41), 'transport version', 1, 'it is 1, not 0'],
    ['an atomic operation', changed(0, 0x13), 'opcode', 0, '0x13 is none that is read here'],
    [
      'half a RETH',
      whole.subarray(0, 24),
      'reth',
      12,
      'RC RDMA WRITE Only with Immediate has one, and 8 octets are left',
    ],
    [
      'no immediate data',
      whole.subarray(0, 32),
      'immediate',
      28,
      'RC RDMA WRITE Only with Immediate has one, and 0 octets are left',
    ],
    ['more padding than data', whole.subarray(0, 36), 'pad count', 1, '1, and 0 octets of data'],
  ])('name %s', (_name, bytes, field, offset, reason) => {
    expect(decodeRoce(bytes)).toEqual({ kind: 'malformed', field, offset, reason });
  });

  it('of an opcode that is none are not written', () => {
    expect(() =>
      encodeRoce({ ...ROCE_DEFAULTS, opcode: 0x99, destinationQp: 1, psn: 1 }, new InvariantCrc(IPV6)),
    ).toThrow('no operation has opcode 153');
  });
});

describe('the invariant CRC', () => {
  const packet = {
    ...ROCE_DEFAULTS,
    opcode: OPCODE.writeMiddle,
    destinationQp: 7,
    psn: 9,
    payload: new Uint8Array(64),
  };

  it('is the CRC-32 of everybody', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 100 }), (bytes) => {
        expect(finishCrc32(updateCrc32(CRC32_START, bytes, 0, bytes.length))).toBe(crc32(bytes));
      }),
    );
  });

  it.each(['write', 'acknowledgement'] as const)('of a captured version 1 %s is what its sender wrote', (name) => {
    const { routeHeader, transport } = VERSION_1_PACKETS[name];
    const masked = routeHeader.map((kept, at) => (at === 0 ? 0x6f : at < 4 || at === 7 ? 0xff : kept));
    const covered = concat([new Uint8Array(8).fill(0xff), masked, transport.subarray(0, -4)]);
    covered[8 + 40 + 4] = 0xff;
    expect(finishCrc32(updateCrc32(CRC32_START, covered, 0, covered.length))).toBe(readIcrc(transport));
  });

  it.each([
    ['congestion marks', { fecn: true, becn: true }, true],
    ['sequence number', { psn: 10 }, false],
    ['queue pair', { destinationQp: 8 }, false],
    ['acknowledge request', { ackRequest: true }, false],
  ])('depends or does not depend on the %s', (_name, change, same) => {
    for (const path of [IPV4, IPV6]) {
      const icrc = new InvariantCrc(path);
      const before = readIcrc(encodeRoce(packet, icrc));
      expect(readIcrc(encodeRoce({ ...packet, ...change }, icrc)) === before).toBe(same);
    }
  });

  it('changes with an address or a port', () => {
    const bytes = encodeRoce(packet, new InvariantCrc(IPV6));
    const others = [{ sourcePort: 0xc124 }, { source: IPV6.destination }, { destination: IPV6.source }];
    for (const other of others) expect(new InvariantCrc({ ...IPV6, ...other }).of(bytes)).not.toBe(readIcrc(bytes));
  });

  it('finds every single wrong bit', () => {
    const icrc = new InvariantCrc(IPV6);
    const bytes = encodeRoce(packet, icrc);
    for (let bit = 0; bit < bytes.length * 8; bit++) {
      if (bit >> 3 === 4) continue;
      const damaged = bytes.slice();
      damaged[bit >> 3]! ^= 1 << (bit & 7);
      expect(icrc.of(damaged)).not.toBe(readIcrc(damaged));
    }
  });
});

describe('source ports', () => {
  it.each([
    // Computed by the functions of include/rdma/ib_verbs.h, compiled on their own.
    [0x11, 0x11, 0x121, 0xc121],
    [0x20, 0x31, 0x620, 0xc620],
    [0xd3, 0x118, 0xe6c8, 0xe6cb],
    [0x4a2b1c, 0x7f3355, 0x74049, 0xc054],
    [0xffffff, 0xffffff, 0xfff1e, 0xff21],
    [1, 1, 1, 0xc001],
  ])('of queue pairs %i and %i are what Linux picks', (a, b, label, port) => {
    expect([flowLabelOf(a, b), flowLabelOf(b, a)]).toEqual([label, label]);
    expect([entropyPort(a, b), portOfFlowLabel(label)]).toEqual([port, port]);
  });

  it('lie from 0xC000 on', () => {
    fc.assert(
      fc.property(number24, number24, (a, b) => {
        const port = entropyPort(a, b);
        expect(port).toBe(entropyPort(b, a));
        expect(port >= 0xc000 && port <= 0xffff).toBe(true);
      }),
    );
  });
});

describe('sequence numbers', () => {
  it('go round', () => {
    expect(addPsn(PSN_MODULUS - 1, 1)).toBe(0);
    expect(addPsn(0, -1)).toBe(PSN_MODULUS - 1);
    expect(psnDistance(PSN_MODULUS - 2, 3)).toBe(5);
    expect(psnDistance(3, PSN_MODULUS - 2)).toBe(-5);
    expect(psnDistance(0, PSN_MODULUS / 2)).toBe(-PSN_MODULUS / 2);
  });
});

describe('syndromes', () => {
  it('survive being read and written', () => {
    for (let syndrome = 0; syndrome < 256; syndrome++) expect(encodeSyndrome(decodeSyndrome(syndrome))).toBe(syndrome);
    expect(decodeSyndrome(0x60)).toEqual({ kind: 'nak', code: NAK_CODE.sequenceError });
    expect(decodeSyndrome(0x1f)).toEqual({ kind: 'ack', credits: 31 });
    expect(decodeSyndrome(0x2a)).toEqual({ kind: 'receiver-not-ready', timer: 10 });
  });
});

const noTshark = spawnSync('tshark', ['-h']).error !== undefined;
if (noTshark) console.log('skipped: tshark is not installed');

/** The Internet checksum of RFC 1071 over the pseudo header and the datagram, which IPv6 demands. */
function udpChecksum(path: UdpPath, datagram: Uint8Array): number {
  const pseudo = concat([path.source, path.destination, octets32(datagram.length), octets32(17), datagram]);
  let sum = 0;
  for (let at = 0; at < pseudo.length; at += 2) sum += (pseudo[at]! << 8) | (pseudo[at + 1] ?? 0);
  while (sum > 0xffff) sum = (sum & 0xffff) + (sum >>> 16);
  return ~sum & 0xffff || 0xffff;
}

/** A capture of raw IPv6 packets. */
function capture(path: UdpPath, payloads: readonly Uint8Array[]): Uint8Array {
  const records = payloads.map((payload) => {
    const ports = concat([octets16(path.sourcePort), octets16(ROCE_PORT), octets16(8 + payload.length)]);
    const checksum = udpChecksum(path, concat([ports, octets16(0), payload]));
    const udp = concat([ports, octets16(checksum), payload]);
    const ip = concat([
      octets32(0x60000000),
      octets16(udp.length),
      Uint8Array.of(17, 64),
      path.source,
      path.destination,
    ]);
    const length = octets32(ip.length + udp.length);
    return concat([octets32(0), octets32(0), length, length, ip, udp]);
  });
  return concat([
    Uint8Array.of(0xa1, 0xb2, 0xc3, 0xd4, 0, 2, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 101),
    ...records,
  ]);
}

describe.skipIf(noTshark)('tshark', () => {
  function rows(packets: readonly RocePacket[], fields: readonly string[]): string[][] {
    const folder = mkdtempSync(join(tmpdir(), 'heddle-rocev2-'));
    try {
      const file = join(folder, 'rocev2.pcap');
      writeFileSync(
        file,
        capture(
          IPV6,
          packets.map((packet) => encodeRoce(packet, new InvariantCrc(IPV6))),
        ),
      );
      const named = fields.flatMap((field) => ['-e', field]);
      const options = ['-o', 'udp.check_checksum:TRUE', '-T', 'fields', ...named];
      const text = execFileSync('tshark', ['-r', file, ...options], {
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'ignore'],
      });
      return text
        .replace(/\n$/, '')
        .split('\n')
        .map((line) => line.split('\t'));
    } finally {
      rmSync(folder, { recursive: true });
    }
  }

  it('reads what was written, without complaint', () => {
    // It looks for other protocols in data, most in that of sends, expects none behind answers, and reads no CRC of read requests and
    // of what goes to the management queue pairs 0 and 1.
    const isLeftOut = ({ opcode }: RocePacket) => (opcode & 0x1f) < OPCODE.writeFirst || opcode === 0x0c;
    const queuePairOf = ({ destinationQp }: RocePacket) => Math.max(2, destinationQp);
    const dataOf = ({ aeth, payload }: RocePacket) => new Uint8Array(aeth ? 0 : payload.length + 1).fill(0xa5);
    const packets = fc
      .sample(anyPacket, { numRuns: 400, seed: 11 })
      .filter((packet) => !isLeftOut(packet) && packet.opcode !== OPCODE.congestionNotification)
      .map((packet) => ({ ...packet, destinationQp: queuePairOf(packet), payload: dataOf(packet) }));
    const base = ['opcode', 'se', 'm', 'padcnt', 'p_key', 'destqp', 'a', 'psn'].map(
      (field) => `infiniband.bth.${field}`,
    );
    const extensions = ['reth.va', 'reth.r_key', 'reth.dmalen', 'aeth.syndrome', 'aeth.msn', 'immdt', 'invariant.crc'];
    const found = rows(packets, [
      ...base,
      ...extensions.map((field) => `infiniband.${field}`),
      '_ws.expert',
      '_ws.malformed',
    ]);
    const bit = (set: boolean) => (set ? '1' : '0');
    const hexOf = (octets: Uint8Array) => Buffer.from(octets).toString('hex');
    const hex = (value: number | bigint, digits: number) => `0x${value.toString(16).padStart(digits, '0')}`;
    const expected = packets.map((packet) => [
      String(packet.opcode),
      bit(packet.solicited),
      bit(packet.migrated),
      String(-packet.payload.length & 3),
      String(packet.partitionKey),
      hex(packet.destinationQp, 6),
      bit(packet.ackRequest),
      String(packet.psn),
      packet.reth ? hex(packet.reth.address, 16) : '',
      packet.reth ? hex(packet.reth.rKey, 8) : '',
      packet.reth ? String(packet.reth.length) : '',
      packet.aeth ? String(packet.aeth.syndrome) : '',
      packet.aeth ? String(packet.aeth.messageSequence) : '',
      packet.immediate === undefined ? '' : packet.immediate.toString(16).padStart(8, '0'),
      `0x${hexOf(encodeRoce(packet, new InvariantCrc(IPV6)).subarray(-4))}`,
      '',
      '',
    ]);
    expect(found.map((row) => row.map((text) => text.replace(/^(\w+),\1$/, '$1')))).toEqual(expected);
  });

  it('sees the addresses and the port', () => {
    const packet = { ...ROCE_DEFAULTS, opcode: OPCODE.writeMiddle, destinationQp: 1, psn: 1 };
    expect(rows([packet], ['ipv6.src', 'ipv6.dst', 'udp.srcport', 'frame.protocols'])).toEqual([
      [formatAddress(IPV6.source), formatAddress(IPV6.destination), '49443', 'raw:ipv6:udp:infiniband'],
    ]);
  });
});
