/** The operator's policies of a neighbour, bound to its session. */
import type { AsNumber } from '../net/as-number.js';
import type { SessionPolicies, SessionPolicy } from '../policy/session-policy.js';
import type { DefaultRoute } from '../rib/default-routes.js';
import type { SessionConfig } from './config.js';
import { sameValue } from './config-difference.js';
import type { Neighbour, NeighbourPlace } from './neighbour.js';

export interface NeighbourPolicies {
  readonly importPolicy: SessionPolicy | undefined;
  readonly exportPolicy: SessionPolicy | undefined;
  readonly defaultRoute: DefaultRoute | undefined;
}

export function neighbourPolicies(
  policies: SessionPolicies,
  neighbour: Neighbour,
  localAs: AsNumber,
): NeighbourPolicies {
  const { config, interfaceName } = neighbour.place;
  const session = { interfaceName, neighbour: neighbour.address };
  const remoteAs = neighbour.summary().negotiated?.remoteAs;
  const place = { session, localAs, strict: needsPolicies(neighbour.place, remoteAs !== localAs) };
  return {
    importPolicy: policies.bind(config.importPolicy, { ...place, direction: 'import' }),
    exportPolicy: policies.bind(config.exportPolicy, { ...place, direction: 'export' }),
    defaultRoute: config.defaultOriginate && {
      policy: policies.bind(config.defaultOriginate.policy, { session, localAs, strict: false, direction: 'export' }),
    },
  };
}

/** RFC 8212, for external sessions. On a fabric interface the DPF role stands for a policy. */
export function needsPolicies({ configured }: Pick<NeighbourPlace, 'configured'>, external: boolean): boolean {
  return external && configured !== undefined;
}

/** The difference needs no new session: it is in policies and what goes beside them, in the hold-down, or in the times of BFD. */
export function keepsSession<T extends SessionConfig>(a: T, b: T): boolean {
  return sameValue(withoutLive(a), withoutLive(b));
}

function withoutLive<T extends SessionConfig>(config: T) {
  const bfd = config.bfd && { strict: config.bfd.strict };
  // Our AS is in the OPEN, and for whom we reflect is part of what others are told.
  const { localAs, reflectorClient } = config.options ?? {};
  return {
    ...config,
    importPolicy: [],
    exportPolicy: [],
    defaultOriginate: undefined,
    holdDown: undefined,
    options: { localAs, reflectorClient },
    bfd,
  };
}
