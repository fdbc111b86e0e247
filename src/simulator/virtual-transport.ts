/**
 * Reliable ordered streams over virtual wires. A segment that meets a dead wire waits and is sent again, as TCP does: a link
 * that goes down ends no stream, only silence and timers do.
 */
import { type Address, formatAddress } from '../core/net/address.js';
import type { Clock } from '../core/ports/clock.js';
import type { Listener, Protection, Stream, StreamHandlers, Transport } from '../core/ports/transport.js';
import type { VirtualInterface } from './virtual-interface.js';
import type { VirtualLinks } from './virtual-links.js';

/** Milliseconds between two tries of a segment or SYN that met a dead wire. */
const RETRANSMIT = 200;
const FIRST_PORT = 49152;
/** Octets in flight after which `write` asks to wait for `drain`. */
const WINDOW = 65536;

type Accept = (stream: Stream) => void;

/** Which node owns an interface: how a SYN finds the listener at the other end. */
export type Directory = (end: VirtualInterface) => VirtualTransport | undefined;

export class VirtualTransport implements Transport {
  private readonly listeners = new Map<number, Accept>();
  private readonly protections = new Map<string, Protection>();
  /** What the kernel of this node would say of TCP-AO. */
  authenticationObstacle: string | undefined;
  private nextPort = FIRST_PORT;
  private readonly streams = new Set<VirtualStream>();

  constructor(
    private readonly clock: Clock,
    private readonly links: VirtualLinks,
    private readonly directory: Directory,
  ) {}

  obstacle(): string | undefined {
    return this.authenticationObstacle;
  }

  protect(peer: { interfaceName: string; remote: Address }, protection: Protection | undefined): void {
    const key = `${formatAddress(peer.remote)}%${peer.interfaceName}`;
    if (protection) this.protections.set(key, protection);
    else this.protections.delete(key);
  }

  private protectionOf(remote: Address, { name }: VirtualInterface): Protection | undefined {
    return this.protections.get(`${formatAddress(remote)}%${name}`);
  }

  async listen(port: number, accept: Accept): Promise<Listener> {
    if (this.listeners.has(port)) throw new Error(`port ${port} is in use`);
    this.listeners.set(port, accept);
    return { close: () => void this.listeners.delete(port) };
  }

  connect(
    target: { interfaceName: string; local: Address; remote: Address; port: number },
    signal: AbortSignal,
  ): Promise<Stream> {
    return new Promise((resolve, reject) => {
      const from = this.links.byName(target.interfaceName);
      if (!from?.hasUsable(target.local)) return reject(new Error('local address not available'));
      signal.addEventListener('abort', () => reject(new Error('given up')), { once: true });
      this.sendSyn({ from, target, signal, resolve, reject });
    });
  }

  /** The node dies without a word: its streams are reset at the other ends when they next hear of it. */
  crash(): void {
    this.listeners.clear();
    for (const stream of [...this.streams]) stream.destroy();
  }

  private sendSyn(attempt: {
    from: VirtualInterface;
    target: { remote: Address; local: Address; port: number };
    signal: AbortSignal;
    resolve: (stream: Stream) => void;
    reject: (error: Error) => void;
  }): void {
    const { from, target, signal, resolve, reject } = attempt;
    if (signal.aborted) return;
    let answered = false;
    from.cable?.carry(() => {
      const to = from.peer;
      if (!to?.hasUsable(target.remote)) return;
      const remote = this.directory(to);
      // Signed otherwise than the other side signs: dropped without an answer.
      if (!fits(this.protectionOf(target.remote, from), remote?.protectionOf(target.local, to))) return;
      answered = true;
      const accept = remote?.listeners.get(target.port);
      if (!accept) return void from.cable?.carry(() => reject(new Error('connection refused')));
      const [near, far] = this.pair(from, to, target);
      accept(far);
      from.cable?.carry(() => (signal.aborted ? near.destroy() : resolve(near)));
    });
    this.clock.schedule(this.clock.now() + RETRANSMIT, () => {
      if (!answered) this.sendSyn(attempt);
    });
  }

