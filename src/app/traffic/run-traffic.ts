/** Runs a traffic job in a lab: an agent in the namespace of every host, started together, watched, and asked for its report. */
import { join } from 'node:path';
import { LabError } from '../lab/command.js';
import { JsonChild } from '../lab/json-child.js';
import { type Lab, namespaceOf, PACKAGE_ROOT } from '../lab/lab.js';
import type { AgentAnswer, AgentCommand, AgentTask } from './agent-protocol.js';
import { planTraffic, type TrafficQuestion } from './traffic-plan.js';
import {
  type AgentEnd,
  type AgentOutcome,
  type AgentReport,
  type TrafficReport,
  trafficReport,
} from './traffic-report.js';

const MAIN = join(PACKAGE_ROOT, 'dist', 'app', 'traffic', 'agent-main.js');
/** Milliseconds beyond what the transport itself may take without progress. */
const PATIENCE = 5_000;

export interface RunOptions {
  /** Octets that have arrived so far, of all hosts. */
  readonly onProgress?: (octets: number) => void;
  /** Aborting ends the agents at once. */
  readonly signal?: AbortSignal;
}

type AgentChild = JsonChild<AgentCommand, AgentAnswer>;

/** Throws LabError when an agent cannot start or ends without a word, or when nothing moves any more. */
export async function runTraffic(
  lab: Lab,
  question: TrafficQuestion,
  options: RunOptions = {},
): Promise<TrafficReport> {
  const { subflows, tasks } = planTraffic(question);
  const agents = question.ports.map(({ host }, rank) => startAgent(namespaceOf(lab, host), tasks[rank]!));
  const end = () => {
    for (const agent of agents) agent.end();
  };
  options.signal?.addEventListener('abort', end, { once: true });
  try {
    await Promise.all(agents.map((agent) => agent.expect('ready')));
    for (const agent of agents) agent.tell({ kind: 'start' });
    const outcomes = await new Watch(agents, question, options).outcomes();
    return trafficReport(question, subflows, outcomes);
  } finally {
    options.signal?.removeEventListener('abort', end);
    end();
  }
}

function startAgent(namespace: string, task: AgentTask): AgentChild {
  return new JsonChild({ title: 'the traffic agent', namespace, script: MAIN, task });
}

class Watch {
  private readonly octets: number[];
  private readonly ends: (AgentEnd | undefined)[];
  private movedAt = performance.now();
  private stopped = false;

  constructor(
    private readonly agents: readonly AgentChild[],
    private readonly question: TrafficQuestion,
    private readonly options: RunOptions,
  ) {
    this.octets = agents.map(() => 0);
    this.ends = agents.map(() => undefined);
  }

  async outcomes(): Promise<AgentOutcome[]> {
    const { ackTimeout, retryLimit } = this.question.transport;
    const patience = ackTimeout * (retryLimit + 1) + PATIENCE;
    let guard: NodeJS.Timeout | undefined;
    const stall = new Promise<never>((_, reject) => {
      guard = setInterval(() => {
        if (performance.now() - this.movedAt > patience)
          reject(new LabError(`nothing has moved for ${Math.round(patience / 1000)} s, and no queue pair says why`));
      }, 500);
    });
    try {
      const reports = await Promise.race([Promise.all(this.agents.map((_, rank) => this.follow(rank))), stall]);
      return reports.map((report, rank): AgentOutcome => {
        const end = this.ends[rank];
        return { report, ...(end && { end }) };
      });
    } finally {
      clearInterval(guard);
    }
  }

  private async follow(rank: number): Promise<AgentReport> {
    for (;;) {
      const answer = await this.agents[rank]!.next();
      if (answer.kind === 'report') return answer;
      if (answer.kind === 'progress') this.progress(rank, answer.octets);
      if (answer.kind === 'finished' || answer.kind === 'failed') this.ended(rank, answer);
    }
  }

  private progress(rank: number, octets: number): void {
    if (octets > this.octets[rank]!) this.movedAt = performance.now();
    this.octets[rank] = octets;
    this.options.onProgress?.(this.octets.reduce((sum, one) => sum + one, 0));
  }

  /** One that fails ends the job: the others may wait for it in vain. */
  private ended(rank: number, end: AgentEnd): void {
    this.ends[rank] = end;
    this.movedAt = performance.now();
    if (this.stopped || (end.kind === 'finished' && this.ends.includes(undefined))) return;
    this.stopped = true;
    for (const agent of this.agents) agent.tell({ kind: 'stop' });
  }
}
