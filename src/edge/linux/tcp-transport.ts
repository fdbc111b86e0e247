/**
 * The Transport port over TCP of the kernel. A link-local address carries its zone (`fe80::1%eth0`) in both directions, so Node's own
 * sockets do for BGP unnumbered (RFC 4007 section 11); what they cannot do is in tcp-socket.ts. Every failure comes out in plain words; nothing is thrown at the top.
 */
import { createServer, type Server, Socket, type SocketConstructorOpts } from 'node:net';
import type { DuplexOptions } from 'node:stream';
import { type Address, equalBytes, formatAddress, isLinkLocal, parseAddress } from '../../core/net/address.js';
import type {
  AuthenticationKey,
  Listener,
  Protection,
  Stream,
  StreamHandlers,
  Transport,
} from '../../core/ports/transport.js';
import { ReadingTurns } from './reading-turns.js';
import { addAuthenticationKey, authenticationObstacle, deleteAuthenticationKey } from './tcp-ao.js';
import {
  boundSocket,
  closeSocket,
  FULL_HOP_LIMIT,
  type LocalEnd,
  noteHopLimit,
  receivedHopLimit,
  requireHopLimit,
  sendHopLimit,
  setMd5Key,
} from './tcp-socket.js';

/** How long an ended stream may take to flush and to see the other side close. */
const CLOSE_TIMEOUT_MS = 5000;
/** Octets that a stream holds when it begins to ask its writer to wait. */
const QUEUED_OCTETS = 65536;

export class TcpTransport implements Transport {
  private readonly protections = new Map<string, Protected>();
  private readonly turns = new ReadingTurns();
  /** Descriptors, each with the address that it listens on. */
  private readonly listening = new Map<number, Address>();

  obstacle(key: AuthenticationKey): string | undefined {
    return authenticationObstacle(key);
  }

  protect(peer: Peer, protection: Protection | undefined): void {
    const key = keyOf(peer);
    const had = this.protections.get(key)?.protection;
    if (protection) this.protections.set(key, { remote: peer.remote, protection });
    else this.protections.delete(key);
    const listeners = this.listenersLike(peer.remote);
    if (had?.password !== protection?.password) {
      for (const fd of listeners) setMd5Key(fd, peer.remote, this.passwordOf(peer.remote));
    }
    const added = protection?.authenticationKey;
    for (const fd of listeners) {
      if (had?.authenticationKey) deleteAuthenticationKey(fd, peer.remote, had.authenticationKey);
      if (added) addAuthenticationKey(fd, peer.remote, added);
    }
  }

  /** The kernel's keys know no interface: of two neighbours with one address the later one's password counts for who connects to us. */
  private passwordOf(remote: Address): string | undefined {
    const same = [...this.protections.values()].filter((entry) => equalBytes(entry.remote, remote));
    return same.findLast(({ protection }) => protection.password !== undefined)?.protection.password;
  }

  private listenersLike({ length }: Address): number[] {
    return [...this.listening].filter(([, address]) => address.length === length).map(([fd]) => fd);
  }

  private over(socket: Socket, opened: 'here' | 'there'): TcpStream | undefined {
    return TcpStream.over(socket, opened, (peer) => this.protections.get(keyOf(peer))?.protection, this.turns);
  }

  private prepareListener(server: Server, address: Address): Listener {
    const fd = descriptorOf(server);
    sendHopLimit(fd, address, FULL_HOP_LIMIT);
    noteHopLimit(fd, address);
    for (const { remote, protection } of this.protections.values()) {
      if (remote.length === address.length) authenticate(fd, remote, protection);
    }
    this.listening.set(fd, address);
    return {
      close: () => {
        this.listening.delete(fd);
        server.close();
      },
    };
  }

  async listen(port: number, accept: (stream: Stream) => void): Promise<Listener> {
    const first = await this.listenOn('::', port, accept);
    try {
      const second = await this.listenOn('0.0.0.0', port, accept);
      return {
        close: () => {
          first.close();
          second.close();
        },
      };
    } catch (error) {
      first.close();
      throw error;
    }
  }

