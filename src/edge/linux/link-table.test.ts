import { describe, expect, it } from 'vitest';
import { formatAddress, parseAddress } from '../../core/net/address.js';
import type { LinkEvent } from '../../core/ports/links.js';
import { LinkTable } from './link-table.js';
import { LITTLE_ENDIAN, PayloadWriter } from './rtnetlink/attributes.js';
import { MESSAGE, type NetlinkMessage } from './rtnetlink/message.js';

const UP = 0x1;
const LOWER_UP = 0x10000;
const TENTATIVE = 0x40;

function message(type: number, payload: Uint8Array): NetlinkMessage {
  return { type, flags: 0, sequence: 0, payload };
}

function linkMessage(
  type: number,
  index: number,
  more: { name?: string; flags?: number; family?: number } = {},
): NetlinkMessage {
  const header = new DataView(new ArrayBuffer(16));
  header.setUint8(0, more.family ?? 0);
  header.setInt32(4, index, LITTLE_ENDIAN);
  header.setUint32(8, more.flags ?? UP | LOWER_UP, LITTLE_ENDIAN);
  const name = new TextEncoder().encode(`${more.name ?? `swp${index}`}\0`);
  const writer = new PayloadWriter(new Uint8Array(header.buffer)).data(3, name).u32(4, 1500);
  return message(type, writer.data(1, Uint8Array.of(2, 0, 0, 0, 0, index)).finish());
}

function addressMessage(type: number, index: number, text: string, flags = 0): NetlinkMessage {
  const header = new DataView(new ArrayBuffer(8));
  header.setUint8(0, 10);
  header.setUint8(1, 64);
  header.setUint32(4, index, LITTLE_ENDIAN);
  return message(
    type,
    new PayloadWriter(new Uint8Array(header.buffer)).data(1, parseAddress(text)!).u32(8, flags).finish(),
  );
}

function told(events: readonly LinkEvent[]): string[] {
  return events.map((event) => {
    if (event.kind === 'link-deleted') return `deleted ${event.name}`;
    const { name, adminUp, carrier, addresses } = event.link;
    const list = addresses.map(({ address, tentative }) => `${formatAddress(address)}${tentative ? '?' : ''}`);
    return [name, adminUp ? 'up' : 'down', carrier ? 'carrier' : 'dark', ...list].join(' ');
  });
}

describe('link table', () => {
  it('tells each change with the whole new state, and repetitions not at all', () => {
    const table = new LinkTable();
    const apply = (next: NetlinkMessage) => told(table.apply(next));
    expect(apply(linkMessage(MESSAGE.newLink, 1, { flags: 0 }))).toEqual(['swp1 down dark']);
    expect(apply(linkMessage(MESSAGE.newLink, 1, { flags: UP }))).toEqual(['swp1 up dark']);
    expect(apply(linkMessage(MESSAGE.newLink, 1))).toEqual(['swp1 up carrier']);
    expect(apply(linkMessage(MESSAGE.newLink, 1))).toEqual([]);
    expect(apply(addressMessage(MESSAGE.newAddress, 1, 'fe80::1', TENTATIVE))).toEqual(['swp1 up carrier fe80::1?']);
    expect(apply(addressMessage(MESSAGE.newAddress, 1, 'fe80::1'))).toEqual(['swp1 up carrier fe80::1']);
    expect(apply(addressMessage(MESSAGE.newAddress, 1, 'fe80::1'))).toEqual([]);
    expect(apply(linkMessage(MESSAGE.newLink, 1, { flags: UP }))).toEqual(['swp1 up dark fe80::1']);
    expect(apply(addressMessage(MESSAGE.deleteAddress, 1, 'fe80::1'))).toEqual(['swp1 up dark']);
    expect(apply(addressMessage(MESSAGE.deleteAddress, 1, 'fe80::1'))).toEqual([]);
    expect(apply(linkMessage(MESSAGE.deleteLink, 1))).toEqual(['deleted swp1']);
    expect(apply(linkMessage(MESSAGE.deleteLink, 1))).toEqual([]);
  });

  it('ends the old name of a renamed link first', () => {
    const table = new LinkTable();
    table.apply(linkMessage(MESSAGE.newLink, 1));
    expect(told(table.apply(linkMessage(MESSAGE.newLink, 1, { name: 'swp9' })))).toEqual([
      'deleted swp1',
      'swp9 up carrier',
    ]);
  });

  it('does not take the end of a bridge port for the end of the link', () => {
    const table = new LinkTable();
    table.apply(linkMessage(MESSAGE.newLink, 1));
    expect(table.apply(linkMessage(MESSAGE.deleteLink, 1, { family: 7 }))).toEqual([]);
    expect(table.list()).toHaveLength(1);
  });

  it('tells what differs in a new dump', () => {
    const table = new LinkTable();
    for (const index of [1, 2, 3]) table.apply(linkMessage(MESSAGE.newLink, index));
    const dump = [
      linkMessage(MESSAGE.newLink, 2),
      linkMessage(MESSAGE.newLink, 3, { flags: UP }),
      linkMessage(MESSAGE.newLink, 4),
      addressMessage(MESSAGE.newAddress, 4, 'fe80::4'),
    ];
    expect(told(table.replace(dump))).toEqual(['deleted swp1', 'swp3 up dark', 'swp4 up carrier fe80::4']);
    expect(table.replace(dump)).toEqual([]);
  });

  it.each([
    ['addresses of links it does not know', addressMessage(MESSAGE.newAddress, 9, 'fe80::1')],
    ['messages that are too short', message(MESSAGE.newLink, new Uint8Array(4))],
    ['addresses of other families', message(MESSAGE.newAddress, new Uint8Array(8).fill(28))],
    ['other messages', message(MESSAGE.newRoute, new Uint8Array(12))],
  ])('ignores %s', (_, next) => {
    const table = new LinkTable();
    table.apply(linkMessage(MESSAGE.newLink, 1));
    expect(table.apply(next)).toEqual([]);
  });
});
