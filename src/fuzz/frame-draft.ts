/**
 * Frames for a forwarding plane: RDMA and other packets to a few prefixes, and what networks and broken senders make of packets: VLAN tags,
 * IPv4, ARP, extension headers, fragments, lengths that are wrong, octets that changed, noise.
 */
import { parseAddress } from '../core/net/address.js';
import type { Dice } from './dice.js';

/** Ethernet's. */
const TYPE = { ipv6: 0x86dd, ipv4: 0x0800, arp: 0x0806, vlan: 0x8100, providerVlan: 0x88a8 } as const;
/** Next headers (RFC 8200 section 4): options of hops, routing, fragment, no next, options of the destination. */
const EXTENSIONS = [0, 43, 44, 59, 60];
const FRAGMENT = 44;
const TRANSPORTS = [17, 17, 17, 17, 6, 58, 50, 41];
const ADDRESSES = [
  '2001:db8:1::6',
  '2001:db8:1::7',
  '2001:db8:1::ffff:7',
  '2001:db8:1::8',
  '2001:db8:1:0:ff::1',
  '2001:db8:2::1',
  '2001:db8:8::1',
  '2001:db8:9::1',
  'fe80::1',
  'ff02::1',
  '::1',
  '::',
  '::ffff:192.0.2.1',
].map((text) => parseAddress(text)!);
/** Of the addresses, the first ones. */
const FORWARDED = 4;
const SOURCE = parseAddress('2001:db8:7::1')!;
const OPCODES = [0x06, 0x07, 0x08, 0x0a, 0x11, 0x81];
const ROCE = 4791;
const MOST_PAYLOAD = 1400;
const ETHERNET = 14;
const IPV6 = 40;
const UDP = 8;
const BTH = 12;

/** To the station. Never shorter than `least`. */
export function draftFrame(dice: Dice, to: Uint8Array, least: number): Uint8Array {
  const frame = damaged(dice, drafted(dice, to), least);
  if (frame.length >= least) return frame;
  const padded = new Uint8Array(least);
  padded.set(frame);
  return padded;
}

function drafted(dice: Dice, to: Uint8Array): Uint8Array {
  const kind = dice.below(16);
  if (kind === 0) return ethernet(to, dice.pick([TYPE.arp, dice.below(0x1_0000)]), dice.octets(dice.below(120)));
  if (kind === 1) return ethernet(to, TYPE.ipv4, Uint8Array.of(0x45, ...dice.octets(19 + dice.below(80))));
  if (kind === 2) return ethernet(to, TYPE.ipv6, dice.octets(dice.below(120)));
  const packet = ipv6(dice, kind < 6);
  if (kind > 6) return ethernet(to, TYPE.ipv6, packet);
  const tag = Uint8Array.of(dice.octet(), dice.octet(), TYPE.ipv6 >> 8, TYPE.ipv6 & 0xff, ...packet);
  return kind === 6 ? ethernet(to, dice.pick([TYPE.vlan, TYPE.providerVlan]), tag) : ethernet(to, TYPE.ipv6, packet);
}

function ethernet(to: Uint8Array, type: number, payload: Uint8Array): Uint8Array {
  return Uint8Array.of(...to, 2, 0, 0, 0, 0, 1, type >> 8, type & 0xff, ...payload);
}

function ipv6(dice: Dice, extended: boolean): Uint8Array {
  const transport = dice.pick(TRANSPORTS);
  const extensions = extended ? Array.from({ length: 1 + dice.below(3) }, () => dice.pick(EXTENSIONS)) : [];
  const chain = [...extensions, transport];
  const headers = extensions.map((header, place) => extension(dice, header, chain[place + 1]!));
  const payload = Uint8Array.of(...headers.flatMap((header) => [...header]), ...segment(dice));
  const packet = new Uint8Array(IPV6 + payload.length);
  const view = new DataView(packet.buffer);
  view.setUint32(0, 0x6000_0000 + dice.below(0x1000_0000));
  view.setUint16(4, payload.length);
  view.setUint8(6, chain[0]!);
  view.setUint8(7, dice.pick([64, 64, 64, 2, 1, 0, 255]));
  packet.set(dice.once(8) ? dice.pick(ADDRESSES) : SOURCE, 8);
  packet.set(ADDRESSES[dice.below(dice.once(2) ? FORWARDED : ADDRESSES.length)]!, 24);
  packet.set(payload, IPV6);
  return packet;
}

function extension(dice: Dice, header: number, next: number): Uint8Array {
  const length = header === FRAGMENT ? 0 : dice.below(3);
  const octets = dice.octets(8 * (length + 1));
  octets.set([next, header === FRAGMENT ? 0 : length]);
  return octets;
}

/** UDP with the base transport header of RoCEv2, which other protocols read as they like. */
function segment(dice: Dice): Uint8Array {
  const size = dice.once(8) ? dice.below(MOST_PAYLOAD) : BTH + dice.below(64);
  const octets = dice.octets(UDP + size);
  const view = new DataView(octets.buffer);
  view.setUint16(0, 0xc000 + dice.below(64));
  view.setUint16(2, dice.once(4) ? dice.below(0x1_0000) : ROCE);
  view.setUint16(4, UDP + size);
  if (size >= BTH) view.setUint8(UDP, dice.pick(OPCODES));
  return octets;
}

/** Half of them as they are. The link addresses stay: the kernel has judged them before a program at traffic control runs. */
function damaged(dice: Dice, frame: Uint8Array, least: number): Uint8Array {
  if (dice.once(2)) return frame;
  for (let times = dice.below(4); times > 0; times--) {
    const at = 12 + dice.below(Math.min(80, frame.length - 12));
    frame[at] = dice.edge();
  }
  if (dice.once(2)) return frame;
  const cut = dice.once(2) ? least + dice.below(ETHERNET + IPV6) : dice.below(frame.length);
  return frame.slice(0, cut);
}
