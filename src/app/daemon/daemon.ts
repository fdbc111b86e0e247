/** The composition root: a speaker on Linux, the control API in front of it, and signals that end it in order. */

import { Speaker } from '../../core/speaker/speaker.js';
import { serveControl } from '../../edge/control/server.js';
import { setForwardingSwitches } from '../../edge/linux/forwarding-switches.js';
import { LinuxKernelTables } from '../../edge/linux/kernel-tables.js';
import { LinuxLinks } from '../../edge/linux/links.js';
import { LinuxNdSockets } from '../../edge/linux/nd-sockets.js';
import { SystemClock } from '../../edge/linux/system-clock.js';
import { SystemRandom } from '../../edge/linux/system-random.js';
import { TcpTransport } from '../../edge/linux/tcp-transport.js';
import type { DaemonConfig } from '../config/daemon-config.js';
import { controlHandlers } from './control-handlers.js';
import { LogLimit } from './log-limit.js';
import { LogWriter } from './log-writer.js';

/** Runs until SIGTERM or SIGINT; resolves with the exit code. Rejects with one plain error, nothing half-applied, when it cannot start. */
export async function runDaemon(config: DaemonConfig): Promise<number> {
  const clock = new SystemClock();
  const log = logOf(config, clock);
  const links = await LinuxLinks.open();
  const tables = await LinuxKernelTables.open();
  const speaker = new Speaker(config.speaker, {
    clock,
    log,
    random: new SystemRandom(),
    transport: new TcpTransport(),
    ndSockets: new LinuxNdSockets(),
    links,
    tables,
  });
  const closers: (() => void | Promise<void>)[] = [() => links.close(), () => tables.close()];
  try {
    // First of all, because it proves that no other daemon runs with this configuration.
    const control = await serveControl({ path: config.controlSocket, handlers: controlHandlers(speaker, clock) });
    closers.unshift(() => control.close());
    setForwardingSwitches(log, config.speaker.manageSwitches);
    await speaker.start();
    await untilSignalled(speaker, log);
  } finally {
    for (const close of closers) await close();
  }
  return 0;
}

/** Whoever asks for debug lines asks for all of them. */
function logOf({ logLevel: level }: DaemonConfig, clock: SystemClock): LogWriter {
  const print = (line: string): void => void process.stderr.write(line);
  if (level === 'debug') return new LogWriter({ level, print });
  const log: LogWriter = new LogWriter({ level, print, limit: new LogLimit(clock, (event) => log.print(event)) });
  return log;
}

async function untilSignalled(speaker: Speaker, log: LogWriter): Promise<void> {
  const { name, role } = speaker.config;
  log.write({ level: 'info', topic: 'speaker', message: `${name} runs as ${role}` });
  const signal = await signalled(['SIGTERM', 'SIGINT']);
  log.write({ level: 'info', topic: 'speaker', message: `${signal}: stopping` });
  await speaker.stop();
}

function signalled(signals: readonly NodeJS.Signals[]): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    for (const signal of signals) process.once(signal, () => resolve(signal));
  });
}
