/** The control API's server: HTTP and JSON on a unix socket that only its owner can open, and over TCP where that is configured. */
import { chmodSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { CROWDED, HTTP_LIMITS, limit } from './limits.js';
import { ControlService, type Served } from './service.js';
import { codeOf, prepareSocketFile } from './socket-file.js';
import { listenOnTcp, type TcpOptions } from './tcp-listener.js';

export interface ControlServer {
  /** Ends open requests and removes the socket. */
  close(): Promise<void>;
}

export interface ControlPlaces {
  /** Of the socket. */
  readonly path: string;
  readonly tcp?: TcpOptions;
}

/**
 * Listens at `path` (mode 0600), in a directory it makes when missing. A socket nobody answers on is removed; rejects
 * with a plain error when another daemon answers there, or when the path cannot be a socket, or the TCP address cannot be had.
 */
export async function serveControl({ path, tcp, ...served }: Served & ControlPlaces): Promise<ControlServer> {
  await prepareSocketFile(path);
  const service = new ControlService(served);
  const local = createServer(HTTP_LIMITS, (request, response) => {
    if (isOver(request)) service.refuse(CROWDED, response);
    else service.handle(request, response, true);
  });
  const isOver = limit(local, 'connection');
  await listen(local, path);
  const servers = [local];
  const end = async (): Promise<void> => {
    service.close();
    await Promise.all(servers.map(close));
  };
  try {
    if (tcp) servers.push(await listenOnTcp(tcp, service));
  } catch (error) {
    await end();
    throw error;
  }
  return { close: end };
}

function listen(server: Server, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.on('error', (error) => reject(new Error(`control socket ${path}: cannot listen (${codeOf(error)})`)));
    // bind(2) runs within this call: no moment in which others could open the socket.
    const umask = process.umask(0o177);
    server.listen(path, () => {
      chmodSync(path, 0o600);
      resolve();
    });
    process.umask(umask);
  });
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
