/** What `heddle host plan` answers: the connections of a pair or a job with their queue pairs, as values of text. Pure. */
import { formatAddress } from '../../core/net/address.js';
import type { Uplink } from '../../core/rlb/gpu-port.js';
import { type JobPattern, planJob, type UplinkLoad } from '../../core/rlb/job-plan.js';
import { type ConnectionPlan, planConnection } from '../../core/rlb/queue-pair-plan.js';
import { entropyPort } from '../../core/wire/rocev2/entropy-port.js';
import type { HostPort } from './host-ports.js';

export interface PlannedQueuePair {
  readonly number: number;
  readonly uplink: number;
  /** `spine2`, with several links to it `spine2/1`. */
  readonly uplinkName: string;
  readonly spine: string;
  readonly colour: number;
  /** Addresses; prefixes where a host's MAC is not known. */
  readonly source: string;
  readonly destination: string;
  readonly sourceQp: number;
  readonly destinationQp: number;
  readonly sourcePort: number;
  readonly gidIndex: number;
  readonly destinationGidIndex: number;
}

export interface PlannedConnection {
  readonly source: string;
  readonly destination: string;
  /** Leaf of both; null when uplinks are used. */
  readonly within: string | null;
  readonly even: boolean;
  readonly verdict: readonly string[];
  readonly queuePairs: readonly PlannedQueuePair[];
}

export interface HostPlan {
  /** Where the addresses come from. */
  readonly source: string;
  readonly pattern: 'pair' | JobPattern;
  /** Of a pair: one queue pair on each uplink. Of a job: as many on each uplink of a leaf. */
  readonly even: boolean;
  readonly connections: readonly PlannedConnection[];
  /** Subflows on the uplinks of the leaves; null of a pair. */
  readonly loads:
    | readonly { readonly leaf: string; readonly uplink: string; readonly out: number; readonly in: number }[]
    | null;
  readonly problems: readonly string[];
}

export interface HostPlanQuestion {
  readonly source: string;
  readonly pattern: 'pair' | JobPattern;
  /** In the order of the job. */
  readonly hosts: readonly HostPort[];
  readonly uplinks: readonly Uplink[];
  readonly queuePairs?: number;
}

export function hostPlan({ source, pattern, hosts, uplinks, queuePairs }: HostPlanQuestion): HostPlan {
  const settings = { uplinks, sourcePort: entropyPort, ...(queuePairs !== undefined && { queuePairs }) };
  const ports = hosts.map(({ port }) => port);
  const textOf = addressTexts(hosts);
  const common = { source, pattern, problems: hosts.flatMap(({ problems }) => problems) };
  if (pattern === 'pair') {
    const plan = planConnection({ source: ports[0]!, destination: ports[1]! }, settings);
    return { ...common, even: plan.verdict.even, connections: [connection(plan, textOf)], loads: null };
  }
  const job = planJob(ports, pattern, settings);
  return {
    ...common,
    even: job.even && job.connections.every(({ verdict }) => verdict.even),
    connections: job.connections.map((plan) => connection(plan, textOf)),
    loads: job.loads.map((load: UplinkLoad) => ({ ...load, uplink: load.uplink.name })),
  };
}

type AddressText = (host: string, address: Uint8Array) => string;

function addressTexts(hosts: readonly HostPort[]): AddressText {
  const unknown = new Set(hosts.filter(({ known }) => !known).map(({ port }) => port.host));
  return (host, address) => formatAddress(address) + (unknown.has(host) ? '/64' : '');
}

function connection(plan: ConnectionPlan, textOf: AddressText): PlannedConnection {
  const { source, destination, within, verdict, queuePairs } = plan;
  return {
    source,
    destination,
    within: within ?? null,
    even: verdict.even,
    verdict: verdict.lines,
    queuePairs: queuePairs.map(({ uplink, ...pair }) => ({
      ...pair,
      uplink: uplink.number,
      uplinkName: uplink.name,
      spine: uplink.spine,
      colour: uplink.colour,
      source: textOf(source, pair.source),
      destination: textOf(destination, pair.destination),
    })),
  };
}
