/**
 * Looks at the kernel beside the work of the FIB, which never waits for it: a dump, compared in slices with what is wanted then. What
 * was written while the dump was on its way is marked as waiting. A link may have gone before we heard of it, so what
 * looks lost is looked at twice, and lost is what was lost both times.
 */
import type { Clock } from '../ports/clock.js';
import type { ForeignObject, KernelOperation, KernelTables, NextHopId } from '../ports/kernel-tables.js';
import { Comparison, type Difference, type DifferenceCause, type FibPicture, routeMark } from './difference.js';
import { prefixKey } from './forwarding-objects.js';

export interface FibComparison {
  /** How many are in the kernel as they are wanted. */
  readonly same: { readonly routes: number; readonly groups: number; readonly nextHops: number };
  readonly differences: readonly Difference[];
}

export interface InspectorOptions {
  readonly tables: KernelTables;
  readonly clock: Clock;
  readonly picture: FibPicture;
  /** Something that was believed to be in the kernel is not, or the other way round. */
  readonly lost: () => void;
  /** All that is foreign and near. */
  readonly found: (foreign: readonly ForeignObject[]) => void;
}

/** Milliseconds between two looks. */
const SECOND_LOOK = 100;

const LOST: ReadonlySet<DifferenceCause> = new Set(['missing', 'other', 'leftover']);

export class Inspector {
  /** What each look under way must not take for lost. */
  private readonly looks = new Set<Set<string | NextHopId>>();
  private unanswered: readonly KernelOperation[] = [];

  constructor(private readonly options: InspectorOptions) {}

  /** To be called with what goes to the kernel, and with nothing when it has answered. */
  sent(operations: readonly KernelOperation[]): void {
    this.unanswered = operations;
    for (const touched of this.looks) mark(touched, operations);
  }

  /** Rejects when the tables do not answer. */
  async inspect(): Promise<FibComparison> {
    const first = await this.look();
    if (!first.differences.some(mayPass)) return first;
    await this.pause(SECOND_LOOK);
    const second = await this.look();
    const before = new Set(first.differences.filter(isLost).map(nameOf));
    const differences = second.differences.map((difference): Difference => {
      return isLost(difference) && !before.has(nameOf(difference)) ? { ...difference, cause: 'waiting' } : difference;
    });
    if (differences.some(isLost)) this.options.lost();
    return { same: second.same, differences };
  }

  private async look(): Promise<FibComparison> {
    const { tables, picture, found } = this.options;
    const touched = new Set<string | NextHopId>();
    mark(touched, this.unanswered);
    this.looks.add(touched);
    try {
      const snapshot = await tables.dump('with-foreign');
      found(snapshot.foreign);
      const comparison = new Comparison(picture, snapshot, touched);
      const differences: Difference[] = [];
      for (const difference of comparison.run()) {
        if (difference) differences.push(difference);
        else await this.turn();
      }
      return { same: comparison.same, differences };
    } finally {
      this.looks.delete(touched);
    }
  }

  private turn(): Promise<void> {
    return new Promise((resolve) => this.options.clock.yield(resolve));
  }

  private pause(milliseconds: number): Promise<void> {
    const { clock } = this.options;
    return new Promise((resolve) => clock.schedule(clock.now() + milliseconds, resolve));
  }
}

function mark(touched: Set<string | NextHopId>, operations: readonly KernelOperation[]): void {
  for (const operation of operations)
    touched.add('id' in operation ? operation.id : routeMark(prefixKey(operation.prefix), operation.metric));
}

function isLost({ cause }: Difference): boolean {
  return LOST.has(cause);
}

/** It may be gone at the next look. */
function mayPass(difference: Difference): boolean {
  return isLost(difference) || difference.cause === 'waiting';
}

function nameOf({ object, prefix, metric = 0, id }: Difference): string {
  return prefix ? routeMark(prefixKey(prefix), metric) : `${object} ${id}`;
}
