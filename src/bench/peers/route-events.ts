/** The kernel's route events as the benchmark sees them. */
import { fileURLToPath } from 'node:url';
import { JsonChild } from '../../app/lab/json-child.js';
import type { RouteEventsAnswer, RouteEventsCommand } from './route-events-protocol.js';

const MAIN = fileURLToPath(new URL('route-events-main.js', import.meta.url));

export class RouteEvents {
  private readonly child: JsonChild<RouteEventsCommand, RouteEventsAnswer>;

  constructor(namespace: string, block: number) {
    const task = { block };
    this.child = new JsonChild({ title: 'the listener to the kernel', namespace, script: MAIN, task, turn: 'first' });
  }

  /** Resolves when it listens. */
  async ready(): Promise<void> {
    await this.child.expect('ready');
  }

  /** When each prefix of the block first had a route, by its number. */
  async times(): Promise<ReadonlyMap<number, number>> {
    this.child.tell({ kind: 'times' });
    const { times } = await this.child.expect('times');
    return new Map(times);
  }

  end(): void {
    this.child.end();
  }
}
