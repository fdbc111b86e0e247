/** What decoded path attributes must hold against the octets they came from. */
import type { PathAttributes } from '../core/wire/bgp/path-attributes.js';
import type { NlriField, UpdateView } from '../core/wire/bgp/update-view.js';
import { KEEP, type Verdict } from './rfc7606-judge.js';

/** Types that become a field of the value, and whether the value has it. */
const FIELD_OF: Readonly<Record<number, (attributes: PathAttributes) => boolean>> = {
  4: ({ med }) => med !== undefined,
  5: ({ localPref }) => localPref !== undefined,
  6: ({ atomicAggregate }) => atomicAggregate === true,
  7: ({ aggregator }) => aggregator !== undefined,
  8: ({ communities }) => communities !== undefined,
  16: ({ extendedCommunities }) => extendedCommunities !== undefined,
  25: ({ unknown }) => unknown?.some(({ type }) => type === 25) === true,
  26: ({ aigp }) => aigp !== undefined,
  32: ({ largeCommunities }) => largeCommunities !== undefined,
  39: ({ nextHopCharacteristics }) => nextHopCharacteristics !== undefined,
};
const FIELDS = Object.entries(FIELD_OF).map(([type, has]) => ({ type: Number(type), has }));
/** These say something about the session or the reflection, and are not of the route. */
const NOT_OF_THE_ROUTE: ReadonlySet<number> = new Set([1, 2, 3, 9, 10, 17, 18]);
const OPAQUE = Array.from({ length: 256 }, (_, type) => type).filter(
  (type) => !(type in FIELD_OF) && !NOT_OF_THE_ROUTE.has(type),
);

/** Kept is what the verdict keeps, neither more nor less. */
export function keptAttributesComplaint(
  attributes: PathAttributes,
  { attributes: due }: Verdict,
  field: NlriField,
): string | undefined {
  for (const { type, has } of FIELDS)
    if (has(attributes) !== (due[type] === KEEP.kept)) return `attribute ${type} ${has(attributes) ? 'kept' : 'lost'}`;
  let opaque = 0;
  for (const type of OPAQUE) if (due[type] === KEEP.kept) opaque++;
  if (due[25] === KEEP.kept) opaque++;
  if ((attributes.unknown?.length ?? 0) !== opaque) return 'unknown attributes are not as they came';
  if (field === 'classic' && attributes.nextHop?.global?.length !== 4) return 'no next hop';
  return undefined;
}

/** Types that must come out of the encoder octet by octet as they went into the decoder. */
const EXACT: ReadonlySet<number> = new Set([1, 4, 5, 6, 8, 16, 25, 39]);

/** `encoded` is the list of attributes that the encoder made of what the view's message decoded to. */
export function roundTripComplaint(view: UpdateView, encoded: Uint8Array, fourOctetAs: boolean): string | undefined {
  for (let at = 0; at < encoded.length; ) {
    const type = encoded[at + 1]!;
    const start = at + headerOctets(encoded, at);
    const end = start + valueOctets(encoded, at);
    at = end;
    if (!EXACT.has(type) && !(fourOctetAs && (type === 2 || type === 7))) continue;
    const original = offsetOf(view, type);
    if (original === -1) return `attribute ${type} appears from nowhere`;
    const from = original + headerOctets(view.body, original);
    const same = valueOctets(view.body, original) === end - start;
    for (let i = 0; same && i < end - start; i++)
      if (view.body[from + i] !== encoded[start + i]) return `attribute ${type} comes back changed`;
    if (!same) return `attribute ${type} comes back with another length`;
  }
  return undefined;
}

function offsetOf(view: UpdateView, type: number): number {
  for (let i = 0; i < view.attributeCount; i++) {
    const at = view.attributeOffsets[i]!;
    if (view.body[at + 1] === type) return at;
  }
  return -1;
}

function headerOctets(octets: Uint8Array, at: number): number {
  return (octets[at]! & 0x10) === 0 ? 3 : 4;
}

function valueOctets(octets: Uint8Array, at: number): number {
  return (octets[at]! & 0x10) === 0 ? octets[at + 2]! : octets[at + 2]! * 256 + octets[at + 3]!;
}
