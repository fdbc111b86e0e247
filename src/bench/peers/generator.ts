/** The load generator as the benchmark sees it. */
import { fileURLToPath } from 'node:url';
import { JsonChild } from '../../app/lab/json-child.js';
import type { GeneratorAnswer, GeneratorCommand, GeneratorTask } from './generator-protocol.js';

const MAIN = fileURLToPath(new URL('generator-main.js', import.meta.url));

export type Sent = Extract<GeneratorAnswer, { kind: 'sent' }>;
export type Counts = Extract<GeneratorAnswer, { kind: 'counts' }>;

export interface GeneratorOptions {
  readonly namespace: string;
  readonly task: GeneratorTask;
  /** Goes before all else: those who look at clocks. */
  readonly turn?: 'first';
}

export class Generator {
  private readonly child: JsonChild<GeneratorCommand, GeneratorAnswer>;

  constructor(options: GeneratorOptions) {
    this.child = new JsonChild({ title: 'the load generator', script: MAIN, ...options });
  }

  /** Resolves when every session is up. */
  async connect(): Promise<void> {
    this.child.tell({ kind: 'connect' });
    await this.child.expect('connected');
  }

  send(kind: 'announce' | 'withdraw' | 'drop'): Promise<Sent> {
    this.child.tell({ kind });
    return this.child.expect('sent');
  }

  counts(): Promise<Counts> {
    this.child.tell({ kind: 'counts' });
    return this.child.expect('counts');
  }

  end(): void {
    this.child.end();
  }
}
