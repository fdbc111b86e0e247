import type { LoadBalancer, SchemeContext, SchemeDefinition } from './scheme.js';

export const roundRobin: SchemeDefinition<Record<string, never>> = {
  name: 'round-robin',
  summary: 'each packet takes the next of the equal ports',
  defaults: {},
  meaning: {},
  create: (context) => new RoundRobin(context),
};

class RoundRobin implements LoadBalancer {
  private next = 0;

  constructor(private readonly context: SchemeContext) {}

  choose(_node: number, _packet: number, group: number): number {
    const { start, count, members } = this.context.forwarding;
    return members[start[group]! + (this.next++ % count[group]!)]!;
  }
}