  private listenOn(host: '::' | '0.0.0.0', port: number, accept: (stream: Stream) => void): Promise<Listener> {
    return new Promise((resolve, reject) => {
      const server = createServer({ noDelay: true, highWaterMark: QUEUED_OCTETS }, (socket) => {
        const stream = this.over(socket, 'there');
        if (stream) accept(stream);
      });
      // Once it listens only a failed accept ends here (no descriptor left, say): the other side tries again.
      server.on('error', (error) => reject(listenError(error, host, port)));
      server.listen({ port, host, ipv6Only: host === '::' }, () => {
        try {
          resolve(this.prepareListener(server, parseAddress(host)!));
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
        const stream = this.over(socket, 'here');
        if (stream) resolve(stream);
        else reject(new Error('the connection was gone at once'));
      });
      socket.connect({ host: zoned(target.remote, target.interfaceName), port: target.port });
    });
  }

  private protectedSocket(target: Peer & LocalEnd): Socket {
    const fd = boundSocket(target);
    try {
      noteHopLimit(fd, target.remote);
      const protection = this.protections.get(keyOf(target))?.protection;
      if (protection) {
        authenticate(fd, target.remote, protection);
        limitHops(fd, target.remote, protection);
      }
      const options: SocketConstructorOpts & DuplexOptions = { fd, writableHighWaterMark: QUEUED_OCTETS };
      return new Socket(options).setNoDelay(true);
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

/**
 * Before the first packet where the kernel tells no hop limits: over IPv4 those of connections that we open. Without GTSM packets
 * go no further than the neighbour may be.
 */
function limitHops(fd: number, remote: Address, { gtsm, hops }: Protection): void {
  if (gtsm === 'off' && hops !== undefined) sendHopLimit(fd, remote, hops);
  if (gtsm === 'require' && remote.length === 4) requireHopLimit(fd, remote, leastHopLimit(hops));
}

/** RFC 5082 section 3: each router on the way takes one. */
function leastHopLimit(hops = 1): number {
  return FULL_HOP_LIMIT + 1 - hops;
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
  private paused = false;
  private dropped = false;
  hasUndelivered = false;

  private constructor(
    private readonly socket: Socket,
    readonly interfaceName: string,
    readonly local: Address,
    readonly remote: Address,
    readonly localPort: number,
    readonly remotePort: number,
    private readonly opened: 'here' | 'there',
    private readonly protectionOf: (peer: Peer) => Protection | undefined,
    private readonly turns: ReadingTurns,
  ) {
    const protection = protectionOf(this);
    if (protection?.password !== undefined) setMd5Key(descriptorOf(socket), remote, protection.password);
    if (protection && opened === 'there') limitHops(descriptorOf(socket), remote, protection);
    socket.on('error', (error) => {
      this.error = streamError(error);
    });
    socket.once('close', () => {
      this.gone = true;
      // Behind what came before it.
      this.turns.take(() => this.tellClosed());
    });
  }

  /** `undefined`, and the socket destroyed, when the other side is gone already. */
  static over(
    socket: Socket,
    opened: 'here' | 'there',
    protectionOf: (peer: Peer) => Protection | undefined,
    turns: ReadingTurns,
  ): TcpStream | undefined {
    const [remote, zone] = (socket.remoteAddress ?? '').split('%');
    const remoteAddress = parseAddress(remote!);
    const localAddress = parseAddress((socket.localAddress ?? '').split('%')[0]!);
    const { localPort, remotePort } = socket;
    if (!remoteAddress || !localAddress || localPort === undefined || remotePort === undefined) {
      socket.on('error', () => {});
      socket.destroy();
      return undefined;
    }
    return new TcpStream(
      socket,
      zone ?? '',
      localAddress,
      remoteAddress,
      localPort,
      remotePort,
      opened,
      protectionOf,
      turns,
    );
  }

  get pending(): number {
    return this.socket.writableLength;
  }

  start(handlers: StreamHandlers): void {
    this.handlers = handlers;
    // The caller is still adopting the stream, so even an end that is past comes after it.
    if (this.gone) queueMicrotask(() => this.tellClosed());
    this.socket.on('drain', () => handlers.drain());
    this.socket.on('data', (bytes: Uint8Array) => {
      // While octets are there, libuv reads one socket up to 32 times in a row, two megabytes, before timers and other sockets have a turn.
      this.socket.pause();
      this.hasUndelivered = true;
      this.turns.take(() => this.take(bytes, handlers));
    });
  }

  private tellClosed(): void {
    const { handlers } = this;
    this.handlers = undefined;
    handlers?.closed(this.error);
  }

  /** One piece a turn: a flood costs its neighbour nothing then. */
  private take(bytes: Uint8Array, handlers: StreamHandlers): void {
    setImmediate(() => {
      if (!this.paused) this.socket.resume();
    });
    this.hasUndelivered = false;
    // Nobody can tell the hop limit of a socket that is closed.
    if (this.dropped || (this.admitted === undefined && this.socket.destroyed)) return;
    this.admitted ??= this.admit();
    if (this.admitted) handlers.data(bytes);
  }

  pause(): void {
    this.paused = true;
    this.socket.pause();
  }

  resume(): void {
    this.paused = false;
    this.socket.resume();
  }

  /** RFC 5082 on the first octets, before anybody looks at them; the kernel keeps to it from then on. */
  private admit(): boolean {
    const fd = descriptorOf(this.socket);
    const { gtsm, hops } = this.protectionOf(this) ?? { gtsm: 'auto' };
    const least = leastHopLimit(hops);
    if (this.remote.length === 4 && this.opened === 'here') return true;
    this.hopLimit = receivedHopLimit(fd, this.remote) ?? 0;
    const near = this.hopLimit >= least;
    if (near && gtsm !== 'off') requireHopLimit(fd, this.remote, least);
    if (near || gtsm !== 'require') return true;
    const advice = 'set ttl security at the neighbour, or gtsm: auto here';
    const wanted = least === FULL_HOP_LIMIT ? 'not 255' : `less than ${least}`;
    this.error = new Error(`its packets arrive with hop limit ${this.hopLimit}, ${wanted} (GTSM): ${advice}`);
    this.socket.destroy();
    return false;
  }

  /**
   * What is written in one turn of the event loop leaves in one system call: told to eight neighbours, half a million routes are 40,000
   * messages, and a call for each takes longer than all the rest.
   */
  write(bytes: Uint8Array): boolean {
    const { socket } = this;
    if (!socket.writable) return false;
    if (socket.writableCorked === 0) {
      socket.cork();
      process.nextTick(() => socket.uncork());
    }
    return socket.write(bytes);
  }

  end(): void {
    if (this.gone) return;
    const deadline = setTimeout(() => this.socket.destroy(), CLOSE_TIMEOUT_MS);
    this.socket.once('close', () => clearTimeout(deadline));
    this.socket.end();
  }

  destroy(): void {
    this.dropped = true;
    this.socket.destroy();
  }
}

function zoned(address: Address, interfaceName: string): string {
  const text = formatAddress(address);
  return isLinkLocal(address) && interfaceName !== '' ? `${text}%${interfaceName}` : text;
}

function listenError(error: NodeJS.ErrnoException, host: string, port: number): Error {
  switch (error.code) {
    case 'EADDRINUSE':
      return plain(`port ${port} is in use by another program (address ${host})`, error);
    case 'EACCES':
      return plain(`no permission to listen on port ${port}: root or CAP_NET_BIND_SERVICE is needed`, error);
    case 'EAFNOSUPPORT':
      return plain(`the kernel has no ${host === '::' ? 'IPv6' : 'IPv4'}`, error);
    default:
      return plain(`cannot listen on port ${port} (address ${host}): ${error.message}`, error);
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
      return plain(`${remote} does not answer ${resolutionOf(target.remote)}`, error);
    case 'ETIMEDOUT':
      return plain(`${remote} does not answer on port ${target.port}`, error);
    case 'EADDRNOTAVAIL':
      return plain(`our address ${zoned(target.local, target.interfaceName)} is not there or not usable yet`, error);
    case 'ENETUNREACH':
    case 'ENETDOWN':
      return plain(
        isLinkLocal(target.remote) ? `no way to ${remote}: the link is down or has no IPv6` : `no route to ${remote}`,
        error,
      );
    case 'EINVAL':
    case 'ENODEV':
      return plain(`no way to ${remote}: there is no interface ${target.interfaceName}`, error);
    default:
      return plain(`connecting to ${remote}: ${error.message}`, error);
  }
}

function resolutionOf({ length }: Address): string {
  return length === 4 ? 'ARP' : 'neighbour discovery';
}

function streamError(error: NodeJS.ErrnoException): Error {
  switch (error.code) {
    case 'ECONNRESET':
    case 'EPIPE':
      return plain('reset by the neighbour', error);
    case 'ETIMEDOUT':
      return plain('the neighbour does not acknowledge what we send', error);
    case 'EHOSTUNREACH':
      return plain('the neighbour does not answer neighbour discovery or ARP any more', error);
    default:
      return plain(error.message, error);
  }
}

function plain(message: string, cause: Error): Error {
  return new Error(message, { cause });
}
