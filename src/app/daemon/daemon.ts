/** The composition root: a speaker on Linux, the control API in front of it, and signals that end it in order. */

import type { Clock } from '../../core/ports/clock.js';
import type { LogEvent } from '../../core/ports/event-log.js';
import { Speaker } from '../../core/speaker/speaker.js';
import { Credentials } from '../../edge/control/credentials.js';
import { serveControl } from '../../edge/control/server.js';
import { LinuxBfdSessions } from '../../edge/linux/bfd-sessions.js';
import { setForwardingSwitches } from '../../edge/linux/forwarding-switches.js';
import { LinuxGateways } from '../../edge/linux/gateways.js';
import { LinuxKernelTables } from '../../edge/linux/kernel-tables.js';
import { LargePages } from '../../edge/linux/large-pages.js';
import { LinuxLinks } from '../../edge/linux/links.js';
import { LinuxLoadMeters } from '../../edge/linux/load-meters.js';
import { lockNamespace } from '../../edge/linux/namespace-lock.js';
import { LinuxNdSockets } from '../../edge/linux/nd-sockets.js';
import { ProcessMeter } from '../../edge/linux/process-usage.js';
import { LinuxReachability } from '../../edge/linux/reachability.js';
import { SystemClock } from '../../edge/linux/system-clock.js';
import { SystemRandom } from '../../edge/linux/system-random.js';
import { TcpTransport } from '../../edge/linux/tcp-transport.js';
import type { DaemonConfig } from '../config/daemon-config.js';
import { DaemonPage } from '../page/daemon-page.js';
import { Rehearsal } from '../rehearsal/rehearsal.js';
import { RelayedClock } from '../rehearsal/relayed-clock.js';
import { controlCommands } from './control-commands.js';
import { controlHandlers } from './control-handlers.js';
import { DaemonEvents } from './events/daemon-events.js';
import { ForwardingPlane } from './forwarding-plane.js';
import { LogLimit } from './log-limit.js';
import { LogWriter } from './log-writer.js';
import { SessionMeter } from './measurements/session-meter.js';
import { Monitoring } from './monitoring.js';
import { OptimiserBudget } from './optimiser-budget.js';
import { Reloader } from './reloader.js';

/** Milliseconds after a link came up by which its neighbour is there, or may not come at all. */
const START_PATIENCE = 10_000;

/** Runs until SIGTERM or SIGINT; resolves with the exit code. Rejects with one plain error, nothing half-applied, when it cannot start. */
export async function runDaemon(config: DaemonConfig, file: string): Promise<number> {
  const clock = new RelayedClock(new SystemClock());
  const log = logOf(config, clock);
  const credentials = config.control && new Credentials(config.control);
  const lock = await lockNamespace({
    name: config.speaker.name,
    pid: process.pid,
    controlSocket: config.controlSocket,
  });
  const links = await LinuxLinks.open();
  const kernel = await LinuxKernelTables.open();
  const plane = await ForwardingPlane.open(config, { links, log });
  const tables = plane.over(kernel);
  const reachability = await LinuxReachability.open(links);
  const bfd = new LinuxBfdSessions();
  const meters = new LinuxLoadMeters();
  const gateways = new LinuxGateways();
  const random = new SystemRandom();
  const monitoring = new Monitoring(config, { clock, log, random });
  const events = new DaemonEvents();
  const meter = new SessionMeter();
  const usage = new ProcessMeter();
  const speaker = new Speaker(config.speaker, {
    clock,
    log,
    random,
    watchers: [...monitoring.watchers, events.watcher, meter],
    transport: new TcpTransport(),
    ndSockets: new LinuxNdSockets(),
    links,
    bfd,
    tables,
    reachability,
    gateways,
    meters,
    tableMemory: new LargePages(),
  });
  speaker.engine.rib.addSink(meter);
  const reloader = new Reloader(config, { file, speaker, plane, log, ...(credentials && { credentials }) });
  const onHangup = (): void => {
    monitoring.reopen();
    reloader.reload().catch((error: unknown) => log.write(unexpected(error)));
  };
  const closers: (() => void | Promise<void>)[] = [
    () => monitoring.stop(),
    () => bfd.close(),
    () => meters.close(),
    () => gateways.close(),
    () => reachability.close(),
    () => links.close(),
    () => plane.close(),
    () => tables.close(),
    () => usage.close(),
    () => lock.release(),
  ];
  try {
    // Before anything is changed: the path may be in use by a daemon of another network namespace.
    const measured = { meter, reloads: () => reloader.status, process: () => usage.read() };
    const handlers = controlHandlers(speaker, clock, {
      ...{ monitoring, plane, measured, events: events.hub(speaker, plane) },
    });
    const control = await serveControl({
      path: config.controlSocket,
      ...(config.control && credentials && { tcp: { ...config.control, credentials, log } }),
      handlers,
      page: new DaemonPage(handlers),
      commands: controlCommands(speaker, reloader),
    });
    closers.unshift(() => control.close());
    const restoreSwitches = setForwardingSwitches(log, config.speaker.manageSwitches);
    monitoring.start(speaker);
    await speaker.start().catch((error: unknown) => {
      restoreSwitches();
      throw error;
    });
    plane.follow(speaker);
    process.on('SIGHUP', onHangup);
    const rehearsal = config.rehearsal ? rehearse(speaker, clock, log) : undefined;
    await untilSignalled(speaker, log, () => rehearsal?.stop());
  } finally {
    process.off('SIGHUP', onHangup);
    for (const close of closers) await close();
  }
  return 0;
}

function rehearse(speaker: Speaker, clock: Clock, log: LogWriter): Rehearsal {
  const optimiser = new OptimiserBudget();
  const hurry = (sooner: boolean) => optimiser.optimiseSooner(sooner);
  const rehearsal = new Rehearsal(clock, () => hasWork(speaker, clock), hurry);
  rehearsal.run().catch((error: unknown) => log.write(endedEarly(error)));
  return rehearsal;
}

function logOf({ logLevel: level }: DaemonConfig, clock: Clock): LogWriter {
  const print = (line: string): void => void process.stderr.write(line);
  const log: LogWriter = new LogWriter({ level, print, limit: new LogLimit(clock, (event) => log.print(event)) });
  return log;
}

function unexpected(error: unknown): LogEvent {
  return { level: 'error', topic: 'speaker', message: `reload failed: ${String(error)}` };
}

function endedEarly(error: unknown): LogEvent {
  return { level: 'error', topic: 'speaker', message: `rehearsal ended early: ${String(error)}` };
}

/** Table work of the router, or links that came up and whose sessions and routes are still to come. */
function hasWork({ engine, fib, convergence }: Speaker, clock: Clock): boolean {
  if (!engine.idle || !fib.idle) return true;
  const since = convergence.pendingSince;
  return since !== undefined && clock.now() < since + START_PATIENCE;
}

async function untilSignalled(speaker: Speaker, log: LogWriter, stopping: () => void): Promise<void> {
  const { name, role } = speaker.config;
  // Before anybody is told that it runs: who hears that may end it at once.
  const end = signalled(['SIGTERM', 'SIGINT']);
  log.write({ level: 'info', topic: 'speaker', message: `${name} runs as ${role}` });
  const signal = await end;
  stopping();
  log.write({ level: 'info', topic: 'speaker', message: `${signal}: stopping` });
  const isRestart = signal === 'SIGTERM' && speaker.config.restarter !== undefined;
  await speaker.stop(isRestart ? { kind: 'restart' } : undefined);
}

function signalled(signals: readonly NodeJS.Signals[]): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    for (const signal of signals) process.once(signal, () => resolve(signal));
  });
}
