/** The operator's policies of a neighbour, bound to its session. */
import type { AsNumber } from '../net/as-number.js';
import type { SessionPolicies, SessionPolicy } from '../policy/session-policy.js';
import type { FabricInterfaceConfig } from './config.js';
import { sameValue } from './config-difference.js';
import type { Neighbour } from './neighbour.js';

export interface NeighbourPolicies {
  readonly importPolicy: SessionPolicy | undefined;
  readonly exportPolicy: SessionPolicy | undefined;
}

/** RFC 8212: on a fabric interface the DPF role stands for a policy. */
export function neighbourPolicies(
  policies: SessionPolicies,
  neighbour: Neighbour,
  localAs: AsNumber,
): NeighbourPolicies {
  const { config } = neighbour.place;
  const session = { interfaceName: config.name, neighbour: neighbour.address };
  const place = { session, localAs, strict: false };
  return {
    importPolicy: policies.bind(config.importPolicy, { ...place, direction: 'import' }),
    exportPolicy: policies.bind(config.exportPolicy, { ...place, direction: 'export' }),
  };
}

/** The difference needs no new session: it is in policies, or in the times of BFD. */
export function keepsSession(a: FabricInterfaceConfig, b: FabricInterfaceConfig): boolean {
  return sameValue(withoutLive(a), withoutLive(b));
}

function withoutLive<T extends FabricInterfaceConfig>(config: T) {
  const bfd = config.bfd && { strict: config.bfd.strict };
  return { ...config, importPolicy: [], exportPolicy: [], bfd };
}
