/**
 * The AS_PATH that an external neighbour is told: private numbers out of it (RFC 6996 section 5), its own number replaced where
 * sites share one, then our AS in front (RFC 4271 section 5.1.2), or the one we have towards this neighbour (RFC 7705 section 3).
 */
import type { AsNumber } from '../net/as-number.js';
import type { AsPathSegment } from '../wire/bgp/path-attributes.js';
import type { ExportContext } from './export-context.js';
import { prepended } from './prepend.js';
import type { PrivateAsRemoval } from './session-options.js';

type AsPath = readonly AsPathSegment[];

/** RFC 6996 section 5. */
export function isPrivateAs(asn: AsNumber): boolean {
  return (asn >= 64_512 && asn <= 65_534) || (asn >= 4_200_000_000 && asn <= 4_294_967_294);
}

/** What goes behind our own AS, and what a policy sees. */
export function pathForNeighbour(path: AsPath, context: ExportContext): AsPath {
  const { removePrivateAs, asOverride } = context.options ?? {};
  const cleaned = removePrivateAs ? withoutPrivate(path, removePrivateAs, context) : path;
  return asOverride ? mapped(cleaned, (asn) => (asn === context.remoteAs ? sessionAs(context) : asn)) : cleaned;
}

/** RFC 7705 section 3.3: the AS of the session stands before our own, or instead of it. */
export function withOwnAs(path: AsPath, context: ExportContext): AsPath {
  const localAs = context.options?.localAs;
  if (!localAs) return prepended(path, context.localAs);
  return prepended(localAs.replaceAs ? path : prepended(path, context.localAs), localAs.asn);
}

function sessionAs({ options, localAs }: ExportContext): AsNumber {
  return options?.localAs?.asn ?? localAs;
}

/** The neighbour's own number stays, so that it sees its loops. */
function withoutPrivate(path: AsPath, how: PrivateAsRemoval, context: ExportContext): AsPath {
  if (how === 'private-paths' && !path.every(({ asns }) => asns.every(isPrivateAs))) return path;
  const goes = (asn: AsNumber) => isPrivateAs(asn) && asn !== context.remoteAs;
  return mapped(path, (asn) => (goes(asn) ? (how === 'replace' ? sessionAs(context) : undefined) : asn));
}

/** The same path when nothing changes; a segment that lost all its numbers goes. */
function mapped(path: AsPath, change: (asn: AsNumber) => AsNumber | undefined): AsPath {
  if (path.every(({ asns }) => asns.every((asn) => change(asn) === asn))) return path;
  return path.flatMap(({ kind, asns }) => {
    const changed = asns.map(change).filter((asn) => asn !== undefined);
    return changed.length > 0 ? [{ kind, asns: changed }] : [];
  });
}