  private pair(
    from: VirtualInterface,
    to: VirtualInterface,
    target: { local: Address; remote: Address; port: number },
  ): [VirtualStream, VirtualStream] {
    const port = this.nextPort++;
    const near = new VirtualStream(this.clock, from, { ...target, localPort: port, remotePort: target.port });
    const far = new VirtualStream(this.clock, to, {
      local: target.remote,
      remote: target.local,
      localPort: target.port,
      remotePort: port,
    });
    near.join(far);
    far.join(near);
    this.track(near);
    this.directory(to)?.track(far);
    return [near, far];
  }

  private track(stream: VirtualStream): void {
    this.streams.add(stream);
    stream.onGone = () => this.streams.delete(stream);
  }
}

/** Both sign alike, or neither signs; what one end of TCP-AO sends as its id the other one expects. */
function fits(near: Protection | undefined, far: Protection | undefined): boolean {
  if (near?.password !== far?.password) return false;
  const [ours, theirs] = [near?.authenticationKey, far?.authenticationKey];
  if (!ours || !theirs) return ours === theirs;
  return (
    ours.password === theirs.password &&
    ours.algorithm === theirs.algorithm &&
    ours.sendId === theirs.receiveId &&
    ours.receiveId === theirs.sendId
  );
}

type Segment = { readonly kind: 'data'; readonly bytes: Uint8Array } | { readonly kind: 'end' | 'reset' };

class VirtualStream implements Stream {
  readonly local: Address;
  readonly remote: Address;
  readonly localPort: number;
  readonly remotePort: number;
  onGone: () => void = () => {};
  private other: VirtualStream | undefined;
  private handlers: StreamHandlers | undefined;
  private early: Segment[] = [];
  private queue: Segment[] = [];
  private sending = false;
  private blocked = false;
  private open = true;
  pending = 0;

  constructor(
    private readonly clock: Clock,
    private readonly port: VirtualInterface,
    ends: { local: Address; remote: Address; localPort: number; remotePort: number },
  ) {
    this.local = ends.local;
    this.remote = ends.remote;
    this.localPort = ends.localPort;
    this.remotePort = ends.remotePort;
  }

  get interfaceName(): string {
    return this.port.name;
  }

  join(other: VirtualStream): void {
    this.other = other;
  }

  start(handlers: StreamHandlers): void {
    this.handlers = handlers;
    const { early } = this;
    this.early = [];
    for (const segment of early) this.receive(segment);
  }

  write(bytes: Uint8Array): boolean {
    if (!this.open) return false;
    this.pending += bytes.length;
    this.queue.push({ kind: 'data', bytes: bytes.slice() });
    this.transmit();
    this.blocked = this.pending > WINDOW;
    return !this.blocked;
  }

  end(): void {
    if (!this.open) return;
    this.queue.push({ kind: 'end' });
    this.transmit();
  }

  destroy(): void {
    if (!this.open) return;
    this.queue = [{ kind: 'reset' }];
    this.transmit();
    this.finish();
  }

  private transmit(): void {
    if (this.sending || this.queue.length === 0) return;
    this.sending = true;
    const segment = this.queue[0]!;
    let arrived = false;
    this.port.cable?.carry(() => {
      arrived = true;
      this.queue.shift();
      this.sending = false;
      this.acknowledge(segment);
      this.other?.receive(segment);
      this.transmit();
    });
    const { delay } = this.port.cable ?? { delay: 0 };
    this.clock.schedule(this.clock.now() + delay + RETRANSMIT, () => {
      if (arrived) return;
      this.sending = false;
      this.transmit();
    });
  }

  private acknowledge(segment: Segment): void {
    if (segment.kind === 'end') this.finish();
    if (segment.kind !== 'data') return;
    this.pending -= segment.bytes.length;
    if (!this.blocked || this.pending > WINDOW / 2) return;
    this.blocked = false;
    this.handlers?.drain();
  }

  private receive(segment: Segment): void {
    if (!this.open) return;
    if (!this.handlers) return void this.early.push(segment);
    if (segment.kind === 'data') this.handlers.data(segment.bytes);
    else this.finish(segment.kind === 'reset' ? new Error('connection reset by peer') : undefined);
  }

  private finish(error?: Error): void {
    if (!this.open) return;
    this.open = false;
    this.onGone();
    this.handlers?.closed(error);
  }
}
