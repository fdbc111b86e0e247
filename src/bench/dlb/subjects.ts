/** Who decides in `npm run bench:dlb`, what is measured of them, and what it must come to. Pure. */
import type { Results } from '../common/results.js';
import { FIGURE as FIB_FIGURE, HEDDLE, KERNEL as KERNEL_ALONE, type LocalFailure } from '../fib/figures.js';

export const ROWS = ['cost', 'rate', 'balance', 'reorder', 'gap'] as const;
/** Those that need no daemon, and are measured in one process. */
export const BARE_ROWS = ['cost', 'rate'] as const satisfies readonly RowName[];
export type RowName = (typeof ROWS)[number];

export const BARE = 'bare redirect';
export const PRIMARY = 'primary port';
export const FLOWLET = 'flowlet';
export const PER_PACKET = 'per-packet';
export const KERNEL = 'kernel multipath';
export const SUBJECTS = [BARE, PRIMARY, FLOWLET, PER_PACKET, KERNEL] as const;
export type Subject = (typeof SUBJECTS)[number];

/** What of a decision is the kernel's work, each with a bare redirect. */
export const PARTS = ['route', 'clock'] as const;
export const PART_NAME = { route: 'redirect and longest prefix', clock: 'redirect and clock' } as const;

/** Of the rows with daemons. */
export const PLANE = 'heddle, eBPF plane';
export const ECMP = 'kernel ECMP';
export const RESILIENT = 'kernel, resilient group';

export const SIZES = [128, 3072] as const;
/** Of a socket: its frames may lie in several pages. */
export const SENT_SIZES = [128, 4096] as const;
/** What a socket sends when nobody forwards: no ratio to it can be more. */
export const NOBODY = 'nobody';
export const COST = 'decision, ns a packet';
export const rateFigure = (octets: number) => `${octets} octets, Mpps`;
export const receivedFigure = (octets: number) => `${octets} octets received from a veth, Mpps`;
export const sentFigure = (octets: number) => `${octets} octets sent by a socket, Mpps`;
export const FIGURE = {
  imbalance: 'max / mean of three links',
  reordered: 'packets reordered',
  moves: 'moves of flowsets',
  share: 'packets through the plane, %',
} as const;

export interface Verdict {
  readonly target: string;
  readonly met: boolean;
  readonly shown: string;
}

/** Nanoseconds over a bare redirect. */
const MOST_COST = { [FLOWLET]: 45, [PER_PACKET]: 32 } as const;
const LEAST_RATIO = 3;
/** Of the mean of the links. */
const MOST_UNEVEN = 1.05;
/** Probes. */
const MOST_LOST = 1;

/** Of those targets whose figures were measured. */
export function judge(results: Results<RowName>): readonly Verdict[] {
  const verdicts = [
    ...[cost(results, FLOWLET), cost(results, PER_PACKET)],
    ...[rate(results, rateFigure(SIZES[0])), rate(results, receivedFigure(SIZES[0]))],
    ...SENT_SIZES.map((octets) => share(results, octets)),
    ...[evenness(results), order(results), gapAt(results, 'set down'), gapAt(results, 'carrier lost')],
  ];
  return verdicts.filter((verdict) => verdict !== undefined);
}

function cost(results: Results<RowName>, subject: keyof typeof MOST_COST): Verdict | undefined {
  const cost = (who: string) => results.median('cost', COST, who);
  const [own, bare] = [cost(subject), cost(BARE)];
  if (own === undefined || bare === undefined) return undefined;
  const more = own - bare;
  const target = `${subject}: at most ${MOST_COST[subject]} ns more than a bare redirect`;
  const [route, clock] = PARTS.map((part) => cost(PART_NAME[part]));
  const parts =
    route === undefined || clock === undefined
      ? ''
      : `; of these the kernel's lookup of the longest prefix ${route - bare}, its clock ${clock - bare}`;
  return {
    target,
    met: more <= MOST_COST[subject],
    shown: `${more.toFixed(0)} ns more (${own} against ${bare}${parts})`,
  };
}

