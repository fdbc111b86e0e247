/** Every capability that heddle understands. A new capability is a file here and a row below; others are kept as `unknown`. */
import type { Capability } from '../message.js';
import { addPath } from './add-path.js';
import type { CapabilityCodec } from './capability-codec.js';
import { enhancedRouteRefresh } from './enhanced-route-refresh.js';
import { extendedMessage } from './extended-message.js';
import { extendedNextHop } from './extended-next-hop.js';
import { fourOctetAs } from './four-octet-as.js';
import { fqdn } from './fqdn.js';
import { gracefulRestart } from './graceful-restart.js';
import { linkLocalNextHop } from './link-local-next-hop.js';
import { longLivedGracefulRestart } from './long-lived-graceful-restart.js';
import { multiprotocol } from './multiprotocol.js';
import { routeRefresh } from './route-refresh.js';
import { strictBfd } from './strict-bfd.js';

export const CAPABILITY_CODECS: readonly CapabilityCodec[] = [
  multiprotocol,
  routeRefresh,
  extendedNextHop,
  extendedMessage,
  gracefulRestart,
  longLivedGracefulRestart,
  fourOctetAs,
  addPath,
  enhancedRouteRefresh,
  fqdn,
  linkLocalNextHop,
  strictBfd,
];

const BY_CODE: ReadonlyMap<number, CapabilityCodec> = new Map(CAPABILITY_CODECS.map((codec) => [codec.code, codec]));

/** `value` may still be the message's octets: nothing keeps them. */
export function decodeCapability(code: number, value: Uint8Array): Capability {
  return BY_CODE.get(code)?.decode(value) ?? { kind: 'unknown', code, value: value.slice() };
}

/** Code, length and value (RFC 5492 section 4). */
export function encodeCapability(capability: Capability): Uint8Array {
  if (capability.kind === 'unknown') return withHeader(capability.code, capability.value);
  for (const { code, encode } of CAPABILITY_CODECS) {
    const value = encode(capability);
    if (value) return withHeader(code, value);
  }
  throw new Error(`no codec for capability ${capability.kind}`);
}

function withHeader(code: number, value: Uint8Array): Uint8Array {
  return Uint8Array.of(code, value.length, ...value);
}
