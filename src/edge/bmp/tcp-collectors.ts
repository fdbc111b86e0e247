/** Connections to BMP stations over TCP. Every failure comes out in plain words. */
import { connect, type Socket } from 'node:net';
import type { CollectorStream, Collectors } from '../../core/ports/collectors.js';
import type { StreamHandlers } from '../../core/ports/transport.js';

/** Milliseconds. */
const CONNECT_TIMEOUT = 10_000;

export class TcpCollectors implements Collectors {
  connect(target: { readonly host: string; readonly port: number }, signal: AbortSignal): Promise<CollectorStream> {
    return new Promise((resolve, reject) => {
      const socket = connect({ ...target, noDelay: true, keepAlive: true });
      const fail = (reason: string): void => {
        socket.destroy();
        reject(new Error(reason));
      };
      const giveUp = (): void => fail('given up');
      signal.addEventListener('abort', giveUp, { once: true });
      socket.setTimeout(CONNECT_TIMEOUT, () => fail('no answer'));
      socket.once('error', (error: NodeJS.ErrnoException) => fail(error.code ?? error.message));
      socket.once('connect', () => {
        socket.setTimeout(0);
        socket.removeAllListeners('error');
        signal.removeEventListener('abort', giveUp);
        resolve(new TcpCollectorStream(socket));
      });
    });
  }
}

class TcpCollectorStream implements CollectorStream {
  private handlers: StreamHandlers | undefined;
  private error: Error | undefined;
  private gone = false;

  constructor(private readonly socket: Socket) {
    socket.on('error', (error: NodeJS.ErrnoException) => {
      this.error = new Error(error.code ?? error.message);
    });
    socket.on('drain', () => this.handlers?.drain());
    // RFC 7854 section 3.2: a station sends nothing; reading shows when it is gone.
    socket.resume();
    socket.once('close', () => {
      this.gone = true;
      this.handlers?.closed(this.error);
    });
  }

  start(handlers: StreamHandlers): void {
    this.handlers = handlers;
    if (this.gone) handlers.closed(this.error);
  }

  get pending(): number {
    return this.socket.writableLength;
  }

  write(bytes: Uint8Array): boolean {
    return this.gone || this.socket.write(bytes);
  }

  end(): void {
    this.socket.end();
  }

  destroy(): void {
    this.socket.destroy();
  }
}
