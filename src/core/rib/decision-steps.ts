/**
 * The steps of the decision process, in order (RFC 4271 section 9.1.2.2, RFC 7311 section 4.1). Each gives every candidate a
 * key; the candidates with the lowest key go on. A step sees the whole set that is left, never a pair, so the outcome does not
 * depend on the order in which the paths arrived.
 */
import { compareBytes } from '../net/address.js';
import type { AttributeId } from '../route/attribute-table.js';
import { HAS_AIGP, HAS_ORIGINATOR, LONG_LIVED_STALE, type PreferenceColumns } from '../route/preference.js';
import type { Candidates } from './candidates.js';
import type { NextHopTable } from './next-hop-table.js';
import type { PeerTable } from './peer-table.js';
import { type DecisionStepName, LOCAL_PEER, type PeerIndex } from './types.js';

export interface DecisionInputs {
  readonly preference: PreferenceColumns;
  readonly peers: PeerTable;
  readonly nextHops: NextHopTable;
}

/** What it costs to reach the next hop: nothing on a link. */
function costOf({ peers, nextHops }: DecisionInputs, peer: PeerIndex, attribute: AttributeId): number {
  return peers.routed[peer] === 0 ? 0 : nextHops.cost(attribute);
}

export interface DecisionStep {
  readonly name: DecisionStepName;
  /** It would give all candidates the same key. With most steps idle, half of the work of a decision among eight paths is left. */
  readonly isIdle?: (inputs: DecisionInputs) => boolean;
  rank(candidates: Candidates, inputs: DecisionInputs): void;
}

const localOrigin: DecisionStep = {
  name: 'local-origin',
  rank({ keys, peers, count }) {
    for (let i = 0; i < count; i++) keys[i] = peers[i] === LOCAL_PEER ? 0 : 1;
  },
};

/** RFC 9494 section 4.3: a long-lived stale path is used only where there is no other. */
const longLivedStale: DecisionStep = {
  name: 'long-lived-stale',
  isIdle: ({ preference }) => (preference.everFlags & LONG_LIVED_STALE) === 0,
  rank({ keys, attributes, count }, { preference }) {
    for (let i = 0; i < count; i++) keys[i] = preference.flags[attributes[i]!]! & LONG_LIVED_STALE;
  },
};

/** A neighbour that is just back is the last choice until it is known to forward. */
const settling: DecisionStep = {
  name: 'settling',
  isIdle: ({ peers }) => peers.settlingCount === 0,
  rank({ keys, peers, count }, { peers: table }) {
    for (let i = 0; i < count; i++) keys[i] = table.settling[peers[i]!]!;
  },
};

/** RFC 4271 section 9.1.1: the highest degree of preference. */
const localPref: DecisionStep = {
  name: 'local-pref',
  rank({ keys, attributes, count }, { preference }) {
    for (let i = 0; i < count; i++) keys[i] = -preference.localPref[attributes[i]!]!;
  },
};

const OCTETS_4 = 2 ** 32;

function hasNoAigp({ preference }: DecisionInputs): boolean {
  return (preference.everFlags & HAS_AIGP) === 0;
}

/**
 * RFC 7311 section 4.1: if any candidate has AIGP, those without leave; then the lowest AIGP + interior cost. Absent is
 * infinite. The sum has 64 bits, so its halves are two steps of one name.
 */
const aigpHigh: DecisionStep = {
  name: 'aigp',
  isIdle: hasNoAigp,
  rank({ keys, attributes, peers, count }, inputs) {
    const { preference } = inputs;
    for (let i = 0; i < count; i++) {
      const id = attributes[i]!;
      const carry = preference.aigpLow[id]! + costOf(inputs, peers[i]!, id) >= OCTETS_4 ? 1 : 0;
      keys[i] = preference.flags[id]! & HAS_AIGP ? preference.aigpHigh[id]! + carry : Number.POSITIVE_INFINITY;
    }
  },
};

const aigpLow: DecisionStep = {
  name: 'aigp',
  isIdle: hasNoAigp,
  rank({ keys, attributes, peers, count }, inputs) {
    const { preference } = inputs;
    for (let i = 0; i < count; i++) {
      const id = attributes[i]!;
      const low = (preference.aigpLow[id]! + costOf(inputs, peers[i]!, id)) % OCTETS_4;
      keys[i] = preference.flags[id]! & HAS_AIGP ? low : Number.POSITIVE_INFINITY;
    }
  },
};

/** RFC 4271 section 9.1.2.2 a. Paths of the same length stay equal, whatever ASes are in them (multipath relax, RFC 7938). */
const asPathLength: DecisionStep = {
  name: 'as-path-length',
  rank({ keys, attributes, count }, { preference }) {
    for (let i = 0; i < count; i++) keys[i] = preference.asPathLength[attributes[i]!]!;
  },
};

