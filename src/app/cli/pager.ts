/**
 * Tables that are longer than the terminal go through a pager: that of PAGER, or less. What fits, and what goes elsewhere than to a terminal, is
 * printed as it is.
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import type { Writable } from 'node:stream';
import { complain } from './terminal.js';

/** Ends when all of it fits, passes colours on, and leaves the screen as it is. */
const DEFAULT_PAGER = 'less -FRX';
const ROWS = 24;

let allowed = true;

/** What `--no-pager` says, before anything is printed. */
export function allowPager(choice: boolean): void {
  allowed = choice;
}

export function page(lines: readonly string[]): Promise<void> {
  return pagePieces([lines]);
}

/** Of lines that come piece by piece; resolves when they are printed, or the pager was left. */
export async function pagePieces(
  pieces: Iterable<readonly string[]> | AsyncIterable<readonly string[]>,
): Promise<void> {
  const command = pagerCommand();
  // The line below is the prompt's.
  const room = (process.stdout.rows || ROWS) - 1;
  let held: readonly string[] = [];
  let pager: Pager | undefined;
  for await (const lines of pieces) {
    if (command === undefined) write(process.stdout, lines);
    else if (pager === undefined && held.length + lines.length <= room) held = [...held, ...lines];
    else {
      pager ??= new Pager(command, held);
      if (!(await pager.write(lines))) break;
    }
  }
  if (pager) await pager.end();
  else write(process.stdout, held);
}

/** `undefined` where there is to be none. */
function pagerCommand(): string | undefined {
  if (!allowed || !process.stdout.isTTY) return undefined;
  const chosen = process.env.PAGER;
  if (chosen === '' || chosen === 'cat') return undefined;
  const command = chosen ?? DEFAULT_PAGER;
  const [program = ''] = command.split(' ');
  if (isThere(program)) return command;
  if (chosen !== undefined) complain([`heddle: PAGER is ${chosen}, and ${program} is not there: nothing is paged`]);
  return undefined;
}

/** What is more than a name is the shell's business. */
function isThere(program: string): boolean {
  return (
    !/^[\w./+-]+$/.test(program) || spawnSync('sh', ['-c', `command -v ${program}`], { stdio: 'ignore' }).status === 0
  );
}

function write(target: Writable, lines: readonly string[]): boolean {
  return lines.length === 0 || target.write(lines.map((line) => `${line}\n`).join(''));
}

class Pager {
  readonly #stdin: Writable;
  readonly #gone: Promise<unknown>;
  #left = false;

  constructor(command: string, first: readonly string[]) {
    const child = spawn(command, { shell: true, stdio: ['pipe', 'inherit', 'inherit'] });
    this.#stdin = child.stdin;
    this.#gone = once(child, 'close');
    // Ctrl-C is for the pager, which stays.
    process.on('SIGINT', ignore);
    this.#stdin.on('error', () => {
      this.#left = true;
    });
    child.once('close', () => {
      this.#left = true;
    });
    write(this.#stdin, first);
  }

  /** False when nobody reads any more. */
  async write(lines: readonly string[]): Promise<boolean> {
    if (this.#left) return false;
    if (!write(this.#stdin, lines)) await Promise.race([once(this.#stdin, 'drain'), this.#gone]).catch(ignore);
    return !this.#left;
  }

  async end(): Promise<void> {
    this.#stdin.end();
    await this.#gone;
    process.off('SIGINT', ignore);
  }
}

function ignore(): void {}
