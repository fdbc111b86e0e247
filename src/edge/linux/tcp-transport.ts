/**
 * The Transport port over TCP of the kernel. A link-local address carries its zone (`fe80::1%eth0`) in both directions, so Node's own
 * sockets do for BGP unnumbered (RFC 4007 section 11); what they cannot do is in tcp-socket.ts. Every failure comes out in plain words; nothing is thrown at the top.
 */
import { createServer, type Server, Socket } from 'node:net';
import { type Address, equalBytes, formatAddress, isLinkLocal, parseAddress } from '../../core/net/address.js';
import type {
  AuthenticationKey,
  Listener,
  Protection,
  Stream,
  StreamHandlers,
  Transport,
} from '../../core/ports/transport.js';
import { addAuthenticationKey, authenticationObstacle, deleteAuthenticationKey } from './tcp-ao.js';
import {
  boundSocket,
  closeSocket,
  GTSM_HOP_LIMIT,
  type LocalEnd,
  noteHopLimit,
  receivedHopLimit,
  requireFullHopLimit,
  sendWithFullHopLimit,
  setMd5Key,
} from './tcp-socket.js';

/** How long an ended stream may take to flush and to see the other side close. */
const CLOSE_TIMEOUT_MS = 5000;

export class TcpTransport implements Transport {
  private readonly protections = new Map<string, Protected>();
  /** Descriptors. */
  private readonly listening = new Set<number>();

  obstacle(key: AuthenticationKey): string | undefined {
    return authenticationObstacle(key);
  }

  protect(peer: Peer, protection: Protection | undefined): void {
    const key = keyOf(peer);
    const had = this.protections.get(key)?.protection;
    if (protection) this.protections.set(key, { remote: peer.remote, protection });
    else this.protections.delete(key);
    if (had?.password !== protection?.password) {
      for (const fd of this.listening) setMd5Key(fd, peer.remote, this.passwordOf(peer.remote));
    }
    const added = protection?.authenticationKey;
    for (const fd of this.listening) {
      if (had?.authenticationKey) deleteAuthenticationKey(fd, peer.remote, had.authenticationKey);
      if (added) addAuthenticationKey(fd, peer.remote, added);
    }
  }

  /** The kernel's keys know no interface: of two neighbours with one address the later one's password counts for who connects to us. */
  private passwordOf(remote: Address): string | undefined {
    const same = [...this.protections.values()].filter((entry) => equalBytes(entry.remote, remote));
    return same.findLast(({ protection }) => protection.password !== undefined)?.protection.password;
  }

  private over(socket: Socket): TcpStream | undefined {
    return TcpStream.over(socket, (peer) => this.protections.get(keyOf(peer))?.protection);
  }

  private prepareListener(server: Server): Listener {
    const fd = descriptorOf(server);
    sendWithFullHopLimit(fd);
    noteHopLimit(fd);
    for (const { remote, protection } of this.protections.values()) {
      authenticate(fd, remote, protection);
    }
    this.listening.add(fd);
    return {
      close: () => {
        this.listening.delete(fd);
        server.close();
      },
    };
  }

  listen(port: number, accept: (stream: Stream) => void): Promise<Listener> {
    return new Promise((resolve, reject) => {
      const server = createServer({ noDelay: true }, (socket) => {
        const stream = this.over(socket);
        if (stream) accept(stream);
      });
      // Once it listens only a failed accept ends here (no descriptor left, say): the other side tries again.
      server.on('error', (error) => reject(listenError(error, port)));
      server.listen({ port, host: '::', ipv6Only: true }, () => {
        try {
          resolve(this.prepareListener(server));
        } catch (error) {
          server.close();
          reject(error instanceof Error ? error : new Error(String(error)));
        }
      });
    });
  }

