/** Host and domain name (draft-walton-bgp-hostname-capability), each behind a length octet. For people only. */
import { concat } from '../octets.js';
import { printableText, utf8Within } from '../text.js';
import type { CapabilityCodec } from './capability-codec.js';

/** The draft's limit for either name. */
const MAX_NAME_OCTETS = 64;

export const fqdn: CapabilityCodec = {
  code: 73,
  decode(value) {
    const hostnameEnd = 1 + (value[0] ?? 0);
    const domainEnd = hostnameEnd + 1 + (value[hostnameEnd] ?? 0);
    // Some leave out the second length octet when there is no domain.
    const complete = value.length === domainEnd || (value.length === hostnameEnd && value.length > 1);
    if (!complete) return undefined;
    return {
      kind: 'fqdn',
      hostname: printableText(value.subarray(1, hostnameEnd)),
      domain: printableText(value.subarray(hostnameEnd + 1)),
    };
  },
  encode(capability) {
    if (capability.kind !== 'fqdn') return undefined;
    return concat([withLength(capability.hostname), withLength(capability.domain)]);
  },
};

function withLength(name: string): Uint8Array {
  const octets = utf8Within(name, MAX_NAME_OCTETS);
  return Uint8Array.of(octets.length, ...octets);
}
