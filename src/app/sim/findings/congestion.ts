/** How far congestion went: pauses by tier, marks and notifications. Pure. */
import type { PacketCounter, PausedHop } from '../../../simulator/results/run-result.js';
import { aRun, type Finder, percent, total } from './evidence.js';

/** Of the time: of a tier's ports on average, or of its worst port. */
const PAUSED = 0.01;
const PAUSED_AT_WORST = 0.1;
/** Of data packets: marks, or notices without one. */
const MARKED = 0.01;

/** From the receivers back to the hosts: as pauses spread. */
const SPREAD = ['superspine spine', 'spine superspine', 'spine leaf', 'leaf spine', 'host leaf'];

export const pauses: Finder = ({ runs, scheme }) => {
  const hops = (runs[0]?.pause.byHop ?? [])
    .map((hop, index) =>
      meanOf(
        hop,
        runs.map(({ pause }) => pause.byHop[index]!),
      ),
    )
    .filter(({ share, most }) => share >= PAUSED || most >= PAUSED_AT_WORST)
    .sort((one, other) => placeOf(one) - placeOf(other));
  if (hops.length === 0) return undefined;
  const said = hops.map(
    ({ from, to, share, most }) =>
      `${plural(from)} by ${plural(to)} ${percent(share)} of the time (${percent(most)} at the worst port)`,
  );
  const reach =
    hops.some(({ from }) => from === 'host') && hops.length > 1
      ? 'spread from tier to tier back to the hosts'
      : 'held ports back';
  return {
    scheme,
    kind: 'pauses',
    text: `Pauses (PFC) ${reach}: ${said.join(', ')}. A pause holds everything at a port, also what does not go where it is full.`,
    values: Object.fromEntries(hops.map(({ from, to, share }) => [`${from} by ${to}`, share])),
  };
};

function meanOf({ from, to, ports }: PausedHop, hops: readonly PausedHop[]): PausedHop {
  return {
    from,
    to,
    ports,
    share: hops.reduce((sum, { share }) => sum + share, 0) / hops.length,
    most: hops.reduce((most, hop) => Math.max(most, hop.most), 0),
  };
}

function placeOf({ from, to }: PausedHop): number {
  const place = SPREAD.indexOf(`${from} ${to}`);
  return place < 0 ? SPREAD.length : place;
}

function plural(tier: string): string {
  return tier === 'leaf' ? 'leaves' : `${tier}s`;
}

export const congestion: Finder = (evidence) => {
  const { runs, scheme, transport } = evidence;
  if (transport.congestion === 'none') return undefined;
  const count = (counter: PacketCounter) => total(runs, ({ packets }) => packets[counter]);
  const data = Math.max(1, count('data'));
  const share = count('marked') / data;
  const [notices, complaints] = [count('congestion-notices'), count('complaint-notices')];
  if (share < MARKED && complaints / data < MARKED) return undefined;
  const told = `${aRun(notices, 'notifications', evidence)} made senders cut their rates (DCQCN), which come back step by step`;
  const causes =
    complaints === 0
      ? '.'
      : `: ${aRun(notices - complaints, 'of them', evidence)} told of marks, and ${aRun(complaints, 'of them', evidence)} of no mark but of a gap (NAK), which the ns-3 models let stand for congestion.`;
  return {
    scheme,
    kind: 'congestion',
    text: `${percent(share)} of data packets were marked by full queues, and ${told}${causes}`,
    values: { marked: share, notices, complaints },
  };
};
