/**
 * Communities of all three kinds as people write them: `65000:1` (RFC 1997), `rt:65000:1` and the like or 16 hexadecimal
 * digits (RFC 4360), `65000:1:2` (RFC 8092). In a pattern any part may be `*`.
 */
import { parseAddress } from '../net/address.js';
import { formatCommunity } from '../wire/bgp/attributes/communities.js';
import { formatExtendedCommunity } from '../wire/bgp/attributes/extended-communities.js';
import { formatLargeCommunity, type LargeCommunity } from '../wire/bgp/attributes/large-communities.js';
import { octets16, octets32 } from '../wire/bgp/octets.js';
import type { ExtendedCommunity, PathAttributes } from '../wire/bgp/path-attributes.js';

export type Community =
  | { readonly kind: 'standard'; readonly value: number }
  | { readonly kind: 'extended'; readonly value: ExtendedCommunity }
  | { readonly kind: 'large'; readonly value: LargeCommunity };

export interface CommunityPattern {
  readonly kind: Community['kind'];
  /** Parts between colons; `*` is any. */
  readonly parts: readonly string[];
}

/** IANA registry of well-known communities. */
const WELL_KNOWN: ReadonlyMap<string, number> = new Map([
  ['graceful-shutdown', 0xffff0000],
  ['accept-own', 0xffff0001],
  ['llgr-stale', 0xffff0006],
  ['no-llgr', 0xffff0007],
  ['blackhole', 0xffff029a],
  ['no-export', 0xffffff01],
  ['no-advertise', 0xffffff02],
  ['no-export-subconfed', 0xffffff03],
  ['no-peer', 0xffffff04],
]);

export const WELL_KNOWN_COMMUNITIES: readonly string[] = [...WELL_KNOWN.keys()];

const EXTENDED_SUBTYPES: Readonly<Record<string, number>> = { rt: 0x02, soo: 0x03 };
const MAX_U16 = 0xffff;
const MAX_U32 = 0xffffffff;

/** Written as a community of some kind, right or wrong, and not as the name of a list. */
export function looksLikeCommunity(text: string): boolean {
  return text.includes(':') || WELL_KNOWN.has(text) || /^[0-9a-f]{16}$/i.test(text);
}

/** `undefined` when it is none. */
export function parseCommunity(text: string): Community | undefined {
  const known = WELL_KNOWN.get(text);
  if (known !== undefined) return { kind: 'standard', value: known };
  if (/^[0-9a-f]{16}$/i.test(text)) return { kind: 'extended', value: extendedFromHex(text) };
  const parts = text.split(':');
  const numbers = parts.map((part) => (/^\d{1,10}$/.test(part) ? Number(part) : Number.NaN));
  if (parts.length === 2 && numbers.every((part) => part <= MAX_U16)) {
    return { kind: 'standard', value: numbers[0]! * 0x10000 + numbers[1]! };
  }
  if (parts.length !== 3) return undefined;
  const [first, second, third] = numbers as [number, number, number];
  if (numbers.every((part) => part <= MAX_U32)) return { kind: 'large', value: [first, second, third] };
  const value = parseExtended(parts as [string, string, string], second, third);
  return value && { kind: 'extended', value };
}

/** `undefined` when no community looks like that. */
export function parseCommunityPattern(text: string): CommunityPattern | undefined {
  const whole = parseCommunity(text);
  if (whole) return { kind: whole.kind, parts: communityText(whole).split(':') };
  const parts = text.split(':');
  const kind = kindOfPattern(parts);
  return kind && { kind, parts };
}

/** A policy sets the colour by a key of its own, not as a community. */
export function isColourText(text: string): boolean {
  return /^colou?r:/i.test(text) || /^030b/i.test(text);
}

export function matchesCommunity({ parts }: CommunityPattern, text: string): boolean {
  const given = text.split(':');
  return given.length === parts.length && parts.every((part, index) => part === '*' || part === given[index]);
}

/** The texts of a route's communities of one kind, in their order. */
export function communityTexts(attributes: PathAttributes, kind: Community['kind']): readonly string[] {
  if (kind === 'standard') return (attributes.communities ?? []).map(formatCommunity);
  if (kind === 'large') return (attributes.largeCommunities ?? []).map(formatLargeCommunity);
  return (attributes.extendedCommunities ?? []).map(formatExtendedCommunity);
}

export function communityText(community: Community): string {
  if (community.kind === 'standard') return formatCommunity(community.value);
  return community.kind === 'large' ? formatLargeCommunity(community.value) : formatExtendedCommunity(community.value);
}

function kindOfPattern(parts: readonly string[]): Community['kind'] | undefined {
  const isNumber = (part: string) => part === '*' || (/^\d{1,10}$/.test(part) && Number(part) <= MAX_U32);
  if (!parts.includes('*')) return isColourPattern(parts) ? 'extended' : undefined;
  if (parts.length === 2 && parts.every((part) => part === '*' || Number(part) <= MAX_U16)) return 'standard';
  if (parts.length !== 3) return undefined;
  if (parts.every(isNumber)) return 'large';
  const rest = parts.slice(1).every((part) => isNumber(part) || parseAddress(part)?.length === 4);
  return (Object.hasOwn(EXTENDED_SUBTYPES, parts[0]!) || parts[0] === 'color') && rest ? 'extended' : undefined;
}

/** `color:CO:value`, as `show route` prints it. */
function isColourPattern(parts: readonly string[]): boolean {
  return parts.length === 3 && parts[0] === 'color' && /^[01]{2}$/.test(parts[1]!) && /^\d{1,10}$/.test(parts[2]!);
}

/** RFC 4360 section 3 and RFC 5668: an AS of two octets leaves four for the value, one of four octets or an address two. */
function parseExtended(parts: readonly string[], asn: number, value: number): ExtendedCommunity | undefined {
  const subtype = Object.hasOwn(EXTENDED_SUBTYPES, parts[0]!) ? EXTENDED_SUBTYPES[parts[0]!] : undefined;
  if (subtype === undefined || !(value <= MAX_U32)) return undefined;
  if (asn <= MAX_U16) return { type: 0x00, subtype, value: Uint8Array.of(...octets16(asn), ...octets32(value)) };
  if (value > MAX_U16) return undefined;
  if (asn <= MAX_U32) return { type: 0x02, subtype, value: Uint8Array.of(...octets32(asn), ...octets16(value)) };
  const address = parseAddress(parts[1]!);
  if (address?.length !== 4) return undefined;
  return { type: 0x01, subtype, value: Uint8Array.of(...address, ...octets16(value)) };
}

function extendedFromHex(text: string): ExtendedCommunity {
  const octets = Uint8Array.from({ length: 8 }, (_, index) =>
    Number.parseInt(text.slice(index * 2, index * 2 + 2), 16),
  );
  return { type: octets[0]!, subtype: octets[1]!, value: octets.slice(2) };
}
