/** Which subflows of a lab are meant: all queue pairs between two hosts, one of them, or one with ports and addresses of its own. */
import { formatAddress, parseAddress } from '../../core/net/address.js';
import { type ConnectionPlan, planConnection, type QueuePair } from '../../core/rlb/queue-pair-plan.js';
import { entropyPort, ROCE_PORT } from '../../core/wire/rocev2/entropy-port.js';
import { livePort, uplinksOf } from '../host/host-ports.js';
import { LabError } from '../lab/command.js';
import { findHost, type HostAddress, hostAddresses } from '../lab/hosts.js';
import type { Lab } from '../lab/lab.js';
import type { PlannedHost } from '../lab/plan.js';
import type { Subflow } from './trace.js';

export interface SubflowChoice {
  /** Hosts or addresses of hosts. */
  readonly source: string;
  readonly destination: string;
  readonly queuePair?: number;
  readonly sourcePort?: number;
}

/** Throws LabError for ends that are none of the lab's, or between which there is no such queue pair. */
export async function chosenSubflows(lab: Lab, choice: SubflowChoice): Promise<Subflow[]> {
  const all = await Promise.all(
    lab.plan.hosts.map(async (host) => ({ host, addresses: await hostAddresses(lab, host) })),
  );
  const [from, to] = [choice.source, choice.destination].map((text) => endOf(lab, all, text)) as [FlowEnd, FlowEnd];
  if (from.host.name === to.host.name) throw new LabError(`${from.host.name} sends to itself over no link`);
  const plan = planOf(lab, from, to);
  const known = plan.queuePairs.filter((pair) => isBetween(pair, from, to));
  const chosen = choice.queuePair === undefined ? known : known.filter((pair) => pair.number === choice.queuePair);
  if (choice.queuePair !== undefined && chosen.length === 0) throw new LabError(noQueuePair(choice, plan));
  if (from.address === undefined && to.address === undefined && chosen.length === 0)
    throw new LabError(`there is no queue pair: ${plan.verdict.lines.join('; ')}`);
  if (chosen.length === 0) return [withColour(lab, foreignSubflow(from, to, choice))];
  // One five-tuple, not the same port on every address.
  const wanted = choice.sourcePort !== undefined && choice.queuePair === undefined ? chosen.slice(0, 1) : chosen;
  return wanted.map((pair) => subflowOf(pair, from, to, choice.sourcePort)).map((one) => withColour(lab, one));
}

interface FlowEnd {
  readonly host: PlannedHost;
  readonly addresses: readonly HostAddress[];
  /** When an address was given. */
  readonly address?: string;
}

function endOf(lab: Lab, all: readonly Omit<FlowEnd, 'address'>[], text: string): FlowEnd {
  const parsed = parseAddress(text);
  if (!parsed) {
    const { name } = findHost(lab, text);
    return all.find(({ host }) => host.name === name)!;
  }
  const address = formatAddress(parsed);
  const owner = all.find(({ addresses }) => addresses.some(({ expected, usable }) => usable && expected === address));
  if (owner) return { ...owner, address };
  throw new LabError(
    `no host of lab ${lab.name} has the address ${address}: heddle host plan shows those of two hosts`,
  );
}

function planOf(lab: Lab, from: FlowEnd, to: FlowEnd): ConnectionPlan {
  const uplinks = uplinksOf(lab.plan);
  const [source, destination] = [from, to].map(({ host, addresses }) => livePort(host, addresses, uplinks, 2).port);
  return planConnection({ source: source!, destination: destination! }, { uplinks, sourcePort: entropyPort });
}

function isBetween(pair: QueuePair, from: FlowEnd, to: FlowEnd): boolean {
  const fits = (end: FlowEnd, address: Uint8Array) =>
    end.address === undefined || end.address === formatAddress(address);
  return fits(from, pair.source) && fits(to, pair.destination);
}

function noQueuePair({ queuePair }: SubflowChoice, plan: ConnectionPlan): string {
  const last = plan.queuePairs.length;
  const there = last === 0 ? 'there is none' : `there are 1 to ${last}`;
  return `${plan.source} has no queue pair ${queuePair} with ${plan.destination}: ${there}`;
}

function subflowOf(pair: QueuePair, from: FlowEnd, to: FlowEnd, sourcePort = pair.sourcePort): Subflow {
  return {
    from: from.host.name,
    to: to.host.name,
    queuePair: pair.number,
    colour: pair.uplink.colour,
    flow: {
      source: formatAddress(pair.source),
      destination: formatAddress(pair.destination),
      sourcePort,
      destinationPort: ROCE_PORT,
    },
  };
}

/** None where the fabric has none. */
function withColour(lab: Lab, subflow: Subflow): Subflow {
  return lab.plan.topology.dpfMode === 'none' ? { ...subflow, colour: null } : subflow;
}

/** Between addresses that are no queue pair's: of different colours, say. The colour is that of where it goes. */
function foreignSubflow(from: FlowEnd, to: FlowEnd, { sourcePort = FIRST_PORT }: SubflowChoice): Subflow {
  const source = from.address ?? from.addresses.find(({ usable }) => usable)?.expected;
  const destination = to.address ?? to.addresses.find(({ usable }) => usable)?.expected;
  if (source === undefined || destination === undefined)
    throw new LabError(`${source === undefined ? from.host.name : to.host.name} has no address that is valid`);
  const colour = to.addresses.find(({ expected }) => expected === destination)?.colour ?? null;
  const flow = { source, destination, sourcePort, destinationPort: ROCE_PORT };
  return { from: from.host.name, to: to.host.name, queuePair: null, colour, flow };
}

/** RoCEv2's range begins there. */
const FIRST_PORT = 0xc000;
