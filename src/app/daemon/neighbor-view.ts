/** `show neighbors`: one entry a session, and one for each fabric interface that has none yet. */
import { formatAddress } from '../../core/net/address.js';
import { formatAsRule } from '../../core/net/as-number.js';
import { FAMILIES, type Family } from '../../core/net/family.js';
import { formatIdentifier } from '../../core/net/identifier.js';
import type { PolicyChain } from '../../core/policy/policy.js';
import { missingPolicies } from '../../core/policy/session-policy.js';
import type { Clock } from '../../core/ports/clock.js';
import type { AuthenticationKey } from '../../core/ports/transport.js';
import type { DownReason, Negotiated } from '../../core/session/types.js';
import type { FabricLink } from '../../core/speaker/fabric-link.js';
import type { Neighbour } from '../../core/speaker/neighbour.js';
import type { Hold } from '../../core/speaker/session-holds.js';
import type { Speaker } from '../../core/speaker/speaker.js';
import { capabilityNames } from '../../core/wire/bgp/capabilities/capability-names.js';
import type { OpenMessage } from '../../core/wire/bgp/message.js';
import type { Neighbor } from '../../edge/control/schema.js';
import { bfdView } from './bfd-view.js';
import { NO_ROUTES, routeFacts } from './neighbor-routes.js';
import { diagnose } from './neighbor-why.js';

/** All, or those that go by this name (interface, address, or ADDRESS%INTERFACE), which are looked at more closely. */
export function* neighborViews(speaker: Speaker, clock: Clock, name?: string): Iterable<Neighbor> {
  const whole = name !== undefined;
  for (const link of speaker.fabricLinks) {
    const { name: place } = link.config;
    const isWanted = (address?: string) => !whole || [place, address, `${address}%${place}`].includes(name);
    const sessions = link.sessions();
    if (sessions.length === 0 && isWanted()) yield diagnosed(unheard(link, clock), { speaker, link });
    for (const session of sessions) {
      if (!isWanted(formatAddress(session.address))) continue;
      yield diagnosed(sessionView({ speaker, clock, whole, hold: link.holdOf(session) }, session), { speaker, link });
    }
  }
}

type Undiagnosed = Omit<Neighbor, 'why' | 'next'>;

function diagnosed(neighbor: Undiagnosed, { speaker, link }: { speaker: Speaker; link: FabricLink }): Neighbor {
  const { config, engine } = speaker;
  const { prefixes } = engine.rib.totals();
  return {
    ...neighbor,
    ...diagnose({ neighbor, linkReason: link.reason, as: config.asn, families: config.families, prefixes }),
  };
}

const NO_MESSAGES = { open: 0, update: 0, notification: 0, keepalive: 0, routeRefresh: 0 };

function unheard(link: FabricLink, clock: Clock): Undiagnosed {
  const { lastLost } = link;
  return {
    ...placeView(link.config, link.linkLocal && formatAddress(link.linkLocal)),
    address: null,
    ...negotiatedView(undefined),
    state: 'idle',
    reason: link.reason ?? 'no router advertisement heard on this interface yet',
    uptimeMs: null,
    ...NO_ROUTES,
    security: securityView(link.config, undefined),
    prefixLimits: limitViews(link.config, () => 0),
    hold: null,
    attempts: 0,
    establishedCount: 0,
    lastDown: lastLost?.history.lastDown
      ? downView(lastLost.history.lastDown, clock.now() - lastLost.history.lastDownAt)
      : null,
    lastFailure: null,
    retryInMs: null,
    messages: { sent: NO_MESSAGES, received: NO_MESSAGES },
    bfd: null,
  };
}

interface SessionContext {
  readonly speaker: Speaker;
  readonly clock: Clock;
  readonly whole: boolean;
  readonly hold: Hold | undefined;
}

