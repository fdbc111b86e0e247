/**
 * What became of the paths of one peer, counted: those that are not eligible by reason, and those that are stale. Only for `show`:
 * it walks every prefix.
 */
import { rejectionText } from '../policy/session-policy.js';
import { takenAttributes } from '../policy/taken-attributes.js';
import type { AttributeTable } from '../route/attribute-table.js';
import type { PathAttributes } from '../wire/bgp/path-attributes.js';
import { hiddenText, REJECTED } from './eligibility.js';
import { ATTRIBUTE, HIDDEN_MASK, HIDDEN_SHIFT, NEXT, PATH_WORDS, PEER_MASK, WORD } from './path-store.js';
import type { PeerTable } from './peer-table.js';
import { HEAD, RECORD_WORDS } from './prefix-table.js';
import { type ReasonCount, ReasonCounts } from './reason-counts.js';
import type { RouteStore } from './route-store.js';
import type { PeerIndex, PrefixId } from './types.js';

export interface PeerCensus {
  readonly hidden: readonly ReasonCount[];
  readonly stale: number;
}

export interface CensusParts {
  readonly attributes: AttributeTable;
  readonly peers: PeerTable;
  readonly store: RouteStore;
}

export function peerCensus(parts: CensusParts, peer: PeerIndex): PeerCensus {
  const { prefixes, paths } = parts.store;
  const hidden = new ReasonCounts();
  const reasonOf = remembering(parts, peer);
  let stale = 0;
  for (let id = 0; id < prefixes.end; id++) {
    if (!prefixes.isUsed(id)) continue;
    for (let next = prefixes.records[id * RECORD_WORDS + HEAD]!; next !== 0; ) {
      const base = (next - 1) * PATH_WORDS;
      const word = paths.nodes[base + WORD]!;
      next = paths.nodes[base + NEXT]!;
      if ((word & PEER_MASK) !== peer) continue;
      if (parts.store.isStale(id, base)) stale++;
      if (word & HIDDEN_MASK) hidden.add(reasonOf(id, base));
    }
  }
  return { hidden: hidden.list(), stale };
}

/** Paths with the same attributes are hidden for the same reason, unless a policy looks at prefixes. */
function remembering(parts: CensusParts, peer: PeerIndex): (id: PrefixId, base: number) => string {
  const { nodes } = parts.store.paths;
  const looksAtPrefix = parts.peers.info(peer)?.importPolicy?.looksAtPrefix ?? false;
  const known = new Map<string, string>();
  return (id, base) => {
    const key = `${nodes[base + WORD]! & HIDDEN_MASK}/${nodes[base + ATTRIBUTE]!}`;
    const reason = known.get(key) ?? hiddenPathReason(parts, id, base) ?? 'not eligible';
    if (!looksAtPrefix) known.set(key, reason);
    return reason;
  };
}

/** `undefined` for a path that is eligible. */
export function hiddenPathReason({ attributes, peers, store }: CensusParts, id: PrefixId, base: number) {
  const word = store.paths.nodes[base + WORD]!;
  const code = (word & HIDDEN_MASK) >>> HIDDEN_SHIFT;
  const peer = word & PEER_MASK;
  const given = attributes.attributes(store.paths.nodes[base + ATTRIBUTE]!);
  return code === REJECTED
    ? rejection({ peers, store }, { id, peer, given })
    : hiddenText(code, given, peers.info(peer));
}

/** A rejected path has what was received, so asking its policy once more says why. */
function rejection(
  { peers, store }: Pick<CensusParts, 'peers' | 'store'>,
  path: { readonly id: PrefixId; readonly peer: PeerIndex; readonly given: PathAttributes },
): string {
  const info = peers.info(path.peer);
  const policy = info?.importPolicy;
  const taken = takenAttributes(path.given, info?.options);
  const verdict = policy?.evaluate(taken, policy.hits(store.prefixes.prefixOf(path.id)));
  if (!policy || !verdict || policy.accepts(verdict)) return 'its import policy changed and is yet to be asked again';
  return rejectionText(policy.rejection(verdict));
}
