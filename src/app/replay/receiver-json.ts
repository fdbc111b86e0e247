/** What each receiver chose, as JSON. */
import { formatAddress } from '../../core/net/address.js';
import { formatPrefix } from '../../core/net/prefix.js';
import { pathReason } from '../../core/rib/path-reason.js';
import type { ExplainedPath, PathView } from '../../core/rib/types.js';
import { formatAttributes } from '../../core/wire/bgp/format.js';
import type { JsonObject } from './message-json.js';
import type { PrefixOutcome, Receiver, When } from './receivers.js';

export function receiverJson({ host, sessions, outcomes }: Receiver, files: readonly string[]): JsonObject {
  return {
    name: host.name,
    as: host.asn === 0 ? null : host.asn,
    hostname: host.hostname ?? null,
    addresses: [...host.addresses],
    sessions,
    prefixes: outcomes.map((outcome) => outcomeJson(outcome, files)),
  };
}

function outcomeJson({ selection, explanation, since, gone }: PrefixOutcome, files: readonly string[]): JsonObject {
  const { prefix, best, colour, origin, primary, fallback } = selection;
  return {
    prefix: formatPrefix(prefix),
    colour: colour ?? null,
    origin: best ? origin : null,
    decidedBy: best ? selection.decidedBy : null,
    aigp: best?.attributes.aigp?.metric.toString() ?? null,
    primary: primary.map(hopJson),
    fallback: fallback.map(hopJson),
    since: since ? whenJson(since, files) : null,
    gone: gone ? whenJson(gone, files) : null,
    paths: explanation.paths.map(pathJson),
  };
}

function hopJson({ peerName, gateway }: PathView): JsonObject {
  return { peer: peerName, gateway: gateway ? formatAddress(gateway) : null };
}

function pathJson(path: ExplainedPath): JsonObject {
  return {
    ...hopJson(path),
    localAddress: path.interfaceName,
    pathId: path.pathId === 0 ? null : path.pathId,
    status: path.status,
    lostAt: path.lostAt ?? null,
    reason: pathReason(path),
    attributes: formatAttributes(path.attributes),
  };
}

function whenJson({ capture, frame }: When, files: readonly string[]): JsonObject {
  return { file: files[capture] ?? null, frame };
}
