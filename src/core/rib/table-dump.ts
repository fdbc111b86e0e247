/**
 * The routes of the RIB as an MRT table dump (RFC 6396 section 4.3): every path that a peer announced and every route of our
 * own, record by record, so that whoever takes the records sets the pace. A table that changes meanwhile is dumped as each
 * prefix is found; a peer that comes up meanwhile is left out.
 */
import type { Address } from '../net/address.js';
import type { AsNumber } from '../net/as-number.js';
import type { Family } from '../net/family.js';
import type { PathAttributes } from '../wire/bgp/path-attributes.js';
import { encodeMrtRecord, MRT_TYPE } from '../wire/mrt/mrt-record.js';
import { encodeEntryAttributes } from '../wire/mrt/rib-entry.js';
import {
  type DumpedPeer,
  encodePeerIndexTable,
  encodeRib,
  type RibEntry,
  ribSubtype,
  TABLE_DUMP_SUBTYPE,
} from '../wire/mrt/table-dump.js';
import type { Rib } from './rib.js';
import { LOCAL_PEER, type PathView, type PeerIndex, type PrefixId } from './types.js';

export interface TableDumpOptions {
  readonly name: string;
  readonly identifier: number;
  readonly asn: AsNumber;
  readonly families: readonly Family[];
  /** Microseconds since 1970. */
  readonly now: number;
  /** Seconds since 1970 of a moment of the RIB's clock. */
  readonly wallTime: (moment: number) => number;
}

/** Entry 0 of the table of peers stands for the router itself, with no address, as in the dumps of FRR. */
const LOCAL_ADDRESS: Address = new Uint8Array(4);

export function* tableDump(rib: Rib, options: TableDumpOptions): Generator<Uint8Array> {
  const { families, now } = options;
  const peers = indexPeers(rib, options);
  const record = (subtype: number, body: Uint8Array) =>
    encodeMrtRecord({ time: now, type: MRT_TYPE.tableDumpV2, subtype, body });
  const dumped = [...peers.values()].map((peer) => peer.dumped);
  const table = { collector: options.identifier, viewName: options.name, peers: dumped };
  yield record(TABLE_DUMP_SUBTYPE.peerIndexTable, encodePeerIndexTable(table));
  const encoder = new EntryEncoder(rib, peers, options);
  let sequence = 0;
  for (const family of families) {
    for (const id of rib.prefixIds()) {
      if (rib.isIpv6(id) !== (family === 'ipv6-unicast')) continue;
      const { entries, addPath } = encoder.entries(id, family);
      if (entries.length === 0) continue;
      const routes = { sequence: sequence++, family, addPath, prefix: rib.prefixOf(id), entries };
      yield record(ribSubtype(family, addPath), encodeRib(routes));
    }
  }
}

interface IndexedPeer {
  readonly position: number;
  readonly dumped: DumpedPeer;
  readonly addPath: readonly Family[];
}

function indexPeers(rib: Rib, { identifier, asn }: TableDumpOptions): ReadonlyMap<PeerIndex, IndexedPeer> {
  const local = { position: 0, dumped: { identifier, address: LOCAL_ADDRESS, asn }, addPath: [] };
  const peers = new Map<PeerIndex, IndexedPeer>([[LOCAL_PEER, local]]);
  for (const peer of rib.peers()) {
    const info = rib.peer(peer)!;
    const dumped = { identifier: info.identifier, address: info.address, asn: info.asn };
    peers.set(peer, { position: peers.size, dumped, addPath: info.context.addPath });
  }
  return peers;
}

class EntryEncoder {
  /** Sets of attributes are shared by many routes, and interned: the same value every time. */
  private readonly encoded = new WeakMap<PathAttributes, { readonly family: Family; readonly bytes: Uint8Array }>();

  constructor(
    private readonly rib: Rib,
    private readonly peers: ReadonlyMap<PeerIndex, IndexedPeer>,
    private readonly options: TableDumpOptions,
  ) {}

  entries(id: PrefixId, family: Family): { readonly entries: RibEntry[]; readonly addPath: boolean } {
    const paths = this.rib.explain(id).paths.filter((path) => this.indexOf(path) !== undefined);
    const addPath = paths.some((path) => this.indexOf(path)!.addPath.includes(family));
    const entries = paths.map((path) => ({
      peer: this.indexOf(path)!.position,
      originated: this.options.wallTime(path.changedAt),
      ...(addPath && { pathId: path.pathId }),
      attributes: this.attributes(path.attributes, family),
    }));
    return { entries, addPath };
  }

  /** `undefined` for a peer that came after the table of peers, perhaps in the place of one that went. */
  private indexOf({ peer }: PathView): IndexedPeer | undefined {
    const indexed = this.peers.get(peer);
    if (!indexed || peer === LOCAL_PEER) return indexed;
    return this.rib.peer(peer)?.identifier === indexed.dumped.identifier ? indexed : undefined;
  }

  private attributes(attributes: PathAttributes, family: Family): Uint8Array {
    const known = this.encoded.get(attributes);
    if (known?.family === family) return known.bytes;
    const bytes = encodeEntryAttributes(attributes, family);
    this.encoded.set(attributes, { family, bytes });
    return bytes;
  }
}
