/**
 * One collective operation of a group of hosts, message by message, as NCCL's rings and exchanges go: who sends what next follows from
 * `core/rlb/collective.ts`, the one that real jobs are sent with. ReduceScatter is the first half of a ring AllReduce, AllGather the second: in steps and
 * octets they are the same. A rank goes on when it has what the step before brings.
 */
import { type Bandwidth, bandwidthOf } from '../../core/rlb/bus-bandwidth.js';
import { type Collective, collectiveOf, type Send } from '../../core/rlb/collective.js';
import { SimulationInputError } from '../input-error.js';

export const OPERATIONS = ['all-reduce', 'all-gather', 'reduce-scatter', 'all-to-all'] as const;
export type OperationKind = (typeof OPERATIONS)[number];

export interface OperationSettings {
  readonly kind: OperationKind;
  /** Hosts, in the order of ranks. */
  readonly members: readonly number[];
  /** Of the whole buffer of a rank, as NCCL's tests count it. */
  readonly octets: number;
}

const WORD = 4;
const PS_PER_MS = 1e9;

export class GroupOperation {
  private readonly settings: OperationSettings;
  private readonly ranks: readonly Collective[];
  private readonly receipts: number;
  private readonly received: Int32Array;
  private left: number;
  private readonly send: (source: number, destination: number, octets: number, whole: () => void) => void;
  private readonly done: () => void;

  constructor(
    settings: OperationSettings,
    send: (source: number, destination: number, octets: number, whole: () => void) => void,
    done: () => void,
  ) {
    const { kind, members, octets } = settings;
    const count = members.length;
    checkOperation(settings);
    const pattern = kind === 'all-to-all' ? 'all-to-all' : 'all-reduce';
    const words = Math.ceil(octets / WORD);
    this.settings = settings;
    this.ranks = members.map((_, rank) => collectiveOf(pattern, { rank, ranks: count, words, seed: 0 }));
    this.receipts = kind === 'all-reduce' ? 2 * (count - 1) : count - 1;
    this.received = new Int32Array(count);
    this.left = count * this.receipts;
    this.send = send;
    this.done = done;
  }

  start(): void {
    this.ranks.forEach((rank, index) => {
      this.post(index, rank.start());
    });
  }

  private post(rank: number, sends: readonly Send[]): void {
    const { members } = this.settings;
    for (const { to, words } of sends) {
      this.send(members[rank]!, members[to]!, words * WORD, () => this.arrived(to));
    }
  }

  private arrived(rank: number): void {
    const { sends } = this.ranks[rank]!.received(rank);
    const count = this.received[rank]! + 1;
    this.received[rank] = count;
    if (count < this.receipts) this.post(rank, sends);
    if (--this.left === 0) this.done();
  }
}

export function checkOperation({ kind, members, octets }: OperationSettings): void {
  if (members.length < 2) throw new SimulationInputError(`${kind}: two hosts are needed at least`);
  if (new Set(members).size < members.length) throw new SimulationInputError(`${kind}: a host is in the group twice`);
  if (!(octets >= WORD * members.length)) {
    throw new SimulationInputError(`${kind} of ${octets} octets: ${WORD * members.length} are needed at least`);
  }
}

/** What the operation has come to, in so many picoseconds (NCCL's definitions). */
export function operationBandwidth({ kind, members, octets }: OperationSettings, time: number): Bandwidth {
  // AllGather and ReduceScatter have the factor of AllToAll.
  const pattern = kind === 'all-reduce' ? kind : 'all-to-all';
  return bandwidthOf(pattern, members.length, { octets, milliseconds: time / PS_PER_MS });
}
