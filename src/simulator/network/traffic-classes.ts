/**
 * Classes of service of a port: which go first, which are lossless (IEEE 802.1Qbb), and which code points lead into them. The defaults are those
 * of Juniper's validated design for AI fabrics: DSCP 26 into a lossless class, DSCP 48 (CNPs) strictly before everything else.
 */

export interface TrafficClass {
  readonly name: string;
  /** Goes before all classes that are not strict, and before strict ones of higher numbers. */
  readonly strict: boolean;
  /** Neighbours are told to pause before its buffer is full. */
  readonly lossless: boolean;
  readonly dscp: readonly number[];
  /** Priority code points of tagged frames (IEEE 802.1Q). */
  readonly pcp: readonly number[];
}

export const CONTROL_CLASS = 0;
export const LOSSLESS_CLASS = 1;
export const BEST_EFFORT_CLASS = 2;
export const CLASS_COUNT = 3;

export const TRAFFIC_CLASSES: readonly TrafficClass[] = [
  { name: 'control', strict: true, lossless: false, dscp: [48], pcp: [6] },
  { name: 'no-loss', strict: false, lossless: true, dscp: [26], pcp: [3] },
  { name: 'best-effort', strict: false, lossless: false, dscp: [], pcp: [] },
];

/** The class of a code point: the one that names it, best effort otherwise. */
export function classOf(dscp: number, classes: readonly TrafficClass[] = TRAFFIC_CLASSES): number {
  const found = classes.findIndex((one) => one.dscp.includes(dscp));
  return found < 0 ? BEST_EFFORT_CLASS : found;
}

/** The class of a priority code point of a tagged frame. */
export function classOfPriority(pcp: number, classes: readonly TrafficClass[] = TRAFFIC_CLASSES): number {
  const found = classes.findIndex((one) => one.pcp.includes(pcp));
  return found < 0 ? BEST_EFFORT_CLASS : found;
}
