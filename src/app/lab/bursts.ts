/** UDP flows that send in bursts, as collective operations of GPUs do, from one namespace to another; and what of them arrives. */
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { BurstsAnswer, BurstsCommand, BurstsTask } from './bursts-protocol.js';
import { JsonChild } from './json-child.js';
import { PACKAGE_ROOT } from './lab.js';

export type BurstFlows = Omit<Extract<BurstsTask, { kind: 'send' }>, 'kind'>;

export interface Bursts {
  begin(): void;
  /** Resolves with the octets that were sent, and those of them that arrived. */
  stop(): Promise<{ readonly sent: number; readonly received: number }>;
  /** Ends it without a report; after `stop` there is nothing left to end. */
  abandon(): void;
}

const MAIN = join(PACKAGE_ROOT, 'dist', 'app', 'lab', 'bursts-main.js');
/** Milliseconds that datagrams still under way get to arrive. */
const DRAIN = 400;

/** Resolves when both ends are ready. Throws LabError, with none of them left, when one is not. */
export async function prepareBursts(from: string, to: string, flows: BurstFlows): Promise<Bursts> {
  const { address, port } = flows;
  const receiver = burstsEnd(to, { kind: 'receive', address, port });
  const sender = burstsEnd(from, { kind: 'send', ...flows });
  const abandon = () => {
    for (const end of [sender, receiver]) end.end();
  };
  try {
    await Promise.all([sender.expect('ready'), receiver.expect('ready')]);
  } catch (error) {
    abandon();
    throw error;
  }
  return {
    begin: () => sender.tell({ kind: 'go' }),
    stop: async () => {
      sender.tell({ kind: 'stop' });
      const sent = (await sender.expect('octets')).octets;
      await sleep(DRAIN);
      receiver.tell({ kind: 'stop' });
      const received = (await receiver.expect('octets')).octets;
      await Promise.all([sender.over(), receiver.over()]);
      return { sent, received };
    },
    abandon,
  };
}

function burstsEnd(namespace: string, task: BurstsTask): JsonChild<BurstsCommand, BurstsAnswer> {
  return new JsonChild({ title: 'the bursty flows', namespace, script: MAIN, task });
}
