/** How fast UPDATE bytes become best paths: split, intern, insert, decide. */
import { Rib } from '../core/rib/rib.js';
import type { PeerIndex } from '../core/rib/types.js';
import { type Feed, generateFeed, linkLocal } from './generate.js';
import { octetsInUse } from './octets-in-use.js';

export interface ReceiveLoad {
  readonly name: string;
  readonly peers: number;
  /** Prefixes that every peer announces. */
  readonly prefixes: number;
  readonly prefixesPerUpdate: number;
}

export interface ReceiveResult {
  readonly routes: number;
  readonly milliseconds: number;
  readonly octetsPerPath: number;
}

const ATTRIBUTE_SETS = 64;
/** UPDATEs between two slices of decisions, about what one socket read holds. */
const UPDATES_PER_SLICE = 64;

export function measureReceive(load: ReceiveLoad): ReceiveResult {
  const rib = new Rib({ localAs: 64512 });
  const feeds = Array.from({ length: load.peers }, (_, i) => ({
    peer: addPeer(rib, i + 1),
    feed: generateFeed({ ...load, sender: i + 1, attributeSets: ATTRIBUTE_SETS }),
  }));
  const before = octetsInUse();
  const started = performance.now();
  const updates = feeds[0]!.feed.ends.length;
  for (let at = 0; at < updates; at += UPDATES_PER_SLICE) {
    for (const { peer, feed } of feeds) receiveSome(rib, peer, feed, at);
    while (rib.decide(() => false));
  }
  const milliseconds = performance.now() - started;
  const routes = rib.totals().paths;
  if (rib.totals().accepted !== load.peers * load.prefixes) throw new Error('the benchmark lost routes');
  const octetsPerPath = (octetsInUse() - before) / routes;
  if (feeds.length !== load.peers) throw new Error('the feeds must outlive the measurement');
  return { routes, milliseconds, octetsPerPath };
}

/** The view of each body is made here, as the framer does it. */
function receiveSome(rib: Rib, peer: PeerIndex, feed: Feed, from: number): void {
  const to = Math.min(from + UPDATES_PER_SLICE, feed.ends.length);
  for (let i = from; i < to; i++) {
    const error = rib.receiveUpdate(peer, feed.octets.subarray(i === 0 ? 0 : feed.ends[i - 1]!, feed.ends[i]!));
    if (error) throw new Error(`the benchmark's own UPDATE was refused: ${JSON.stringify(error)}`);
  }
}

function addPeer(rib: Rib, sender: number): PeerIndex {
  return rib.addPeer({
    name: `peer${sender}`,
    address: Uint8Array.from(linkLocal(sender)),
    localAddress: Uint8Array.from(linkLocal(0)),
    interfaceIndex: sender,
    interfaceName: `eth${sender}`,
    asn: 65000 + sender,
    identifier: sender,
    external: true,
    families: ['ipv6-unicast'],
    context: { fourOctetAs: true, addPath: [], externalPeer: true, aigp: true },
  });
}
