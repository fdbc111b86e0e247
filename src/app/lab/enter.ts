/** Runs a command inside a node's namespace, with the terminal handed over. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { delimiter, join } from 'node:path';
import { checkNode, controlSocket, type Lab, namespaceOf, PACKAGE_ROOT } from './lab.js';

/** Resolves with the exit status. `heddle` is found inside, and asks the node's own daemon. */
export async function runInNode(lab: Lab, node: string, command: readonly string[]): Promise<number> {
  checkNode(lab, node);
  const child = spawn('ip', ['netns', 'exec', namespaceOf(lab, node), ...command], {
    stdio: 'inherit',
    env: {
      ...process.env,
      HEDDLE_SOCKET: controlSocket(lab, node),
      PATH: [process.env.PATH, join(PACKAGE_ROOT, 'bin')].join(delimiter),
    },
  });
  const [status]: (number | null)[] = await once(child, 'exit');
  return status ?? 1;
}
