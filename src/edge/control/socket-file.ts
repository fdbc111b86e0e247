/** The place of the control socket: its directory, and what is left there of a daemon that was killed. */
import { lstatSync, mkdirSync, unlinkSync } from 'node:fs';
import { connect } from 'node:net';
import { dirname } from 'node:path';

/** Makes the directory and removes a socket that nobody answers on. Rejects with a plain error when the path cannot be had. */
export async function prepareSocketFile(path: string): Promise<void> {
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o755 });
  } catch (error) {
    throw new Error(`control socket ${path}: cannot make its directory (${codeOf(error)})`);
  }
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return;
  if (!stats.isSocket()) throw new Error(`control socket ${path}: there is something that is not a socket`);
  if (await isAnswered(path)) throw new Error(`control socket ${path}: another heddle is running and owns it`);
  unlinkSync(path);
}

function isAnswered(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = connect(path);
    const settle = (answered: boolean) => {
      probe.destroy();
      resolve(answered);
    };
    probe.once('connect', () => settle(true));
    // Any refusal but ECONNREFUSED means somebody may be there (EACCES, EAGAIN with a full backlog).
    probe.once('error', (error) => settle(!['ECONNREFUSED', 'ENOENT'].includes(codeOf(error))));
  });
}

export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : String(error);
}
