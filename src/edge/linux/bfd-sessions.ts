/**
 * BFD sessions as the routing thread sees them: they run in a thread of their own (bfd-worker.ts), started with the first one,
 * so that neither table work nor garbage collection here delays a packet. Here only changes and counters arrive.
 */
import { Worker } from 'node:worker_threads';
import type { BfdChange, BfdParameters, BfdSession, BfdSessions, BfdStatus, BfdTarget } from '../../core/ports/bfd.js';
import type { BfdReport, BfdRequest } from './bfd-messages.js';

interface Handlers {
  changed(change: BfdChange): void;
  failed(reason: string): void;
}

interface Known {
  readonly handlers: Handlers;
  status: BfdStatus | undefined;
}

/** Milliseconds that stopping waits for the thread. */
const STOP_TIME = 1000;

export class LinuxBfdSessions implements BfdSessions {
  private worker: Worker | undefined;
  private readonly sessions = new Map<number, Known>();
  private lastId = 0;

  constructor(private readonly program: URL = new URL('./bfd-worker.js', import.meta.url)) {}

  open(target: BfdTarget, parameters: BfdParameters, handlers: Handlers): BfdSession {
    const id = ++this.lastId;
    const known: Known = { handlers, status: undefined };
    this.sessions.set(id, known);
    const { interfaceName, interfaceIndex, local, remote } = target;
    const { interval, multiplier } = parameters;
    this.request({
      kind: 'open',
      id,
      target: { interfaceName, interfaceIndex, local, remote },
      parameters: { interval, multiplier },
    });
    return {
      status: () => known.status,
      change: (next) => {
        const told = { interval: next.interval, multiplier: next.multiplier };
        if (this.sessions.has(id)) this.request({ kind: 'change', id, parameters: told });
      },
      close: () => {
        if (this.sessions.delete(id)) this.worker?.postMessage({ kind: 'close', id } satisfies BfdRequest);
      },
    };
  }

  /** Every session goes to AdminDown, and the thread ends. */
  async close(): Promise<void> {
    const { worker } = this;
    this.worker = undefined;
    this.sessions.clear();
    if (!worker) return;
    const exited = new Promise<void>((resolve) => worker.once('exit', () => resolve()));
    worker.postMessage({ kind: 'stop' } satisfies BfdRequest);
    const late = setTimeout(() => void worker.terminate(), STOP_TIME);
    await exited;
    clearTimeout(late);
  }

  private request(request: BfdRequest): void {
    this.worker ??= this.startWorker();
    this.worker.postMessage(request);
  }

  private startWorker(): Worker {
    const worker = new Worker(this.program, { name: 'bfd' });
    worker.on('message', (report: BfdReport) => this.heard(report));
    worker.on('error', (error) => this.died(worker, error.message));
    return worker;
  }

  /** Nothing is known of the paths any more, which is no failure of theirs. */
  private died(worker: Worker, reason: string): void {
    if (this.worker !== worker) return;
    this.worker = undefined;
    const lost = [...this.sessions.values()];
    this.sessions.clear();
    for (const known of lost) {
      known.status = undefined;
      known.handlers.failed(`the BFD thread died: ${reason}`);
    }
  }

  private heard(report: BfdReport): void {
    const known = this.sessions.get(report.id);
    if (!known) return;
    if (report.kind === 'failed') return known.handlers.failed(report.reason);
    known.status = report.status;
    if (report.kind === 'changed') known.handlers.changed(report.change);
  }
}
