/** The benchmark's UPDATEs, read by those that are not its own: heddle's RIB, and the counter of its sinks. */
import { describe, expect, it } from 'vitest';
import { parseAddress } from '../../core/net/address.js';
import { Rib } from '../../core/rib/rib.js';
import { MessageFramer } from '../../core/wire/bgp/framer.js';
import { countRoutes, eachPrefixes } from './count-routes.js';
import type { TableFamily } from './path-attributes.js';
import { sessionEnd } from './plan.js';
import { numberInBlock, type TableShape, tableStream } from './table-stream.js';

function received(shape: TableShape) {
  const { asn, address } = sessionEnd(shape.family, 1);
  const rib = new Rib({ localAs: 65000 });
  const octets = parseAddress(address)!;
  const peer = rib.addPeer({
    name: 'sender',
    address: octets,
    localAddress: Uint8Array.from(octets).fill(1, octets.length - 1),
    interfaceIndex: 1,
    interfaceName: 'bench',
    asn,
    identifier: 1,
    external: true,
    families: [`${shape.family}-unicast`],
    context: { fourOctetAs: true, addPath: [], externalPeer: true, aigp: true },
  });
  const { announcements, withdrawals } = tableStream(shape, { asn, address: octets });
  const read = (stream: Uint8Array) => {
    const told = { updates: 0, announced: 0, withdrawn: 0, longest: 0 };
    const error = new MessageFramer().push(stream, (_, body) => {
      told.updates++;
      told.longest = Math.max(told.longest, body.length);
      countRoutes(body, told);
      expect(rib.receiveUpdate(peer, body.slice())).toBeUndefined();
    });
    expect(error).toBeUndefined();
    while (rib.decide(() => false));
    return { ...told, ...rib.totals() };
  };
  return { announced: read(announcements), withdrawn: read(withdrawals) };
}

const FAMILIES: readonly TableFamily[] = ['ipv6', 'ipv4'];

describe.each(FAMILIES)('a table of %s', (family) => {
  it.each([100, 5, 1])('has every prefix once, %i an UPDATE, and takes all back', (perUpdate) => {
    const { announced, withdrawn } = received({ family, prefixes: 1050, perUpdate });
    expect(announced).toMatchObject({ updates: Math.ceil(1050 / perUpdate), announced: 1050 });
    expect(announced).toMatchObject({ withdrawn: 0, paths: 1050, accepted: 1050 });
    expect(withdrawn).toMatchObject({ updates: 11, announced: 0, withdrawn: 1050, paths: 0 });
  });
});

describe('a table of a block', () => {
  it('is told apart, with the numbers of its prefixes', () => {
    const shape = { family: 'ipv6', prefixes: 3, perUpdate: 3, block: 0xfd01, first: 0x1ffff } as const;
    const { announcements } = tableStream(shape, { asn: 65001, address: parseAddress('fd99::1:1')! });
    const numbers: number[][] = [];
    const announced = (body: Uint8Array, from: number, to: number) => {
      for (let at = from; at < to; at += 9)
        numbers.push([numberInBlock(0xfd01, body, at + 1), numberInBlock(0xfd00, body, at + 1)]);
    };
    new MessageFramer().push(announcements, (_, body) => eachPrefixes(body, { announced, withdrawn: () => undefined }));
    expect(numbers).toEqual([
      [0x1ffff, -1],
      [0x20000, -1],
      [0x20001, -1],
    ]);
  });
});

describe('a table as the internet has it', () => {
  it('shares a set of attributes among some five prefixes', () => {
    const { announced } = received({ family: 'ipv4', prefixes: 50_000, perUpdate: 'internet' });
    expect(announced).toMatchObject({ announced: 50_000, paths: 50_000, accepted: 50_000 });
    expect(announced.announced / announced.updates).toBeGreaterThan(4.5);
    expect(announced.announced / announced.updates).toBeLessThan(6.5);
    expect(announced.longest).toBeLessThan(4096 - 19);
  });
});
