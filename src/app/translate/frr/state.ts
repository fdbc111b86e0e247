/** What is known of an FRR configuration while it is read. */
import type { Statement } from '../rules.js';
import { type Draft, emptyDraft, type Settings } from '../translation.js';
import { type Family, Lists } from './lists.js';
import type { PeerDraft } from './neighbours.js';
import type { MapEntry } from './route-maps.js';

export interface FrrInterface {
  readonly name: string;
  /** With the lines that they stand on, which are left when nobody announces them. */
  readonly addresses: { readonly text: string; readonly at: Statement }[];
}

export interface FrrState {
  readonly draft: Draft;
  readonly lists: Lists;
  readonly interfaces: Map<string, FrrInterface>;
  readonly peers: Map<string, PeerDraft>;
  readonly networks: { readonly family: Family; readonly prefix: string }[];
  readonly maps: MapEntry[];
  readonly profiles: Map<string, Settings>;
  readonly raIntervals: number[];
  /** As `frr defaults` says. */
  datacenter: boolean;
  ipv4ByDefault: boolean;
  requiresPolicy: boolean;
  /** Of the block that is being read. */
  block: Block;
}

export type Block =
  | { readonly kind: 'top' }
  | { readonly kind: 'interface'; readonly link: FrrInterface; at: Statement }
  | { readonly kind: 'bgp'; readonly family?: Family }
  | { readonly kind: 'map'; readonly entry: MapEntry }
  | { readonly kind: 'bfd'; readonly profile?: Settings }
  /** Of no interest, with the reason. */
  | { readonly kind: 'foreign'; readonly why: string };

export function newState(): FrrState {
  const draft = emptyDraft();
  return {
    draft,
    lists: new Lists(draft),
    interfaces: new Map(),
    peers: new Map(),
    networks: [],
    maps: [],
    profiles: new Map(),
    raIntervals: [],
    datacenter: false,
    ipv4ByDefault: true,
    requiresPolicy: true,
    block: { kind: 'top' },
  };
}