/** Section 9.1.2.2 b. */
const origin: DecisionStep = {
  name: 'origin',
  rank({ keys, attributes, count }, { preference }) {
    for (let i = 0; i < count; i++) keys[i] = preference.origin[attributes[i]!]!;
  },
};

/** Section 9.1.2.2 c: comparable only between paths from the same neighbouring AS. */
const med: DecisionStep = {
  name: 'med',
  isIdle: ({ preference }) => !preference.everMed,
  rank({ keys, attributes, count }, { preference }) {
    for (let i = 0; i < count; i++) {
      const own = attributes[i]!;
      keys[i] = 0;
      for (let j = 0; j < count; j++) {
        const other = attributes[j]!;
        if (preference.neighbourAs[other] !== preference.neighbourAs[own]) continue;
        if (preference.med[other]! < preference.med[own]!) keys[i] = 1;
      }
    }
  },
};

/** Section 9.1.2.2 d. */
const external: DecisionStep = {
  name: 'external',
  rank({ keys, peers, count }, { peers: table }) {
    for (let i = 0; i < count; i++) keys[i] = 1 - table.external[peers[i]!]!;
  },
};

/** Section 9.1.2.2 e. */
const interiorCost: DecisionStep = {
  name: 'interior-cost',
  isIdle: ({ peers }) => !peers.everRouted,
  rank({ keys, attributes, peers, count }, inputs) {
    for (let i = 0; i < count; i++) keys[i] = costOf(inputs, peers[i]!, attributes[i]!);
  },
};

/** Section 9.1.2.2 f; of a reflected route it is the originator's (RFC 4456 section 9). */
const routerId: DecisionStep = {
  name: 'router-id',
  rank({ keys, attributes, peers, count }, { preference, peers: table }) {
    for (let i = 0; i < count; i++) {
      const id = attributes[i]!;
      const reflected = preference.flags[id]! & HAS_ORIGINATOR;
      keys[i] = reflected ? preference.originatorId[id]! : table.identifier[peers[i]!]!;
    }
  },
};

/** RFC 4456 section 9, between f and g. */
const clusterList: DecisionStep = {
  name: 'cluster-list-length',
  rank({ keys, attributes, count }, { preference }) {
    for (let i = 0; i < count; i++) keys[i] = preference.clusterListLength[attributes[i]!]!;
  },
};

/** Section 9.1.2.2 g. */
const peerAddress: DecisionStep = {
  name: 'peer-address',
  rank({ keys, peers, count }, { peers: table }) {
    const address = (i: number) => table.info(peers[i]!)?.address ?? new Uint8Array(0);
    let lowest = address(0);
    for (let i = 1; i < count; i++) if (compareBytes(address(i), lowest) < 0) lowest = address(i);
    for (let i = 0; i < count; i++) keys[i] = compareBytes(address(i), lowest) === 0 ? 0 : 1;
  },
};

/** Link-local addresses repeat: the same router on two links may use one address. */
const interfaceIndex: DecisionStep = {
  name: 'interface',
  rank({ keys, peers, count }, { peers: table }) {
    for (let i = 0; i < count; i++) keys[i] = table.interfaceIndex[peers[i]!]!;
  },
};

/** RFC 7911: several paths of one session. */
const pathId: DecisionStep = {
  name: 'path-id',
  rank({ keys, pathIds, count }) {
    for (let i = 0; i < count; i++) keys[i] = pathIds[i]!;
  },
};

/** What is left after these is the multipath set. */
export const SELECTION_STEPS: readonly DecisionStep[] = [
  localOrigin,
  longLivedStale,
  settling,
  localPref,
  aigpHigh,
  aigpLow,
  asPathLength,
  origin,
  med,
  external,
  interiorCost,
];

/** Which of the multipath set is the best path, the one that is advertised. */
export const TIE_BREAK_STEPS: readonly DecisionStep[] = [routerId, clusterList, peerAddress, interfaceIndex, pathId];

export const FALLBACK_STEPS: readonly DecisionStep[] = SELECTION_STEPS.filter((step) => step.name !== 'aigp');

/** Step codes as stored with paths and prefixes: index in this list. */
export const STEP_NAMES: readonly DecisionStepName[] = [
  'no-path',
  'only-path',
  ...SELECTION_STEPS.map((step) => step.name),
  ...TIE_BREAK_STEPS.map((step) => step.name),
];

export const NO_PATH = 0;
export const ONLY_PATH = 1;
export const FIRST_STEP = 2;
