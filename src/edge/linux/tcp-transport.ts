/**
 * The Transport port over TCP of the kernel. A link-local address carries its zone (`fe80::1%eth0`) in both directions, so Node's own
 * sockets do for BGP unnumbered (RFC 4007 section 11). Every failure comes out in plain words; nothing is thrown at the top.
 */
import { connect, createServer, type Server, type Socket } from 'node:net';
import { type Address, formatAddress, isLinkLocal, parseAddress } from '../../core/net/address.js';
import type { Listener, Stream, StreamHandlers, Transport } from '../../core/ports/transport.js';

/** How long an ended stream may take to flush and to see the other side close. */
const CLOSE_TIMEOUT_MS = 5000;

export class TcpTransport implements Transport {
  listen(port: number, accept: (stream: Stream) => void): Promise<Listener> {
    return new Promise((resolve, reject) => {
      const server = createServer({ noDelay: true }, (socket) => {
        const stream = TcpStream.over(socket);
        if (stream) accept(stream);
      });
      // Once it listens only a failed accept ends here (no descriptor left, say): the other side tries again.
      server.on('error', (error) => reject(listenError(error, port)));
      server.listen({ port, host: '::', ipv6Only: true }, () => resolve(listenerOf(server)));
    });
  }

  connect(
    target: { interfaceName: string; local: Address; remote: Address; port: number },
    signal: AbortSignal,
  ): Promise<Stream> {
    return new Promise((resolve, reject) => {
      if (signal.aborted) return reject(new Error('given up'));
      const socket = connect({
        host: zoned(target.remote, target.interfaceName),
        localAddress: zoned(target.local, target.interfaceName),
        port: target.port,
        noDelay: true,
      });
      const giveUp = (): void => {
        socket.destroy();
        reject(new Error('given up'));
      };
      signal.addEventListener('abort', giveUp, { once: true });
      socket.once('error', (error) => {
        signal.removeEventListener('abort', giveUp);
        reject(connectError(error, target));
      });
      socket.once('connect', () => {
        signal.removeEventListener('abort', giveUp);
        const stream = TcpStream.over(socket);
        if (stream) resolve(stream);
        else reject(new Error('the connection was gone at once'));
      });
    });
  }
}

class TcpStream implements Stream {
  private handlers: StreamHandlers | undefined;
  private error: Error | undefined;
  private gone = false;

  private constructor(
    private readonly socket: Socket,
    readonly interfaceName: string,
    readonly local: Address,
    readonly remote: Address,
    readonly localPort: number,
    readonly remotePort: number,
  ) {
    socket.on('error', (error) => {
      this.error = streamError(error);
    });
    socket.once('close', () => {
      this.gone = true;
      this.handlers?.closed(this.error);
    });
  }

  /** `undefined`, and the socket destroyed, when the other side is gone already. */
  static over(socket: Socket): TcpStream | undefined {
    const [remote, zone] = (socket.remoteAddress ?? '').split('%');
    const remoteAddress = parseAddress(remote!);
    const localAddress = parseAddress((socket.localAddress ?? '').split('%')[0]!);
    const { localPort, remotePort } = socket;
    if (!remoteAddress || !localAddress || localPort === undefined || remotePort === undefined) {
      socket.on('error', () => {});
      socket.destroy();
      return undefined;
    }
    return new TcpStream(socket, zone ?? '', localAddress, remoteAddress, localPort, remotePort);
  }

  get pending(): number {
    return this.socket.writableLength;
  }

  start(handlers: StreamHandlers): void {
    this.handlers = handlers;
    // The caller is still adopting the stream, so even an end that is past comes after it.
    if (this.gone) queueMicrotask(() => handlers.closed(this.error));
    this.socket.on('drain', () => handlers.drain());
    this.socket.on('data', (bytes: Uint8Array) => handlers.data(bytes));
  }

  write(bytes: Uint8Array): boolean {
    return this.socket.writable && this.socket.write(bytes);
  }

  end(): void {
    if (this.gone) return;
    const deadline = setTimeout(() => this.socket.destroy(), CLOSE_TIMEOUT_MS);
    this.socket.once('close', () => clearTimeout(deadline));
    this.socket.end();
  }

  destroy(): void {
    this.socket.destroy();
  }
}

function listenerOf(server: Server): Listener {
  return { close: () => void server.close() };
}

function zoned(address: Address, interfaceName: string): string {
  const text = formatAddress(address);
  return isLinkLocal(address) && interfaceName !== '' ? `${text}%${interfaceName}` : text;
}

function listenError(error: NodeJS.ErrnoException, port: number): Error {
  switch (error.code) {
    case 'EADDRINUSE':
      return plain(`port ${port} is in use by another program (address ::)`, error);
    case 'EACCES':
      return plain(`no permission to listen on port ${port}: root or CAP_NET_BIND_SERVICE is needed`, error);
    case 'EAFNOSUPPORT':
      return plain('the kernel has no IPv6', error);
    default:
      return plain(`cannot listen on port ${port} (address ::): ${error.message}`, error);
  }
}

function connectError(
  error: NodeJS.ErrnoException,
  target: { interfaceName: string; local: Address; remote: Address; port: number },
): Error {
  const remote = zoned(target.remote, target.interfaceName);
  switch (error.code) {
    case 'ECONNREFUSED':
      return plain(`${remote} refused: nothing listens on its port ${target.port}`, error);
    case 'EHOSTUNREACH':
      return plain(`${remote} does not answer neighbour discovery`, error);
    case 'ETIMEDOUT':
      return plain(`${remote} does not answer on port ${target.port}`, error);
    case 'EADDRNOTAVAIL':
      return plain(`our address ${zoned(target.local, target.interfaceName)} is not there or not usable yet`, error);
    case 'ENETUNREACH':
    case 'ENETDOWN':
      return plain(`no way to ${remote}: the link is down or has no IPv6`, error);
    case 'EINVAL':
    case 'ENODEV':
      return plain(`no way to ${remote}: there is no interface ${target.interfaceName}`, error);
    default:
      return plain(`connecting to ${remote}: ${error.message}`, error);
  }
}

function streamError(error: NodeJS.ErrnoException): Error {
  switch (error.code) {
    case 'ECONNRESET':
    case 'EPIPE':
      return plain('reset by the neighbour', error);
    case 'ETIMEDOUT':
      return plain('the neighbour does not acknowledge what we send', error);
    case 'EHOSTUNREACH':
      return plain('the neighbour does not answer neighbour discovery any more', error);
    default:
      return plain(error.message, error);
  }
}

function plain(message: string, cause: Error): Error {
  return new Error(message, { cause });
}
