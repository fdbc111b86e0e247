/** `show neighbors`: one entry a session, and one for each fabric interface and each configured neighbour that has none yet. */
import { formatAddress } from '../../core/net/address.js';
import { acceptsOnlyOwn, formatAsRule } from '../../core/net/as-number.js';
import { FAMILIES, type Family } from '../../core/net/family.js';
import { formatIdentifier } from '../../core/net/identifier.js';
import type { PolicyChain } from '../../core/policy/policy.js';
import { missingPolicies } from '../../core/policy/session-policy.js';
import type { Clock } from '../../core/ports/clock.js';
import type { AuthenticationKey } from '../../core/ports/transport.js';
import type { DownReason, Negotiated } from '../../core/session/types.js';
import type { NeighbourConfig, SessionConfig } from '../../core/speaker/config.js';
import { FabricLink } from '../../core/speaker/fabric-link.js';
import type { Neighbour } from '../../core/speaker/neighbour.js';
import { canonicalName } from '../../core/speaker/neighbour-commands.js';
import { needsPolicies } from '../../core/speaker/neighbour-policies.js';
import type { Hold } from '../../core/speaker/session-holds.js';
import type { Speaker } from '../../core/speaker/speaker.js';
import { capabilityNames } from '../../core/wire/bgp/capabilities/capability-names.js';
import type { OpenMessage } from '../../core/wire/bgp/message.js';
import type { Neighbor } from '../../edge/control/schema.js';
import { addPathViews } from './add-path-view.js';
import { bfdView } from './bfd-view.js';
import { NO_ROUTES, routeFacts } from './neighbor-routes.js';
import { diagnose } from './neighbor-why.js';
import { optionViews } from './option-view.js';
import { byAddress, ownersInOrder } from './show-order.js';

/** All, or those that go by this name, which are looked at more closely. */
export function* neighborViews(speaker: Speaker, clock: Clock, given?: string): Iterable<Neighbor> {
  const whole = given !== undefined;
  const name = whole ? canonicalName(given) : '';
  for (const owner of ownersInOrder(speaker)) {
    const named = (session?: Neighbour) => !whole || namesOf(owner, session).includes(name);
    const sessions = byAddress(owner.sessions());
    if (sessions.length === 0 && named()) yield diagnosed(withoutSession(speaker, clock, owner), { speaker, owner });
    for (const session of sessions) {
      if (!named(session)) continue;
      const hold = owner.keeper.holdOf(session.name);
      yield diagnosed(sessionView({ speaker, clock, whole, hold }, session), { speaker, owner });
    }
  }
}

type Owner = Speaker['sessionOwners'][number];

/** What it answers to: interface or peer group, address, ADDRESS%INTERFACE. */
function namesOf({ names }: Owner, session: Neighbour | undefined): readonly string[] {
  if (!session) return names;
  return [...names, session.name, formatAddress(session.address), session.place.interfaceName];
}

type Undiagnosed = Omit<Neighbor, 'why' | 'next'>;

function diagnosed(neighbor: Undiagnosed, { speaker, owner }: { speaker: Speaker; owner: Owner }): Neighbor {
  const { config, engine } = speaker;
  const { prefixes } = engine.rib.totals();
  const as = owner.config.options?.localAs?.asn ?? config.asn;
  return {
    ...neighbor,
    ...diagnose({ neighbor, linkReason: owner.reason, as, families: config.families, prefixes }),
  };
}

const NO_MESSAGES = { open: 0, update: 0, notification: 0, keepalive: 0, routeRefresh: 0 };

