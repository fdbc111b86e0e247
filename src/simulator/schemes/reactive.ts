/**
 * Reactive path rebalancing (QFX5240, an extension of DLB's flowlet mode): a flowset that never pauses may leave its port all the same, when another is
 * better by `qualityDelta` bands; packets may overtake each other then. A draw decides, so that not all leave at once.
 *
 * How Junos draws for `prob-threshold` is not documented. Ours: a number from 0 to below `probRange` for each packet that could gain; the flowset
 * moves if it is below the threshold. With the values of Juniper's validated design (3, 6) that is 1.2 per cent of packets, from the two worst bands only.
 */
import {
  Dlb,
  type DlbOptions,
  dlb,
  FLOWSET_DEFAULTS,
  FLOWSET_MEANING,
  type FlowsetOptions,
  type Reassignment,
  refusesFlowsets,
} from './dlb.js';
import type { BestMembers } from './parts/best-members.js';
import { refusesCount } from './parts/option-range.js';
import type { SchemeContext, SchemeDefinition } from './scheme.js';

export type ReactiveOptions = FlowsetOptions & {
  readonly answers: boolean;
  readonly qualityDelta: number;
  readonly probThreshold: number;
  readonly probRange: number;
};

export const reactive: SchemeDefinition<ReactiveOptions> = {
  name: 'reactive',
  summary:
    'DLB by flowlets that moves flows without gaps too, when another port is much better (Junos reactive path rebalancing)',
  defaults: { ...FLOWSET_DEFAULTS, answers: dlb.defaults.answers, qualityDelta: 6, probThreshold: 3, probRange: 256 },
  meaning: {
    ...FLOWSET_MEANING,
    answers: dlb.meaning.answers,
    qualityDelta: 'bands by which the best port must be better; 0: no flow is moved',
    probThreshold: 'of probRange draws so many move a flow',
    probRange: 'what probThreshold is out of (ours)',
  },
  refuses: (_, options) =>
    refusesCount('qualityDelta', options.qualityDelta, 0, 7) ??
    refusesCount('probRange', options.probRange, 1, 2 ** 30) ??
    refusesCount('probThreshold', options.probThreshold, 0, options.probRange) ??
    refusesFlowsets(options),
  create: (context, options) => createReactive(context, options),
};

function createReactive(context: SchemeContext, options: ReactiveOptions): Dlb {
  const flowlets: DlbOptions = { ...options, mode: 'flowlet' };
  return options.qualityDelta === 0
    ? new Dlb(context, flowlets)
    : new Dlb(context, flowlets, new Reaction(context, options));
}

class Reaction implements Reassignment {
  private readonly context: SchemeContext;
  private readonly qualityDelta: number;
  private readonly probability: number;

  constructor(context: SchemeContext, options: ReactiveOptions) {
    this.context = context;
    this.qualityDelta = options.qualityDelta;
    this.probability = options.probThreshold / options.probRange;
  }

  isDue(members: BestMembers, port: number, group: number): boolean {
    const band = members.band(port);
    // No band is so far above: the other ports need not be asked.
    if (band + this.qualityDelta > 7) return false;
    return members.bestBand(group) - band >= this.qualityDelta && this.context.random() < this.probability;
  }
}
