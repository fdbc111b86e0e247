/**
 * A lab of GPUs to send RDMA subflows over: what a transfer took, and what each uplink of the sending leaf carried of it, by the kernel's
 * own counters.
 */
import type { TrafficPattern } from '../../core/rlb/bus-bandwidth.js';
import type { Uplink } from '../../core/rlb/gpu-port.js';
import { uplinksOf } from '../host/host-ports.js';
import { LabError } from '../lab/command.js';
import { packetCounters } from '../lab/counters.js';
import { findHost } from '../lab/hosts.js';
import { findRouter, type Lab } from '../lab/lab.js';
import { livePorts } from '../traffic/live-ports.js';
import { runTraffic } from '../traffic/run-traffic.js';
import type { TrafficReport } from '../traffic/traffic-report.js';

/** Windows of all queue pairs of a host fit into the queue of one link. */
const TRANSPORT = { pathMtu: 1024, window: 48, ackTimeout: 500, retryLimit: 7 } as const;
/** Milliseconds for duplicate address detection. */
const ADDRESS_PATIENCE = 60_000;
/** A data packet is one in so many at least of what goes over an uplink that carries a subflow: the rest is daemons' chatter. */
const CHATTER = 0.02;

export interface Transfer {
  readonly pattern: TrafficPattern;
  /** In the order of the job. */
  readonly hosts: readonly string[];
  /** Of every host. */
  readonly octets: number;
  readonly rlb: boolean;
  readonly seed: number;
  /** Packets that may overtake others, over a plane that spreads a subflow; absent: none. */
  readonly reorder?: number;
}

export interface UplinkShare {
  readonly uplink: Uplink;
  /** Of all packets that left the leaf by its uplinks, from 0 to 1. */
  readonly share: number;
}

export interface TransferResult {
  readonly report: TrafficReport;
  readonly shares: readonly UplinkShare[];
  /** Uplinks that carried data. */
  readonly used: number;
}

/** Throws LabError when it does not end with every octet verified. */
export async function transfer(lab: Lab, what: Transfer, signal: AbortSignal): Promise<TransferResult> {
  const uplinks = uplinksOf(lab.plan);
  const hosts = what.hosts.map((name) => findHost(lab, name));
  const { leaf } = hosts[0]!;
  const found = await livePorts(lab, { hosts, uplinks }, ADDRESS_PATIENCE);
  const [problem] = found.flatMap(({ problems }) => problems);
  if (problem !== undefined) throw new LabError(problem);
  const before = await packetCounters(lab, leaf);
  const { pattern, octets, rlb, seed, reorder = 0 } = what;
  const transport = { ...TRANSPORT, reorder };
  const question = { pattern, octets, rlb, seed, uplinks, queuePairs: uplinks.length, transport };
  const report = await runTraffic(lab, { ...question, ports: found.map(({ port }) => port) }, { signal });
  const after = await packetCounters(lab, leaf);
  if (!report.verified) throw new LabError(report.failures[0] ?? 'the transfer did not complete');
  const sent = uplinks.map((uplink) => {
    const name = interfaceTo(lab, leaf, uplink);
    return (after.get(name)?.sent ?? 0) - (before.get(name)?.sent ?? 0);
  });
  const total = Math.max(
    1,
    sent.reduce((sum, one) => sum + one, 0),
  );
  const shares = uplinks.map((uplink, index) => ({ uplink, share: sent[index]! / total }));
  return { report, shares, used: shares.filter(({ share }) => share > CHATTER).length };
}

function interfaceTo(lab: Lab, leaf: string, uplink: Uplink): string {
  return findRouter(lab, leaf).fabric.find((port) => port.colour === uplink.colour)?.interface ?? '';
}
