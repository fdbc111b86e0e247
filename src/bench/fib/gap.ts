/** The gap that traffic sees when something happens: numbered datagrams, one every 100 microseconds, to a prefix in the middle. */

import { ROCE_PORT, startProbe } from '../../app/lab/probe.js';
import type { ProbeFlow } from '../../app/lab/probe-protocol.js';
import type { FlowReport, Spacing } from '../../app/lab/probe-report.js';
import type { Ground } from './ground.js';
import { addressIn, HOST_ADDRESS, samplePrefixes } from './plan.js';

/** Milliseconds between two datagrams to the prefix in the middle; the first and the last prefix get one of ten. */
export const INTERVAL = 0.1;
const SELDOM = 10;
/** Milliseconds of undisturbed flow. */
const BEFORE = 300;
const CUT = 'cut';

export interface Gap {
  /** Milliseconds, by the sender's clock, in which everything sent to the prefix in the middle was lost; and how many. */
  readonly gap: number;
  readonly lost: number;
  /** The longest such time of the first, the middle and the last prefix. */
  readonly slowest: number;
  /** Datagrams lost of all flows, before and after the event too. */
  readonly lostInAll: number;
  /** How well the sender kept its interval. */
  readonly spacing: Spacing;
}

/** Datagrams flow for a while, then gaps are looked for while `event` happens, and shows. */
export async function gapDuring(ground: Ground, count: number, event: () => Promise<void>): Promise<Gap> {
  const { host, far } = ground.stage.names;
  const probe = await startProbe({ from: host, to: far, flows: probeFlows(count), interval: INTERVAL });
  try {
    await ground.pause(BEFORE);
    probe.mark(CUT);
    await event();
    return gapOf(await probe.stop());
  } finally {
    probe.abandon();
  }
}

export function probeFlows(count: number): readonly ProbeFlow[] {
  const middle = count >> 1;
  const others = samplePrefixes(count).filter((index) => index !== middle);
  return [middle, ...others].map((index, place) => ({
    name: String(index),
    source: HOST_ADDRESS,
    destination: addressIn(index),
    port: ROCE_PORT,
    every: place === 0 ? 1 : SELDOM,
  }));
}

/** `reports` begin with the flow to the prefix in the middle. */
export function gapOf(reports: readonly FlowReport[]): Gap {
  const afterCut = (report: FlowReport) => report.marks.find(({ name }) => name === CUT)!;
  const [middle] = reports;
  const { longestOutageMs, lost } = afterCut(middle!);
  return {
    gap: longestOutageMs,
    lost,
    slowest: Math.max(...reports.map((report) => afterCut(report).longestOutageMs)),
    lostInAll: reports.reduce((sum, report) => sum + report.lost, 0),
    spacing: middle!.spacing,
  };
}
