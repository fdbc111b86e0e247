/**
 * Interface counters of many namespaces, read again and again: a process that does nothing lives in each of them, and its entry in /proc
 * shows them, so that a reading starts no process.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { LabError } from './command.js';
import type { InterfaceCounters } from './counters.js';
import { type Lab, namespaceOf } from './lab.js';

/** By node, then by interface. */
export type CounterReading = ReadonlyMap<string, ReadonlyMap<string, InterfaceCounters>>;

export class LiveCounters {
  private constructor(private readonly lodgers: ReadonlyMap<string, ChildProcess>) {}

  static async open(lab: Lab): Promise<LiveCounters> {
    const nodes = [...lab.plan.routers, ...lab.plan.hosts].map(({ name }) => name);
    const lodgers = new Map(nodes.map((node) => [node, lodger(namespaceOf(lab, node))]));
    const counters = new LiveCounters(lodgers);
    try {
      await Promise.all([...lodgers.values()].map(moveIn));
      return counters;
    } catch (error) {
      counters.close();
      throw error;
    }
  }

  read(): CounterReading {
    return new Map(
      [...this.lodgers].map(([node, { pid }]) => [node, parseCounters(readFileSync(`/proc/${pid}/net/dev`, 'utf8'))]),
    );
  }

  close(): void {
    for (const child of this.lodgers.values()) child.kill('SIGKILL');
  }
}

/** It ends with its standard input, so it never outlives us. */
function lodger(namespace: string): ChildProcess {
  const child = spawn('ip', ['netns', 'exec', namespace, 'cat'], { stdio: ['pipe', 'pipe', 'ignore'] });
  child.stdin?.on('error', () => undefined);
  return child;
}

/** Its echo says that it is inside. */
async function moveIn(child: ChildProcess): Promise<void> {
  const ended = once(child, 'exit').then(() => {
    throw new LabError(`cannot look into a namespace: ${child.spawnargs.join(' ')} ended`);
  });
  child.stdin?.write('\n');
  await Promise.race([once(child.stdout!, 'data'), ended]);
  ended.catch(() => undefined);
}

/** /proc/net/dev: after two lines of headings, `name: octets packets` and six more received, the same sent. */
export function parseCounters(text: string): ReadonlyMap<string, InterfaceCounters> {
  return new Map(
    text
      .split('\n')
      .slice(2)
      .filter((line) => line.includes(':'))
      .map((line) => {
        const [name = '', rest = ''] = line.split(':');
        const figures = rest.trim().split(/\s+/).map(Number);
        const [receivedOctets = 0, received = 0, , , , , , , sentOctets = 0, sent = 0] = figures;
        return [name.trim(), { received, sent, receivedOctets, sentOctets }] as const;
      }),
  );
}
