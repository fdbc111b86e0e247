/**
 * The shell that samples are typed into, in namespaces of its own: its network, its processes and its /run are nobody else's, so that a page can say `heddle lab up`
 * although another lab of that name is up, and nothing is left when the shell ends, whatever was started.
 */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { PACKAGE_ROOT } from '../../src/app/lab/lab.js';

export interface Answer {
  readonly lines: readonly string[];
  readonly exitCode: number;
}

const NAMESPACES = ['--mount', '--net', '--pid', '--fork', '--kill-child', '--mount-proc'];

/** Readers type `sudo` and are somebody; here everybody is root already. */
const PREPARE = `
mount -t tmpfs tmpfs /run && ip link set lo up || exit 1
sudo() { "$@"; }
`;

/** Follows the output of a command. */
const MARK = '\u0001end of command';

export class Shell {
  readonly #process: ChildProcessWithoutNullStreams;
  #output = '';
  #waiting: (() => void) | undefined;

  constructor() {
    const environment = { ...process.env, HEDDLE_LAB_STATE: undefined, HEDDLE_SOCKET: undefined };
    this.#process = spawn('unshare', [...NAMESPACES, 'bash', '--norc', '-s'], { cwd: PACKAGE_ROOT, env: environment });
    this.#process.stdout.setEncoding('utf8').on('data', (text: string) => {
      this.#output += text;
      this.#waiting?.();
    });
    this.#process.on('close', () => this.#waiting?.());
    this.#process.stdin.on('error', () => this.#waiting?.()).write(PREPARE);
  }

  /** What it prints on both outputs until it is done. */
  async type(command: string): Promise<Answer> {
    this.#output = '';
    this.#process.stdin.write(`{ ${command}\n} 2>&1 </dev/null\ns=$?; printf '\\n${MARK} %d\\n' "$s"; (exit "$s")\n`);
    const end = new RegExp(`\\n${MARK} (\\d+)\\n`);
    for (;;) {
      const found = end.exec(this.#output);
      if (found) {
        return { lines: this.#output.slice(0, found.index).split('\n'), exitCode: Number(found[1]) };
      }
      if (this.#process.exitCode !== null) throw new Error(`the shell ended in: ${command}\n${this.#output}`);
      await new Promise<void>((resolve) => {
        this.#waiting = resolve;
      });
    }
  }

  async close(): Promise<void> {
    if (this.#process.exitCode !== null) return;
    const closed = once(this.#process, 'close');
    this.#process.kill('SIGKILL');
    await closed;
  }
}
