/** Names of capabilities (IANA registry), for people. */
import { familyOf } from '../../../net/family.js';
import type { Capability } from '../message.js';
import { encodeCapability } from './capability-table.js';

const NAMES: ReadonlyMap<number, string> = new Map([
  [0, 'reserved'],
  [1, 'multiprotocol'],
  [2, 'route refresh'],
  [3, 'outbound route filtering'],
  [4, 'multiple routes to a destination'],
  [5, 'extended next hop'],
  [6, 'extended message'],
  [7, 'BGPsec'],
  [8, 'multiple labels'],
  [9, 'BGP role'],
  [64, 'graceful restart'],
  [65, 'four-octet AS'],
  [67, 'dynamic capability'],
  [68, 'multisession'],
  [69, 'ADD-PATH'],
  [70, 'enhanced route refresh'],
  [71, 'long-lived graceful restart'],
  [72, 'routing policy distribution'],
  [73, 'FQDN'],
  [74, 'strict BFD'],
  [75, 'software version'],
  [76, 'paths limit'],
  [77, 'link-local next hop'],
  [128, 'route refresh (legacy)'],
  [129, 'outbound route filtering (legacy)'],
  [130, 'outbound route filtering (legacy)'],
  [131, 'multisession (legacy)'],
  [184, 'FQDN (legacy)'],
]);

const FIRST_EXPERIMENTAL = 239;
const LAST_EXPERIMENTAL = 254;

export function capabilityName(code: number): string {
  const name = NAMES.get(code);
  if (name !== undefined) return name;
  // RFC 8810 section 3.
  return code >= FIRST_EXPERIMENTAL && code <= LAST_EXPERIMENTAL ? `experimental ${code}` : `unknown ${code}`;
}

/** What a capability offers, one name for each address family in it: `multiprotocol ipv6-unicast`, `four-octet AS`. */
export function capabilityNames(capability: Capability): readonly string[] {
  const name = capabilityName(encodeCapability(capability)[0]!);
  const families = familiesIn(capability);
  return families.length === 0 ? [name] : families.map(({ afi, safi }) => `${name} ${familyName(afi, safi)}`);
}

function familiesIn(capability: Capability): readonly { readonly afi: number; readonly safi: number }[] {
  switch (capability.kind) {
    case 'multiprotocol':
      return [capability];
    case 'extended-next-hop':
      return capability.entries;
    case 'add-path':
    case 'graceful-restart':
    case 'long-lived-graceful-restart':
      return capability.families;
    default:
      return [];
  }
}

function familyName(afi: number, safi: number): string {
  return familyOf(afi, safi) ?? `${afi}/${safi}`;
}
