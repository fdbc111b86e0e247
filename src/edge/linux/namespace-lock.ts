/**
 * One daemon in a network namespace: two would take each other's routes and next hops, which both mark as their own, for leftovers.
 * The lock is an abstract unix socket. Those belong to the network namespace, not to the file system, and the kernel frees them
 * with the process, however that ends. Who connects is told who holds it.
 */
import { connect, createServer, type Server, type Socket } from 'node:net';

export interface LockHolder {
  /** The router's name. */
  readonly name: string;
  readonly pid: number;
  readonly controlSocket: string;
}

export interface NamespaceLock {
  release(): void;
}

/** As long as such a name can be, so that it is the same with and without the padding that some versions of Node give it. */
const LOCK_NAME = '\0heddle'.padEnd(108, '.');
/** Milliseconds that the holder gets to say who it is. */
const PATIENCE = 1000;

/** Rejects with one plain error that names the daemon which has it. */
export async function lockNamespace(holder: LockHolder): Promise<NamespaceLock> {
  const server = createServer((client) => answer(client, holder));
  const problem = await listen(server);
  if (problem === 'EADDRINUSE') throw new Error(`${await describeHolder()} runs in this network namespace already`);
  if (problem !== undefined) throw new Error(`the lock of this network namespace cannot be had (${problem})`);
  server.unref();
  return { release: () => void server.close() };
}

function answer(client: Socket, holder: LockHolder): void {
  client.on('error', () => {});
  client.end(`${JSON.stringify(holder)}\n`);
  client.unref();
}

/** The errno of what went wrong; `undefined` when it listens. */
function listen(server: Server): Promise<string | undefined> {
  return new Promise((resolve) => {
    server.once('error', (error) => resolve('code' in error ? String(error.code) : error.message));
    server.listen(LOCK_NAME, () => resolve(undefined));
  });
}

function describeHolder(): Promise<string> {
  return new Promise((resolve) => {
    let text = '';
    const client = connect(LOCK_NAME);
    const settle = () => {
      client.destroy();
      resolve(nameOf(text));
    };
    client.setTimeout(PATIENCE, settle);
    client.setEncoding('utf8').on('data', (piece: string) => (text += piece));
    client.once('end', settle);
    client.once('error', settle);
  });
}

function nameOf(text: string): string {
  try {
    const { name, pid, controlSocket }: LockHolder = JSON.parse(text);
    return `another heddle (${name}, process ${pid}, control socket ${controlSocket})`;
  } catch {
    return 'another heddle, which does not say who it is,';
  }
}
