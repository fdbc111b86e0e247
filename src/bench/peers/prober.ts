/** The prober as the benchmark sees it. */
import { fileURLToPath } from 'node:url';
import { JsonChild } from '../../app/lab/json-child.js';
import type { ProberAnswer, ProberCommand, ProberTask } from './prober-protocol.js';

const MAIN = fileURLToPath(new URL('prober-main.js', import.meta.url));

export class Prober {
  private readonly child: JsonChild<ProberCommand, ProberAnswer>;

  constructor(namespace: string, task: ProberTask) {
    this.child = new JsonChild({ title: 'the prober', namespace, script: MAIN, task, turn: 'first' });
  }

  /** Resolves when both sessions are up. */
  async connect(): Promise<void> {
    this.child.tell({ kind: 'connect' });
    await this.child.expect('connected');
  }

  /** Resolves when all probes are sent, with when each was. */
  async send(interval: number): Promise<readonly number[]> {
    this.child.tell({ kind: 'send', interval });
    return (await this.child.expect('sent')).times;
  }

  /** When each was told on, so far; `null`: not yet. */
  async told(): Promise<readonly (number | null)[]> {
    this.child.tell({ kind: 'told' });
    return (await this.child.expect('told')).times;
  }

  end(): void {
    this.child.end();
  }
}
