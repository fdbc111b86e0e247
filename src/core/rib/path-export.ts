/**
 * What the members of an export group are told of one path: its attributes behind the export policy, with the originator that a
 * reflector names (RFC 4456) and the next-next-hop nodes where those are configured; or why they are told nothing.
 */
import type { Family } from '../net/family.js';
import type { ExportContext } from '../policy/export-context.js';
import { withheldReason } from '../policy/withheld-reason.js';
import type { AttributeId } from '../route/attribute-table.js';
import type { PathSelections } from './chosen-paths.js';
import type { ExportCache, ExportTarget } from './export-cache.js';
import type { GroupMember } from './group-member.js';
import type { NextHopsSelf } from './next-hop-self.js';
import { NextNextHops } from './next-next-hops.js';
import { ORIGINATOR_OCTETS, Originators } from './originators.js';
import type { PathIndex } from './path-store.js';
import type { Rib } from './rib.js';
import { routeSource } from './route-source.js';
import type { PeerIndex, PrefixId } from './types.js';

export interface PathExportParts {
  readonly rib: Rib;
  readonly cache: ExportCache;
  readonly context: ExportContext;
  /** Next hops put into shared messages: those of any member. */
  readonly nextHops: NextHopsSelf;
  /** The paths that are told in families with path identifiers (RFC 7911). */
  readonly paths?: { readonly selections: PathSelections } | undefined;
  /** Our BGP identifier when routes say what is behind us (NNHN); the next hop of the group is then that of one session. */
  readonly identifier?: number;
}

export class PathExport {
  readonly #parts: PathExportParts;
  readonly #target: ExportTarget;
  readonly #nextNextHops: NextNextHops;
  readonly #originators: Originators;

  constructor(parts: PathExportParts, target: Omit<ExportTarget, 'context'>) {
    const { rib, context } = parts;
    const maximum = target.maximum - (context.external ? 0 : ORIGINATOR_OCTETS);
    this.#parts = parts;
    this.#target = { ...target, context, maximum };
    this.#nextNextHops = new NextNextHops(rib.attributes);
    this.#originators = new Originators(rib.attributes);
  }

  start(): void {
    this.#parts.cache.start();
  }

  finish(): void {
    this.#parts.cache.finish();
    this.#nextNextHops.finish();
    this.#originators.finish();
  }

  /** In session mode the spine passes on, per colour, the best path of that colour: behind its one best path are others. */
  chosenPath(id: PrefixId): PathIndex | undefined {
    const { rib, context } = this.#parts;
    const { colour, sessionColours } = context;
    return sessionColours && colour !== undefined ? rib.bestPathOf(id, colour) : rib.bestPath(id);
  }

  /** Between `start` and `finish`, and held until that; `undefined` when nothing is told. */
  attribute(id: PrefixId, path: PathIndex, source: PeerIndex): AttributeId | undefined {
    const exported = this.#exported(id, this.#parts.rib.pathAttribute(path), source);
    return this.#described(id, source, this.#reflected(source, exported));
  }

  withheldReason(member: GroupMember, id: PrefixId, path: PathIndex): string {
    const { rib, context } = this.#parts;
    const source = rib.pathPeer(path);
    if (source === member.peer) return 'it came from this neighbour';
    const family: Family = rib.isIpv6(id) ? 'ipv6-unicast' : 'ipv4-unicast';
    if (!member.nextHops[family]) return `the session cannot carry ${family} with our next hop`;
    const hits = context.policy?.hits(rib.prefixOf(id)) ?? '';
    const route = {
      attributes: rib.attributes.attributes(rib.pathAttribute(path)),
      source: routeSource(rib.peer(source)),
      hits,
    };
    return withheldReason(route, context) ?? 'it is not sent yet, or fits in no UPDATE';
  }

  /** RFC 4456 section 8: what goes on inside the AS has an originator. */
  #reflected(source: PeerIndex, exported: AttributeId | undefined): AttributeId | undefined {
    const { rib, context } = this.#parts;
    const peer = rib.peer(source);
    if (exported === undefined || context.external || !peer || peer.external) return exported;
    return this.#originators.named(exported, source, peer.identifier);
  }

  /** With NNHN where that is configured; a next hop that policy set is not ours to describe. */
  #described(id: PrefixId, source: PeerIndex, exported: AttributeId | undefined): AttributeId | undefined {
    const { rib, context, nextHops, identifier, paths } = this.#parts;
    const peer = rib.peer(source);
    if (exported === undefined || identifier === undefined || !peer) return exported;
    if (rib.attributes.attributes(exported).nextHop) return exported;
    const family: Family = rib.isIpv6(id) ? 'ipv6-unicast' : 'ipv4-unicast';
    const restricted = (context.sessionColours && context.colour !== undefined) || paths?.selections[family];
    const nodes = restricted ? [peer.identifier] : rib.primaryIdentifiers(id);
    return this.#nextNextHops.added(exported, family, { identifier, nextHop: nextHops[family]!, nodes });
  }

  #exported(id: PrefixId, attribute: AttributeId, source: PeerIndex): AttributeId | undefined {
    const { rib, cache, nextHops } = this.#parts;
    const family: Family = rib.isIpv6(id) ? 'ipv6-unicast' : 'ipv4-unicast';
    if (!nextHops[family]) return undefined;
    const { policy } = this.#target.context;
    if (!policy?.looksAtPrefix) return cache.exported(attribute, source, this.#target);
    return cache.exportedPrefix(attribute, source, { target: this.#target, hits: policy.hits(rib.prefixOf(id)) });
  }
}