  connect(
    target: { interfaceName: string; local: Address; remote: Address; port: number },
    signal: AbortSignal,
  ): Promise<Stream> {
    return new Promise((resolve, reject) => {
      if (signal.aborted) return reject(new Error('given up'));
      let socket: Socket;
      try {
        socket = this.protectedSocket(target);
      } catch (error) {
        return reject(connectError(error instanceof Error ? error : new Error(String(error)), target));
      }
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
        const stream = this.over(socket);
        if (stream) resolve(stream);
        else reject(new Error('the connection was gone at once'));
      });
      socket.connect({ host: zoned(target.remote, target.interfaceName), port: target.port });
    });
  }

  private protectedSocket(target: Peer & LocalEnd): Socket {
    const fd = boundSocket(target);
    try {
      noteHopLimit(fd);
      const protection = this.protections.get(keyOf(target))?.protection;
      if (protection) authenticate(fd, target.remote, protection);
      return new Socket({ fd }).setNoDelay(true);
    } catch (error) {
      closeSocket(fd);
      throw error;
    }
  }
}

interface Peer {
  readonly interfaceName: string;
  readonly remote: Address;
}

interface Protected {
  readonly remote: Address;
  readonly protection: Protection;
}

/** A config has one of the two. */
function authenticate(fd: number, remote: Address, { password, authenticationKey }: Protection): void {
  if (password !== undefined) setMd5Key(fd, remote, password);
  if (authenticationKey) addAuthenticationKey(fd, remote, authenticationKey);
}

/** Only link-local addresses repeat from link to link. */
function keyOf({ interfaceName, remote }: Peer): string {
  return isLinkLocal(remote) ? `${formatAddress(remote)}%${interfaceName}` : formatAddress(remote);
}

/** Node shows the descriptor of a handle on every system but Windows. */
function descriptorOf(owner: Server | Socket): number {
  const { _handle: handle } = owner as unknown as { readonly _handle?: { readonly fd: number } | null };
  if (!handle || handle.fd < 0) throw new Error('the socket is closed already');
  return handle.fd;
}

class TcpStream implements Stream {
  hopLimit?: number;
  private admitted: boolean | undefined;
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
    private readonly protectionOf: (peer: Peer) => Protection | undefined,
  ) {
    const password = protectionOf(this)?.password;
    if (password !== undefined) setMd5Key(descriptorOf(socket), remote, password);
    socket.on('error', (error) => {
      this.error = streamError(error);
    });
    socket.once('close', () => {
      this.gone = true;
      this.handlers?.closed(this.error);
    });
  }

  /** `undefined`, and the socket destroyed, when the other side is gone already. */
  static over(socket: Socket, protectionOf: (peer: Peer) => Protection | undefined): TcpStream | undefined {
    const [remote, zone] = (socket.remoteAddress ?? '').split('%');
    const remoteAddress = parseAddress(remote!);
    const localAddress = parseAddress((socket.localAddress ?? '').split('%')[0]!);
    const { localPort, remotePort } = socket;
    if (!remoteAddress || !localAddress || localPort === undefined || remotePort === undefined) {
      socket.on('error', () => {});
      socket.destroy();
      return undefined;
    }
    return new TcpStream(socket, zone ?? '', localAddress, remoteAddress, localPort, remotePort, protectionOf);
  }

  get pending(): number {
    return this.socket.writableLength;
  }

  start(handlers: StreamHandlers): void {
    this.handlers = handlers;
    // The caller is still adopting the stream, so even an end that is past comes after it.
    if (this.gone) queueMicrotask(() => handlers.closed(this.error));
    this.socket.on('drain', () => handlers.drain());
    this.socket.on('data', (bytes: Uint8Array) => {
      this.admitted ??= this.admit();
      if (this.admitted) handlers.data(bytes);
    });
  }

  /** RFC 5082 on the first octets, before anybody looks at them; the kernel keeps to it from then on. */
  private admit(): boolean {
    const fd = descriptorOf(this.socket);
    const { gtsm } = this.protectionOf(this) ?? { gtsm: 'auto' };
    this.hopLimit = receivedHopLimit(fd) ?? 0;
    const full = this.hopLimit === GTSM_HOP_LIMIT;
    if (full && gtsm !== 'off') requireFullHopLimit(fd);
    if (full || gtsm !== 'require') return true;
    const advice = 'set ttl security at the neighbour, or gtsm: auto here';
    this.error = new Error(`its packets arrive with hop limit ${this.hopLimit}, not 255 (GTSM): ${advice}`);
    this.socket.destroy();
    return false;
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
