/** The far ends of the unnumbered links as the benchmark sees them. */
import { fileURLToPath } from 'node:url';
import { JsonChild } from '../../app/lab/json-child.js';
import type { UnnumberedAnswer, UnnumberedCommand, UnnumberedTask } from './unnumbered-protocol.js';

const MAIN = fileURLToPath(new URL('unnumbered-main.js', import.meta.url));

export type UnnumberedState = Extract<UnnumberedAnswer, { kind: 'state' }>;

export class UnnumberedEnds {
  private readonly child: JsonChild<UnnumberedCommand, UnnumberedAnswer>;

  constructor(namespace: string, task: UnnumberedTask) {
    this.child = new JsonChild({ title: 'the far ends', namespace, script: MAIN, task });
  }

  /** Resolves when it watches its links. */
  async ready(): Promise<void> {
    await this.child.expect('ready');
  }

  state(): Promise<UnnumberedState> {
    this.child.tell({ kind: 'state' });
    return this.child.expect('state');
  }

  end(): void {
    this.child.end();
  }
}