function withoutSession(speaker: Speaker, clock: Clock, owner: Owner): Undiagnosed {
  const { lastLost } = owner.keeper;
  const { config } = owner;
  const hold = owner.keeper.holdOf(config.name);
  const found = owner instanceof FabricLink;
  const counts = found ? undefined : lastLost?.history;
  const strict = needsPolicies(found ? {} : { configured: owner.config }, isExternal(speaker, config));
  return {
    ...(found ? unheardPlace(owner) : configuredPlace(owner.config)),
    ...configView(config, strict),
    ...negotiatedView(undefined),
    state: 'idle',
    reason: hold?.reason ?? owner.reason ?? 'no router advertisement heard on this interface yet',
    uptimeMs: null,
    ...NO_ROUTES,
    security: securityView(config, undefined),
    addPath: addPathViews(config, undefined),
    prefixLimits: limitViews(config, () => 0),
    hold: holdView(hold, clock),
    attempts: counts?.attempts ?? 0,
    establishedCount: counts?.establishedCount ?? 0,
    lastDown: lastLost?.history.lastDown
      ? downView(lastLost.history.lastDown, clock.now() - lastLost.history.lastDownAt)
      : null,
    lastFailure: null,
    retryInMs: null,
    messages: { sent: NO_MESSAGES, received: NO_MESSAGES },
    bfd: null,
  };
}

function unheardPlace({ config, linkLocal }: FabricLink) {
  return {
    ...FOUND,
    name: config.name,
    interface: config.name,
    address: null,
    localAddress: linkLocal ? formatAddress(linkLocal) : null,
  };
}

function configuredPlace(config: NeighbourConfig) {
  const { name, address, description, group, multihop, passive, source, interfaceName } = config;
  return {
    name,
    configured: true,
    description: description ?? null,
    group: group ?? null,
    hops: multihop ?? null,
    passive: passive ?? false,
    unoffered: [],
    interface: interfaceName ?? '',
    address: formatAddress(address),
    localAddress: source ? formatAddress(source) : null,
  };
}

/** What there is to say of a neighbour that no configuration names. */
const FOUND = { configured: false, description: null, group: null, hops: null, passive: false, unoffered: [] };

interface SessionContext {
  readonly speaker: Speaker;
  readonly clock: Clock;
  readonly whole: boolean;
  readonly hold: Hold | undefined;
}

function sessionView({ speaker, clock, hold, whole }: SessionContext, neighbour: Neighbour): Undiagnosed {
  const { state, attempts, establishedCount, lastDown, lastFailure, negotiated } = neighbour.summary();
  const established = state === 'established';
  const external = negotiated
    ? negotiated.remoteAs !== negotiated.localOpen.asn
    : isExternal(speaker, neighbour.place.config);
  const { place, counters } = neighbour;
  return {
    ...placeView(speaker, neighbour),
    ...configView(place.config, needsPolicies(place, external)),
    ...negotiatedView(negotiated),
    state,
    reason: established ? null : (hold?.reason ?? lastDown?.message ?? 'not tried yet'),
    uptimeMs: established ? clock.now() - neighbour.changedAt : null,
    ...routeFacts(speaker, neighbour, { clock, whole }),
    security: securityView(place.config, neighbour.hopLimit),
    addPath: addPathViews(place.config, negotiated),
    prefixLimits: limitViews(place.config, (family) => speaker.engine.prefixCount(neighbour, family)),
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

function placeView({ config: { families } }: Speaker, { name, address, place }: Neighbour) {
  const { configured } = place;
  return {
    ...(configured ? configuredPlace(configured) : FOUND),
    name,
    unoffered: (configured?.families ?? families).filter((family) => !place.families.includes(family)),
    interface: place.interfaceName,
    address: formatAddress(address),
    localAddress: formatAddress(place.local),
  };
}

/** `strict`: without policies no routes flow (RFC 8212). */
function configView(config: SessionConfig, strict: boolean) {
  const { acceptRemoteAs, colour, importPolicy = [], exportPolicy = [] } = config;
  const names = (chain: PolicyChain) => chain.map((policy) => policy.name);
  const missing = missingPolicies(strict, { import: importPolicy, export: exportPolicy });
  return {
    acceptRemoteAs: acceptRemoteAs.map(formatAsRule),
    colour: colour ?? null,
    options: optionViews(config),
    policies: { import: names(importPolicy), export: names(exportPolicy), missing },
  };
}

function isExternal({ config }: Speaker, { acceptRemoteAs, options }: SessionConfig): boolean {
  return !acceptsOnlyOwn(acceptRemoteAs, options?.localAs?.asn ?? config.asn);
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
  { gtsm = 'auto', password, authenticationKey }: SessionConfig,
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

function limitViews({ prefixLimits }: SessionConfig, received: (family: Family) => number): Neighbor['prefixLimits'] {
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
