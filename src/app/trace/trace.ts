/** `heddle trace`: one subflow followed and confirmed, as one value. */
import type { Lab } from '../lab/lab.js';
import { confirm } from './confirm.js';
import { follow, type TraceHop } from './follow.js';
import type { HopCount } from './judge.js';
import type { FlowTuple } from './lookup.js';

/** A subflow to follow. */
export interface Subflow {
  readonly from: string;
  readonly to: string;
  /** Of the plan; null for one that is none of the plan's. */
  readonly queuePair: number | null;
  readonly colour: number | null;
  readonly flow: FlowTuple;
}

export interface Trace extends Subflow {
  readonly hops: readonly (TraceHop & HopCount)[];
  /** Why the way of the lookups ends before the destination. */
  readonly problem: string | null;
  readonly datagrams: number;
  readonly arrived: number;
  /** The lookups lead to the destination, and the counters say that the burst went that way. */
  readonly confirmed: boolean;
  readonly differences: readonly string[];
}

export async function traceSubflow(lab: Lab, subflow: Subflow): Promise<Trace> {
  const followed = await follow(lab, subflow.flow, subflow);
  const { hops, ...burst } = await confirm(lab, subflow.flow, subflow, followed);
  return {
    ...subflow,
    ...burst,
    problem: followed.problem,
    hops: followed.hops.map((hop, index) => ({ ...hop, ...hops[index]! })),
  };
}
