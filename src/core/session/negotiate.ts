/**
 * What two OPENs together allow, as a pure function: the judging step after framing and decoding (RFC 4271 section 6.2,
 * RFC 5492, 6286, 6793). A refusal is the NOTIFICATION to answer with.
 */
import { AS_TRANS, acceptsAs, formatAsRule } from '../net/as-number.js';
import { AFI, FAMILIES, type Family, familyOf, SAFI_UNICAST } from '../net/family.js';
import { encodeCapability } from '../wire/bgp/capabilities/capability-table.js';
import type { AddPathFamily, Capability, MessageError, OpenMessage } from '../wire/bgp/message.js';
import { ERROR_CODE, messageError } from '../wire/bgp/message-error.js';
import { concat, octets16, octets32 } from '../wire/bgp/octets.js';
import { openAsField } from '../wire/bgp/open.js';
import { agreedRestart } from './graceful-restart.js';
import type { Negotiated, PeerConfig } from './types.js';

const BAD_PEER_AS = 2;
const BAD_IDENTIFIER = 3;
const UNSUPPORTED_CAPABILITY = 7;

const ADD_PATH_RECEIVE = 1;
const ADD_PATH_SEND = 2;

type CapabilityOf<Kind extends Capability['kind']> = Extract<Capability, { kind: Kind }>;

/** The OPEN that a peer with this configuration sends. */
export function localOpen(config: PeerConfig): OpenMessage {
  return {
    kind: 'open',
    version: 4,
    asn: config.localAs,
    asField: openAsField(config.localAs),
    holdTime: config.holdTime,
    identifier: config.identifier,
    capabilities: [
      ...config.families.map((family): Capability => ({ kind: 'multiprotocol', afi: AFI[family], safi: SAFI_UNICAST })),
      ...(config.fourOctetAs === false ? [] : [{ kind: 'four-octet-as' as const, asn: config.localAs }]),
      ...config.capabilities,
    ],
  };
}

/** `kind: 'error'` tells a refusal from an agreement, which has no `kind`. */
export function negotiate(
  local: OpenMessage,
  remote: OpenMessage,
  config: Pick<PeerConfig, 'acceptRemoteAs'>,
): Negotiated | MessageError {
  const fault = judgeAs(local, remote, config) ?? judgeIdentifier(local, remote);
  if (fault) return fault;
  const families = openFamilies(local).filter((family) => openFamilies(remote).includes(family));
  if (families.length === 0) return noCommonFamily(local, remote);
  const holdTime = Math.min(local.holdTime, remote.holdTime);
  const both = (kind: Capability['kind']) => has(local, kind) && has(remote, kind);
  return {
    remoteAs: remote.asn,
    remoteIdentifier: remote.identifier,
    holdTime,
    keepaliveTime: holdTime / 3,
    fourOctetAs: both('four-octet-as'),
    families,
    extendedNextHop: families.filter((family) => takesIpv6NextHop(local, family) && takesIpv6NextHop(remote, family)),
    addPathReceive: families.filter((f) => addPath(local, f, ADD_PATH_RECEIVE) && addPath(remote, f, ADD_PATH_SEND)),
    addPathSend: families.filter((f) => addPath(local, f, ADD_PATH_SEND) && addPath(remote, f, ADD_PATH_RECEIVE)),
    extendedMessage: both('extended-message'),
    routeRefresh: both('route-refresh'),
    enhancedRouteRefresh: both('enhanced-route-refresh'),
    linkLocalNextHop: both('link-local-next-hop'),
    strictBfd: both('strict-bfd'),
    gracefulRestart: agreedRestart(local, remote, families),
    localOpen: local,
    remoteOpen: remote,
  };
}

function judgeAs(
  local: OpenMessage,
  remote: OpenMessage,
  config: Pick<PeerConfig, 'acceptRemoteAs'>,
): MessageError | undefined {
  const asn = remote.asn > 0xffff ? octets32(remote.asn) : octets16(remote.asn);
  const refuse = (reason: string) => messageError(ERROR_CODE.open, BAD_PEER_AS, reason, asn);
  // RFC 6793 section 9: it stands for a number that does not fit, and is nobody's.
  if (remote.asn === AS_TRANS) return refuse(`the neighbour says its AS is ${AS_TRANS} (AS_TRANS), without a real one`);
  if (remote.asField !== AS_TRANS && remote.asField !== remote.asn) {
    return refuse(
      `the neighbour contradicts itself: AS ${remote.asField} in the OPEN, AS ${remote.asn} in its 4-octet AS capability`,
    );
  }
  if (acceptsAs(config.acceptRemoteAs, remote.asn, local.asn)) return undefined;
  const accepted = config.acceptRemoteAs.map(formatAsRule).join(', ') || 'none';
  return refuse(`the neighbour is in AS ${remote.asn}, which is not accepted here (accepted: ${accepted})`);
}

/** RFC 6286 section 2.2: only inside one AS must identifiers differ. */
function judgeIdentifier(local: OpenMessage, remote: OpenMessage): MessageError | undefined {
  if (remote.identifier === local.identifier && remote.asn === local.asn) {
    return messageError(
      ERROR_CODE.open,
      BAD_IDENTIFIER,
      `duplicate router-id: the neighbour has our identifier and our AS ${local.asn} (or this link leads back to us)`,
    );
  }
  return undefined;
}

/** RFC 5492 section 5: the data field lists what was missing. */
function noCommonFamily(local: OpenMessage, remote: OpenMessage): MessageError {
  const theirs = openFamilies(remote).join(', ') || 'none that we know';
  const ours = openFamilies(local).join(', ');
  return messageError(
    ERROR_CODE.open,
    UNSUPPORTED_CAPABILITY,
    `no common address family: the neighbour carries ${theirs}, we ${ours}`,
    concat(all(local, 'multiprotocol').map(encodeCapability)),
  );
}

/** RFC 4760 section 8: an OPEN without the capability means IPv4 unicast. */
function openFamilies(open: OpenMessage): readonly Family[] {
  const announced = all(open, 'multiprotocol');
  if (announced.length === 0) return ['ipv4-unicast'];
  return FAMILIES.filter((family) => announced.some(({ afi, safi }) => familyOf(afi, safi) === family));
}

/** RFC 8950 section 4. */
function takesIpv6NextHop(open: OpenMessage, family: Family): boolean {
  return all(open, 'extended-next-hop').some(({ entries }) =>
    entries.some(({ afi, safi, nextHopAfi }) => familyOf(afi, safi) === family && nextHopAfi === AFI['ipv6-unicast']),
  );
}

/** RFC 7911 section 4: the two directions are agreed separately. */
function addPath(open: OpenMessage, family: Family, direction: number): boolean {
  const agrees = ({ afi, safi, mode }: AddPathFamily) => familyOf(afi, safi) === family && (mode & direction) !== 0;
  return all(open, 'add-path').some(({ families }) => families.some(agrees));
}

function all<Kind extends Capability['kind']>(open: OpenMessage, kind: Kind): readonly CapabilityOf<Kind>[] {
  return open.capabilities.filter((capability): capability is CapabilityOf<Kind> => capability.kind === kind);
}

function has(open: OpenMessage, kind: Capability['kind']): boolean {
  return open.capabilities.some((capability) => capability.kind === kind);
}
