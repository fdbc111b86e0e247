/**
 * Long-running programs of a lab: started detached with their output in a log file, remembered as pid and start time, and
 * ended only when both still match, so that a recycled pid is never hit.
 */
import { spawn } from 'node:child_process';
import { closeSync, existsSync, openSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { LabError } from './command.js';
import { poll } from './poll.js';

export interface ProcessSpec {
  /** Names the pid and log files: `leaf1`, `spine2.bgpd`. */
  readonly name: string;
  readonly program: string;
  readonly parameters: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

export interface LabProcess {
  readonly name: string;
  readonly pid: number;
  /** Clock ticks since boot, as the kernel counts them; with the pid it names one process for good. */
  readonly startTime: string;
}

const PID_SUFFIX = '.pid';

/** The program is exec'd by what starts it, so the pid is its own. */
export function startProcess(directory: string, spec: ProcessSpec): LabProcess {
  const log = openSync(logFile(directory, spec.name), 'a');
  try {
    const child = spawn(spec.program, spec.parameters, {
      cwd: directory,
      detached: true,
      env: { ...process.env, ...spec.env },
      stdio: ['ignore', log, log],
    });
    child.on('error', () => undefined);
    if (child.pid === undefined) throw new LabError(`cannot start ${spec.program} for ${spec.name}`);
    child.unref();
    const started = { name: spec.name, pid: child.pid, startTime: startTimeOf(child.pid) ?? '' };
    writeFileSync(join(directory, `${spec.name}${PID_SUFFIX}`), `${started.pid} ${started.startTime}\n`);
    return started;
  } finally {
    closeSync(log);
  }
}

export function logFile(directory: string, name: string): string {
  return join(directory, `${name}.log`);
}

/** Last lines of a process's log that say something, for error messages. */
export function lastLogLine(directory: string, name: string): string | undefined {
  const file = logFile(directory, name);
  if (!existsSync(file)) return undefined;
  return readFileSync(file, 'utf8').trimEnd().split('\n').at(-1) || undefined;
}

export function recordedProcesses(directory: string): LabProcess[] {
  if (!existsSync(directory)) return [];
  const files = readdirSync(directory).filter((file) => file.endsWith(PID_SUFFIX));
  return files.flatMap((file) => {
    const [pid, startTime] = readFileSync(join(directory, file), 'utf8').trim().split(' ');
    return pid && startTime ? [{ name: file.slice(0, -PID_SUFFIX.length), pid: Number(pid), startTime }] : [];
  });
}

export function isAlive(process: LabProcess): boolean {
  return startTimeOf(process.pid) === process.startTime;
}

/** SIGTERM, then SIGKILL for what is still there after `patience` milliseconds. Resolves with those that had to be killed. */
export async function endProcesses(processes: readonly LabProcess[], patience = 5_000): Promise<readonly LabProcess[]> {
  for (const entry of processes) signal(entry, 'SIGTERM');
  const gone = await poll(() => !processes.some(isAlive), { timeout: patience, interval: 20 });
  const stubborn = gone ? [] : processes.filter(isAlive);
  for (const entry of stubborn) signal(entry, 'SIGKILL');
  await poll(() => !stubborn.some(isAlive), { timeout: 2_000, interval: 10 });
  return stubborn;
}

/** Throws LabError when no such process of the lab runs. */
export function signalProcess(directory: string, name: string, what: NodeJS.Signals): void {
  const found = recordedProcesses(directory).find((entry) => entry.name === name);
  if (!found || !isAlive(found)) throw new LabError(`${name} does not run`);
  signal(found, what);
}

export function forgetProcess(directory: string, name: string): void {
  rmSync(join(directory, `${name}${PID_SUFFIX}`), { force: true });
}

function signal(target: LabProcess, name: NodeJS.Signals): void {
  if (isAlive(target)) process.kill(target.pid, name);
}

/** Field 22 of /proc/PID/stat; `undefined` when there is no such process, or only what is left of one. */
function startTimeOf(pid: number): string | undefined {
  try {
    // The second field is the name in parentheses, which may hold spaces.
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    return fields[0] === 'Z' ? undefined : fields[19];
  } catch {
    return undefined;
  }
}
