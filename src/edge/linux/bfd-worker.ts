/**
 * The thread that runs BFD: machines, timers and sockets, away from the routing loop. It hears of sessions to run, and tells of
 * changes at once and of counters once a second.
 */
import { setPriority } from 'node:os';
import { parentPort } from 'node:worker_threads';
import { BfdRunner } from '../../core/bfd/runner.js';
import type { BfdSession } from '../../core/ports/bfd.js';
import type { BfdReport, BfdRequest } from './bfd-messages.js';
import { LinuxBfdNetwork } from './bfd-network.js';
import { SystemClock } from './system-clock.js';
import { SystemRandom } from './system-random.js';

const STATUS_INTERVAL = 1000;
/** Milliseconds for the last packets to leave. */
const FLUSH_TIME = 20;
const NICENESS = -10;

const port = parentPort!;
const runner = new BfdRunner({ clock: new SystemClock(), random: new SystemRandom(), network: new LinuxBfdNetwork() });
const sessions = new Map<number, BfdSession>();

function report(message: BfdReport): void {
  port.postMessage(message);
}

function reportStatus(id: number, session: BfdSession): void {
  const status = session.status();
  if (status) report({ kind: 'status', id, status });
}

function open(request: Extract<BfdRequest, { kind: 'open' }>): void {
  const { id, target, parameters } = request;
  const session: BfdSession = runner.open(target, parameters, {
    changed: (change) => report({ kind: 'changed', id, change, status: session.status()! }),
    failed: (reason) => report({ kind: 'failed', id, reason }),
  });
  sessions.set(id, session);
  reportStatus(id, session);
}

function close(id: number): void {
  sessions.get(id)?.close();
  sessions.delete(id);
}

function stop(): void {
  for (const id of [...sessions.keys()]) close(id);
  setTimeout(() => process.exit(), FLUSH_TIME);
}

function handle(request: BfdRequest): void {
  switch (request.kind) {
    case 'open':
      return open(request);
    case 'change':
      return sessions.get(request.id)?.change(request.parameters);
    case 'close':
      return close(request.id);
    case 'stop':
      return stop();
  }
}

/** On Linux a priority belongs to a thread, and 0 is the one that asks. */
function hurry(): void {
  try {
    setPriority(0, NICENESS);
  } catch {
    // Without the privilege it shares the processor like everybody else.
  }
}

hurry();
port.on('message', handle);
setInterval(() => {
  for (const [id, session] of sessions) reportStatus(id, session);
}, STATUS_INTERVAL);
