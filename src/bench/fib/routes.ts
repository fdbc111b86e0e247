/** What a scripted speaker says, as octets: the far leaf's prefixes as a spine tells them. Pure. */
import { parseAddress } from '../../core/net/address.js';
import { colourCommunity } from '../../core/wire/bgp/colour.js';
import { MAX_MESSAGE_OCTETS } from '../../core/wire/bgp/message.js';
import { concat } from '../../core/wire/bgp/octets.js';
import { encodeAttributes, UpdateBuilder } from '../../core/wire/bgp/update-encoder.js';
import { FAR_AS, PREFIX_BITS, spineAddress, spineAs, type Uplink, writePrefix } from './plan.js';

/** In one UPDATE. */
const PREFIXES_PER_UPDATE = 100;
const COLOUR = 1;
/** The spine that the prefixes belong on. */
const PREFERRED: Uplink = 1;

/** Prefixes `from` to, without it, `to`. */
export interface PrefixRange {
  readonly from: number;
  readonly to: number;
}

/**
 * Through spine 1 the prefixes have AIGP, and through the others a longer AS_PATH: so everybody prefers spine 1, whether it
 * follows AIGP or not, and finds the others equal.
 */
export function encodeRoutes(uplink: Uplink, range: PrefixRange): Uint8Array {
  const messages: Uint8Array[] = [];
  const builder = builderInto(messages);
  const preferred = uplink === PREFERRED;
  const asns = preferred ? [spineAs(uplink), FAR_AS] : [spineAs(uplink), FAR_AS, FAR_AS];
  const attributes = encodeAttributes(
    {
      origin: 0,
      asPath: [{ kind: 'sequence', asns }],
      extendedCommunities: [colourCommunity(COLOUR)],
      ...(preferred && { aigp: { metric: 1n, otherTlvs: [] } }),
    },
    { fourOctetAs: true },
  );
  builder.announce(attributes, parseAddress(spineAddress(uplink))!);
  addPrefixes(builder, range);
  return concat(messages);
}

export function encodeWithdrawal(range: PrefixRange): Uint8Array {
  const messages: Uint8Array[] = [];
  const builder = builderInto(messages);
  builder.withdraw();
  addPrefixes(builder, range);
  return concat(messages);
}

function builderInto(messages: Uint8Array[]): UpdateBuilder {
  const options = { family: 'ipv6-unicast', addPath: false, maximum: MAX_MESSAGE_OCTETS } as const;
  return new UpdateBuilder(options, (message) => messages.push(message));
}

function addPrefixes(builder: UpdateBuilder, { from, to }: PrefixRange): void {
  const octets = new Uint8Array(16);
  for (let index = from; index < to; index++) {
    writePrefix(index, octets);
    builder.add(octets, 0, PREFIX_BITS);
    if ((index + 1 - from) % PREFIXES_PER_UPDATE === 0) builder.flush();
  }
  builder.flush();
}
