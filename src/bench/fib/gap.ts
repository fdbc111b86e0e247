/** The gap that traffic sees when something happens: numbered datagrams, one every 100 microseconds, to a prefix in the middle. */

import { type Probe, ROCE_PORT, startProbe } from '../../app/lab/probe.js';
import type { ProbeFlow } from '../../app/lab/probe-protocol.js';
import type { FlowReport, Spacing } from '../../app/lab/probe-report.js';
import { addressIn, HOST_ADDRESS, type StageNames, samplePrefixes } from './plan.js';

/** Milliseconds between two datagrams to the prefix in the middle; the first and the last prefix get one of ten. */
export const INTERVAL = 0.1;
const SELDOM = 10;
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

export class GapProbe {
  private constructor(private readonly probe: Probe) {}

  static async start(names: StageNames, count: number): Promise<GapProbe> {
    const flows = probeFlows(count);
    return new GapProbe(await startProbe({ from: names.host, to: names.far, flows, interval: INTERVAL }));
  }

  /** Gaps are looked for from here on. */
  mark(): void {
    this.probe.mark(CUT);
  }

  async stop(): Promise<Gap> {
    return gapOf(await this.probe.stop());
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
