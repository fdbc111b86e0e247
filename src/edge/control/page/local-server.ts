/** An HTTP server on loopback, for a browser on this machine. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { foreignness } from './same-origin.js';

const LOOPBACK = '127.0.0.1';

export interface LocalServer {
  /** `http://127.0.0.1:8179/` */
  readonly address: string;
  close(): Promise<void>;
}

/** Listens at `port`, or at a free one for 0. `answer` gets what our own page asks. Rejects with a plain error. */
export function serveLocally(
  port: number,
  answer: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<LocalServer> {
  let hosts: readonly string[] = [];
  const server = createServer((request, response) => {
    const refusal = foreignness(request, hosts);
    if (!refusal) return answer(request, response);
    request.resume();
    response.writeHead(refusal.status, { 'content-type': 'application/json' }).end(JSON.stringify(refusal.body));
  });
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const why =
        error.code === 'EADDRINUSE'
          ? 'another program has it: choose another with --port'
          : (error.code ?? error.message);
      reject(new Error(`cannot listen at ${LOOPBACK} port ${port}: ${why}`));
    });
    server.listen(port, LOOPBACK, () => {
      const { port: taken } = server.address() as AddressInfo;
      hosts = [`${LOOPBACK}:${taken}`, `localhost:${taken}`];
      const close = () =>
        new Promise<void>((done) => {
          server.close(() => done());
          server.closeAllConnections();
        });
      resolve({ address: `http://${hosts[0]}/`, close });
    });
  });
}
