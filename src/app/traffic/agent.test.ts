import { afterEach, expect, it } from 'vitest';
import { poll } from '../lab/poll.js';
import { Agent } from './agent.js';
import type { AgentAnswer, AgentQueuePair, AgentTask } from './agent-protocol.js';

/** Loopback addresses of this test alone; other systems than Linux have 127.0.0.1 only. */
const ADDRESSES = ['127.48.91.1', '127.48.91.2'] as const;
const TRANSPORT = { pathMtu: 1024, window: 64, ackTimeout: 200, retryLimit: 7 };

function queuePairs(rank: number): AgentQueuePair[] {
  return [0, 1].flatMap((sender) =>
    [1, 2].map((number): AgentQueuePair => {
      const peer = 1 - rank;
      const qp = (at: number) => 0x1000 * (at + 1) + 0x100 * sender + number;
      const direction = sender === rank ? 'out' : 'in';
      const numbers = { localQp: qp(rank), remoteQp: qp(peer) };
      const path = { local: ADDRESSES[rank]!, remote: ADDRESSES[peer]!, sourcePort: 0xc100 + 2 * sender + number };
      return { subflow: 2 * sender + number - 1, peer, direction, ...path, ...numbers, firstPsn: 0xfffffe };
    }),
  );
}

function agentOf(rank: number, pattern: AgentTask['pattern'], answers: AgentAnswer[]): Agent {
  const common = { pattern, ranks: 2, words: 300, seed: 7, transport: TRANSPORT };
  return new Agent({ ...common, rank, queuePairs: queuePairs(rank) }, (answer) => void answers.push(answer));
}

const kinds = (answers: readonly AgentAnswer[]) => answers.map(({ kind }) => kind);

/** As seen by rank 1 before its start. */
function arrivedOctets(agent: Agent, answers: AgentAnswer[]): number {
  agent.report();
  const report = answers.pop();
  if (report?.kind !== 'report') throw new Error('no report');
  return report.ends.reduce((sum, end) => sum + (end.direction === 'in' ? end.counters.received : 0), 0);
}

const open: Agent[] = [];
afterEach(() => {
  for (const agent of open.splice(0)) agent.close();
});

it.runIf(process.platform === 'linux').each(['send', 'all-reduce', 'all-to-all'] as const)(
  'has the right words when the first message is there before the start: %s',
  async (pattern) => {
    const answers: AgentAnswer[][] = [[], []];
    const agents = answers.map((own, rank) => agentOf(rank, pattern, own));
    open.push(...agents);
    for (const agent of agents) await agent.open();
    agents[0]!.start();
    expect(await poll(async () => arrivedOctets(agents[1]!, answers[1]!) >= 2, { timeout: 120_000, interval: 5 })).toBe(
      true,
    );
    agents[1]!.start();
    const finished = async () => answers.every((own) => kinds(own).includes('finished'));
    expect(await poll(finished, { timeout: 120_000, interval: 5 })).toBe(true);
    for (const [rank, agent] of agents.entries()) {
      agent.report();
      expect(answers[rank]!.at(-1)).toMatchObject({ kind: 'report', wrong: null, strays: 0 });
    }
  },
);