function rate(results: Results<RowName>, figure: string): Verdict | undefined {
  const [own, kernel] = [FLOWLET, KERNEL].map((who) => results.median('rate', figure, who));
  if (own === undefined || kernel === undefined) return undefined;
  const ratio = own / kernel;
  const target = `flowlet forwards at least ${LEAST_RATIO} x what the kernel's multipath group does, ${figure}`;
  return {
    target,
    met: ratio >= LEAST_RATIO,
    shown: `${ratio.toFixed(1)} x (${own.toFixed(2)} against ${kernel.toFixed(2)} Mpps)`,
  };
}

/**
 * A sender takes most of the core: what is left of a packet's time without it is forwarding. Both ways have the frame go through the two
 * links, as a bare redirect has it.
 */
function share(results: Results<RowName>, octets: number): Verdict | undefined {
  const [own, kernel, bare, nobody] = [FLOWLET, KERNEL, BARE, NOBODY].map((who) => {
    const rate = results.median('rate', sentFigure(octets), who);
    return rate === undefined ? undefined : 1000 / rate;
  });
  if (own === undefined || kernel === undefined || bare === undefined || nobody === undefined) return undefined;
  const ratio = (kernel - nobody) / Math.max(1, own - nobody);
  const times = [own, kernel, bare].map((time) => (time - nobody).toFixed(0));
  return {
    target: `frames of a socket, ${octets} octets: forwarding takes flowlet at most a third of what it takes the kernel`,
    met: ratio >= LEAST_RATIO,
    shown: `${ratio.toFixed(1)} x (${times[0]} against ${times[1]} ns a packet, a bare redirect ${times[2]}; with the sender ${(kernel / own).toFixed(2)} x)`,
  };
}

function evenness(results: Results<RowName>): Verdict | undefined {
  const [own, ecmp, resilient] = [FLOWLET, ECMP, RESILIENT].map((who) =>
    results.median('balance', FIGURE.imbalance, who),
  );
  if (own === undefined) return undefined;
  const others = `ECMP ${percent(ecmp)}, resilient group ${percent(resilient)}`;
  return {
    target: 'sixteen paced flows over three limited links: the most loaded within 5 % of even',
    met: own <= MOST_UNEVEN,
    shown: `${percent(own)} over the mean (${others})`,
  };
}

function order(results: Results<RowName>): Verdict | undefined {
  const [own, ecmp, sprayed] = [FLOWLET, ECMP, PER_PACKET].map((who) =>
    results.spread('reorder', FIGURE.reordered, who),
  );
  if (own === undefined) return undefined;
  const moves = results.spread('reorder', FIGURE.moves, FLOWLET)?.most ?? 0;
  return {
    target: 'flowlet, inactivity above the skew of the paths: no packet is reordered in any round, as with ECMP',
    met: own.most === 0,
    shown: `${own.most} at most, with up to ${moves} moves (ECMP ${ecmp?.most ?? '-'}, per-packet ${sprayed?.median ?? '-'})`,
  };
}

function gapAt(results: Results<RowName>, how: LocalFailure): Verdict | undefined {
  const lost = (who: string) => results.median('gap', FIB_FIGURE.lost(1, how), who);
  const own = lost(PLANE);
  if (own === undefined) return undefined;
  const others = [KERNEL_ALONE, HEDDLE, 'FRR'].map((who) => `${who} ${lost(who) ?? '-'}`);
  return {
    target: `local link, ${how}: at most one probe of 100 us is lost`,
    met: own <= MOST_LOST,
    shown: `${own} lost, ${results.median('gap', FIB_FIGURE.gap(1, how), PLANE)?.toFixed(1)} ms (${others.join(', ')})`,
  };
}

function percent(ratio: number | undefined): string {
  return ratio === undefined ? '-' : `${((ratio - 1) * 100).toFixed(1)} %`;
}
