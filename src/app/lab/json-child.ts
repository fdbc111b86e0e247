/**
 * A helper process inside a namespace, spoken to in JSON, one value a line: what it is to do is its argument, answers come in
 * order. It ends with its standard input, so it never outlives the one who started it.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { createInterface } from 'node:readline';
import { LabError } from './command.js';

export interface JsonChildSpec {
  /** For error messages: `the traffic probe`. */
  readonly title: string;
  readonly namespace: string;
  /** Script for Node. */
  readonly script: string;
  readonly task: object;
  /** `first`: before all other work of the machine, as packets do; without chrt it does not. `last`: behind what else is due. */
  readonly turn?: 'first' | 'last';
  /** It stays there: what it sends goes through the queues of one processor, and the kernel keeps its order. */
  readonly processor?: number;
}

const TURNS = { first: ['chrt', '--fifo', '10'], last: ['nice', '-n', '10'] } as const;

export class JsonChild<Command extends object, Answer extends { readonly kind: string }> {
  private readonly child: ChildProcess;
  private readonly answers: AsyncIterator<string>;
  private readonly closed: Promise<unknown>;
  private complaint = '';

  constructor(private readonly spec: JsonChildSpec) {
    const { namespace, script, task, turn, processor } = spec;
    const taken = turn === undefined || (turn === 'first' && !hasChrt()) ? [] : TURNS[turn];
    const pinned = processor === undefined ? [] : ['taskset', '-c', String(processor)];
    const command = [...taken, ...pinned, process.execPath, script, JSON.stringify(task)];
    this.child = spawn('ip', ['netns', 'exec', namespace, ...command], {
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    this.closed = new Promise((resolve) => this.child.once('close', resolve));
    this.child.stderr?.setEncoding('utf8').on('data', (text: string) => (this.complaint += text));
    this.child.stdin?.on('error', () => undefined);
    const lines = createInterface({ input: this.child.stdout! });
    this.answers = lines[Symbol.asyncIterator]();
  }

  tell(command: Command): void {
    this.child.stdin?.write(`${JSON.stringify(command)}\n`);
  }

  /** The next answer. Throws LabError with what the process complained of. */
  async next(): Promise<Answer> {
    const next = await this.answers.next();
    if (next.done) throw this.failure();
    const answer: Answer = JSON.parse(next.value);
    return answer;
  }

  /** The next answer, which must be of that kind. */
  async expect<Kind extends Answer['kind']>(kind: Kind): Promise<Extract<Answer, { kind: Kind }>> {
    const answer = await this.next();
    if (isKind(answer, kind)) return answer;
    throw this.failure();
  }

  private failure(): LabError {
    const reason = this.complaint.split('\n').find((line) => /error/i.test(line)) ?? 'it ended without a word';
    return new LabError(`${this.spec.title} in ${this.spec.namespace} failed: ${reason}`);
  }

  /** Resolves when the process is gone: until then it holds its namespace. */
  async over(): Promise<void> {
    await this.closed;
  }

  /** At once, whatever it does; who waits for an answer gets a LabError. */
  end(): void {
    this.child.kill('SIGKILL');
  }
}

function hasChrt(): boolean {
  return (process.env.PATH ?? '').split(delimiter).some((folder) => existsSync(join(folder, 'chrt')));
}

function isKind<Answer extends { readonly kind: string }, Kind extends Answer['kind']>(
  answer: Answer,
  kind: Kind,
): answer is Extract<Answer, { kind: Kind }> {
  return answer.kind === kind;
}
