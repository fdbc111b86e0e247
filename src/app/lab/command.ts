/** Runs programs of the machine (ip, vtysh ...) to completion, and lab errors as single lines for people. */
import { spawn } from 'node:child_process';

/** What went wrong in the lab, as one line; commands print it without a stack trace. */
export class LabError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'LabError';
  }
}

export interface CommandOptions {
  /** Text for its standard input. */
  readonly input?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
}

export interface CommandResult {
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Resolves when the program has ended, whatever its exit status; rejects with LabError when it cannot be started. */
export function tryRun(
  program: string,
  parameters: readonly string[],
  options: CommandOptions = {},
): Promise<CommandResult> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, parameters, {
      cwd: options.cwd,
      env: { ...process.env, ...options.env },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    let stdout = '';
    let stderr = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
    child.on('error', (error) => reject(new LabError(`cannot run ${program}: ${error.message}`)));
    child.on('close', (status) => resolve({ status: status ?? 1, stdout, stderr }));
    // A program that does not read its input closes the pipe: no fault of ours.
    child.stdin.on('error', () => undefined).end(options.input ?? '');
  });
}

/** As tryRun, but an exit status other than 0 rejects with what the program complained of. Resolves with its output. */
export async function run(
  program: string,
  parameters: readonly string[],
  options: CommandOptions = {},
): Promise<string> {
  const result = await tryRun(program, parameters, options);
  if (result.status === 0) return result.stdout;
  const complaint = (result.stderr || result.stdout).trim().split('\n')[0] ?? '';
  throw new LabError(`${program} ${parameters.join(' ')} failed: ${complaint || `exit status ${result.status}`}`);
}