function sessionView({ speaker, clock, hold, whole }: SessionContext, neighbour: Neighbour): Undiagnosed {
  const { state, attempts, establishedCount, lastDown, lastFailure, negotiated } = neighbour.summary();
  const established = state === 'established';
  const { place, counters } = neighbour;
  return {
    ...placeView(place.config, formatAddress(place.local)),
    address: formatAddress(neighbour.address),
    ...negotiatedView(negotiated),
    state,
    reason: established ? null : (hold?.reason ?? lastDown?.message ?? 'not tried yet'),
    uptimeMs: established ? clock.now() - neighbour.changedAt : null,
    ...routeFacts(speaker, neighbour, { clock, whole }),
    security: securityView(place.config, neighbour.hopLimit),
    prefixLimits: limitViews(place.config, (family) => speaker.engine.pathCount(neighbour, family)),
    hold: holdView(hold, clock),
    attempts,
    establishedCount,
    lastDown: lastDown ? downView(lastDown, clock.now() - (neighbour.lastDownAt ?? neighbour.changedAt)) : null,
    lastFailure: lastFailure ? failureView(lastFailure) : null,
    retryInMs: neighbour.retryAt === undefined ? null : Math.max(0, neighbour.retryAt - clock.now()),
    messages: { sent: { ...counters.sent }, received: { ...counters.received } },
    bfd: neighbour.bfd ? bfdView(neighbour.bfd, clock) : null,
  };
}

function failureView({ kind, code, subcode, message }: DownReason): NonNullable<Neighbor['lastFailure']> {
  return { kind, code: code ?? null, subcode: subcode ?? null, message };
}

function downView(reason: DownReason, agoMs: number): NonNullable<Neighbor['lastDown']> {
  return { ...failureView(reason), agoMs };
}

function placeView(config: FabricLink['config'], localAddress: string | undefined) {
  return {
    interface: config.name,
    localAddress: localAddress ?? null,
    acceptRemoteAs: config.acceptRemoteAs.map(formatAsRule),
    colour: config.colour ?? null,
    policies: policyView(config),
  };
}

/** A fabric interface needs none: the DPF role is one (RFC 8212). */
function policyView({ importPolicy = [], exportPolicy = [] }: FabricLink['config']): Neighbor['policies'] {
  const names = (chain: PolicyChain) => chain.map(({ name }) => name);
  const missing = missingPolicies(false, { import: importPolicy, export: exportPolicy });
  return { import: names(importPolicy), export: names(exportPolicy), missing };
}

function negotiatedView(negotiated: Negotiated | undefined) {
  return {
    as: negotiated?.remoteAs ?? null,
    routerId: negotiated ? formatIdentifier(negotiated.remoteIdentifier) : null,
    hostname: hostnameOf(negotiated?.remoteOpen),
    holdTime: negotiated?.holdTime ?? null,
    keepaliveTime: negotiated?.keepaliveTime ?? null,
    families: [...(negotiated?.families ?? [])],
    capabilities: negotiated ? capabilityView(negotiated) : [],
  };
}

function hostnameOf(open: OpenMessage | undefined): string | null {
  for (const capability of open?.capabilities ?? []) if (capability.kind === 'fqdn') return capability.hostname;
  return null;
}

function capabilityView({ localOpen, remoteOpen }: Negotiated): Neighbor['capabilities'] {
  const local = new Set(localOpen.capabilities.flatMap(capabilityNames));
  const remote = new Set(remoteOpen.capabilities.flatMap(capabilityNames));
  return [...new Set([...local, ...remote])].map((name) => ({
    name,
    local: local.has(name),
    remote: remote.has(name),
  }));
}

function securityView(
  { gtsm = 'auto', password, authenticationKey }: FabricLink['config'],
  hopLimit: number | undefined,
): Neighbor['security'] {
  return { gtsm, hopLimit: hopLimit ?? null, md5: password !== undefined, tcpAo: keyView(authenticationKey) };
}

/** Without the secret. */
function keyView(key: AuthenticationKey | undefined): Neighbor['security']['tcpAo'] {
  if (!key) return null;
  const { sendId, receiveId, algorithm } = key;
  return { sendId, receiveId, algorithm };
}

function limitViews(
  { prefixLimits }: FabricLink['config'],
  received: (family: Family) => number,
): Neighbor['prefixLimits'] {
  return FAMILIES.flatMap((family) => {
    const limit = prefixLimits?.[family];
    if (!limit) return [];
    const count = received(family);
    return [{ family, limit: limit.limit, received: count, action: limit.action, exceeded: count > limit.limit }];
  });
}

function holdView(hold: Hold | undefined, clock: Clock): Neighbor['hold'] {
  if (!hold) return null;
  const { kind, reason, until } = hold;
  return { kind, reason, retryInMs: until === undefined ? null : Math.max(0, until - clock.now()) };
}
