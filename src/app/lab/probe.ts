/**
 * Measures what traffic notices: numbered UDP datagrams from one host namespace to another, several flows at once, received
 * by a process in the other. RoCEv2's port, so that routers that look see what they would see.
 */
import { join } from 'node:path';
import type { Colour } from '../../core/speaker/config.js';
import { addressOf, findHost } from './hosts.js';
import { JsonChild } from './json-child.js';
import { type Lab, PACKAGE_ROOT } from './lab.js';
import { now } from './monotonic.js';
import type { ProbeAnswer, ProbeBurst, ProbeCommand, ProbeFlow, ProbeTask } from './probe-protocol.js';
import type { FlowReport, Mark } from './probe-report.js';

export const ROCE_PORT = 4791;
const NOTHING: ProbeCommand = { sent: [], stoppedAt: 0, marks: [] };
const MAIN = join(PACKAGE_ROOT, 'dist', 'app', 'lab', 'probe-main.js');

export interface ProbeOptions {
  /** Namespaces. */
  readonly from: string;
  readonly to: string;
  readonly flows: readonly ProbeFlow[];
  /** Milliseconds between two datagrams of a flow, default 1; less than 1 ms is kept by sleeping threads of real-time priority, and takes CPU. */
  readonly interval?: number;
  /** Without it flows are steady. */
  readonly burst?: ProbeBurst;
  /** Flows take turns within the interval, in place of one right behind the other. */
  readonly spread?: boolean;
  /**
   * Behind everybody else: two processes that are always due would leave the daemons of two cores to wait for their turn. The sender stays
   * on one processor.
   */
  readonly humble?: boolean;
}

export interface Probe {
  /** Names this moment: reports tell gaps and losses from here to the next mark apart. */
  mark(name: string): void;
  /** Stops sending and resolves with one report per flow. */
  stop(): Promise<readonly FlowReport[]>;
  /** Ends it without a report; after `stop` there is nothing left to end. */
  abandon(): void;
}

/** Resolves when datagrams are flowing. Throws LabError when one of the two ends cannot start. */
export async function startProbe(options: ProbeOptions): Promise<Probe> {
  const { to, flows, interval = 1, humble } = options;
  const receiver = probeEnd(to, { kind: 'receive', flows, interval }, humble);
  const sender = await startSender(options, receiver);
  const marks: Mark[] = [];
  return {
    mark: (name) => void marks.push({ name, at: now() }),
    stop: async () => {
      sender.tell(NOTHING);
      const { sent, stoppedAt } = await sender.expect('sent');
      receiver.tell({ sent, stoppedAt, marks });
      const { reports } = await receiver.expect('reports');
      await Promise.all([sender.over(), receiver.over()]);
      return reports;
    },
    abandon: () => {
      for (const end of [sender, receiver]) end.end();
    },
  };
}

/** Once the receiver is ready. Neither is left when one of the two cannot start. */
async function startSender(options: ProbeOptions, receiver: ProbeEnd): Promise<ProbeEnd> {
  const { from, flows, interval = 1, burst, spread, humble } = options;
  let sender: ProbeEnd | undefined;
  try {
    await receiver.expect('ready');
    const task = { kind: 'send', flows, interval, ...(burst && { burst }), ...(spread && { spread }) } as const;
    sender = probeEnd(from, task, humble);
    await sender.expect('ready');
    return sender;
  } catch (error) {
    for (const end of [sender, receiver]) end?.end();
    throw error;
  }
}

export interface BurstSize {
  readonly count: number;
  readonly ports: number;
  /** The first of the ports, the others follow it; any free ones when absent. */
  readonly sourcePort?: number;
}

/** Prepares `count` datagrams from `ports` source ports; the result sends them, and resolves when they are gone. */
export async function prepareBurst(namespace: string, flow: ProbeFlow, size: BurstSize): Promise<() => Promise<void>> {
  const end = probeEnd(namespace, { kind: 'burst', flow, ...size });
  await end.expect('ready');
  return async () => {
    end.tell(NOTHING);
    await end.expect('sent');
    await end.over();
  };
}

/** One flow per colour, from the host's address of that colour to the other's. Throws LabError while one has no address. */
export function colourFlows(lab: Lab, from: string, to: string): Promise<readonly ProbeFlow[]> {
  return Promise.all(lab.plan.topology.colours.map((colour) => colourFlow(lab, { from, to, colour })));
}

export interface FlowEnds {
  readonly from: string;
  readonly to: string;
  readonly colour: Colour;
}

export async function colourFlow(lab: Lab, { from, to, colour }: FlowEnds): Promise<ProbeFlow> {
  const [source, destination] = await Promise.all([
    addressOf(lab, findHost(lab, from), colour),
    addressOf(lab, findHost(lab, to), colour),
  ]);
  return { name: `colour ${colour}`, source, destination, port: ROCE_PORT };
}

type ProbeEnd = JsonChild<ProbeCommand, ProbeAnswer>;

function probeEnd(namespace: string, task: ProbeTask, humble = false): ProbeEnd {
  const first = task.kind !== 'burst' && task.interval < 1;
  const turn = humble ? 'last' : first ? 'first' : undefined;
  const processor = humble && task.kind === 'send' ? { processor: 0 } : {};
  return new JsonChild({
    title: 'the traffic probe',
    namespace,
    script: MAIN,
    task,
    ...(turn && { turn }),
    ...processor,
  });
}
