/**
 * Reliable ordered streams over virtual wires, of one link or of several with routers in between. A segment that meets a dead wire waits
 * and is sent again, as TCP does: a link that goes down ends no stream, only silence and timers do.
 */
import { type Address, formatAddress, isLinkLocal } from '../core/net/address.js';
import type { Clock } from '../core/ports/clock.js';
import type { Resolution } from '../core/ports/reachability.js';
import type { Listener, Protection, Stream, StreamHandlers, Transport } from '../core/ports/transport.js';
import type { VirtualInterface } from './virtual-interface.js';
import type { VirtualLinks } from './virtual-links.js';
import type { WireTap } from './wire-tap.js';

/** Milliseconds between two tries of a segment or SYN that met a dead wire. */
const RETRANSMIT = 200;
/** Tries after which a stream that its program has closed is forgotten. */
const ORPHAN_TRIES = 75;
/** Milliseconds that a stream which its program has ended may take to flush and to see the other end close, as in the real transport. */
const CLOSE_TIMEOUT = 5000;
const FIRST_PORT = 49152;
/** Octets in flight after which `write` asks to wait for `drain`. */
const WINDOW = 65536;
/** Wires that a segment may take. */
const MOST_HOPS = 16;

type Accept = (stream: Stream) => void;

/** Which node owns an interface: how a SYN finds the listener at the other end. */
export type Directory = (end: VirtualInterface) => VirtualTransport | undefined;

/** How segments of one end get to the other. */
interface Way {
  /** Milliseconds, at most. */
  readonly delay: number;
  carry(arrive: () => void, octets: number): void;
}

interface Target {
  readonly interfaceName: string;
  readonly local: Address;
  readonly remote: Address;
  readonly port: number;
}

interface Attempt {
  /** Absent when the way leads over routers. */
  readonly from: VirtualInterface | undefined;
  readonly target: Target;
  readonly signal: AbortSignal;
  resolve(stream: Stream): void;
  reject(error: Error): void;
  /** The other end has accepted or refused. */
  answered: boolean;
  /** So it was heard to have. */
  over: boolean;
}

export class VirtualTransport implements Transport {
  private readonly listeners = new Map<number, Accept>();
  private readonly protections = new Map<string, Protection>();
  /** What the kernel of this node would say of TCP-AO. */
  authenticationObstacle: string | undefined;
  private nextPort = FIRST_PORT;
  private readonly streams = new Set<VirtualStream>();
  private readonly stalled = new Set<string>();

  constructor(
    private readonly clock: Clock,
    private readonly links: VirtualLinks,
    private readonly directory: Directory,
    private readonly resolve: (address: Address) => Resolution | undefined,
    private readonly tap?: WireTap,
  ) {}

  obstacle(): string | undefined {
    return this.authenticationObstacle;
  }

  protect(peer: { interfaceName: string; remote: Address }, protection: Protection | undefined): void {
    if (protection) this.protections.set(keyOf(peer), protection);
    else this.protections.delete(keyOf(peer));
  }

  private protectionOf(remote: Address, interfaceName: string): Protection | undefined {
    return this.protections.get(keyOf({ remote, interfaceName }));
  }

  async listen(port: number, accept: Accept): Promise<Listener> {
    if (this.listeners.has(port)) throw new Error(`port ${port} is in use`);
    this.listeners.set(port, accept);
    return { close: () => void this.listeners.delete(port) };
  }

  connect(target: Target, signal: AbortSignal): Promise<Stream> {
    return new Promise((resolve, reject) => {
      const from = this.links.byName(target.interfaceName);
      const isOurs = from ? from.hasUsable(target.local) : this.has(target.local);
      if (!isOurs) return reject(new Error('local address not available'));
      signal.addEventListener('abort', () => reject(new Error('given up')), { once: true });
      this.sendSyn({ from, target, signal, resolve, reject, answered: false, over: false });
    });
  }

  /** An address of one of our interfaces. */
  private has(address: Address): boolean {
    return [...this.links.all()].some((link) => link.hasUsable(address));
  }

  /** The node dies without a word: its streams are reset at the other ends when they next hear of it. */
  crash(): void {
    this.listeners.clear();
    for (const stream of [...this.streams]) stream.destroy();
  }

  /** Both ends of the streams of an interface are told that the other end has reset them. */
  reset(interfaceName: string): void {
    for (const stream of this.streamsOf(interfaceName)) stream.reset();
  }

  /** Our end of its streams is lost; the other one hears nothing of it. */
  abandon(interfaceName: string): void {
    for (const stream of this.streamsOf(interfaceName)) stream.abandon();
  }

  /** Nobody reads what comes over its streams, or somebody does again: their windows close. */
  stall(interfaceName: string, stalled: boolean): void {
    if (stalled) this.stalled.add(interfaceName);
    else this.stalled.delete(interfaceName);
  }

  /** Octets that no program of ours wrote go out among those that were written. */
  inject(interfaceName: string, octets: Uint8Array): void {
    for (const stream of this.streamsOf(interfaceName)) stream.write(octets);
  }

  /** Streams that are open at our end. */
  get openStreams(): number {
    return this.streams.size;
  }

  private streamsOf(interfaceName: string): VirtualStream[] {
    return [...this.streams].filter((stream) => stream.interfaceName === interfaceName);
  }

  private sendSyn(attempt: Attempt): void {
    const { from, target, signal, resolve, reject } = attempt;
    if (signal.aborted || attempt.answered) return;
    const refused = () => {
      attempt.answered = true;
      attempt.over = true;
      reject(new Error('connection refused'));
    };
    this.find(from, target.remote, (there) => {
      const back = there.wayTo(from?.peer, target.local);
      // Signed otherwise than the other side signs: dropped without an answer.
      const ours = this.protectionOf(target.remote, from?.name ?? '');
      if (!fits(ours, there.protectionOf(target.local, from?.peer?.name ?? '')) || attempt.answered) return;
      const accept = there.listeners.get(target.port);
      if (!accept) return back.carry(refused, 0);
      attempt.answered = true;
      const [near, far] = this.pair(there, { ...attempt, back });
      accept(far);
      this.answer(back, signal, () => {
        // What an earlier SYN met may be heard first: then the stream is reset by who knows nothing of it (RFC 9293 3.10.7.1).
        if (signal.aborted || attempt.over) return near.destroy();
        attempt.over = true;
        resolve(near);
      });
    });
    this.clock.schedule(this.clock.now() + RETRANSMIT, () => this.sendSyn(attempt));
  }

  /** Sent again until it arrives, or is of no use any more: then the other side hears that at once. */
  private answer(way: Way, signal: AbortSignal, arrive: () => void): void {
    let arrived = false;
    const once = () => {
      if (arrived) return;
      arrived = true;
      arrive();
    };
    const send = () => {
      way.carry(once, 0);
      this.clock.schedule(this.clock.now() + RETRANSMIT, () => {
        if (signal.aborted) once();
        else if (!arrived) send();
      });
    };
    send();
  }

  /** Calls `arrive` with the node that has the address: the one at the other end of a wire, or one that routes lead to. */
  private find(from: VirtualInterface | undefined, remote: Address, arrive: (there: VirtualTransport) => void): void {
    if (!from) return this.forward(remote, arrive);
    from.cable?.carry(from, () => {
      const there = from.peer && this.directory(from.peer);
      if (there && from.peer?.hasUsable(remote)) arrive(there);
    });
  }

  private forward(remote: Address, arrive: (there: VirtualTransport) => void, hops = MOST_HOPS): void {
    if (this.has(remote)) return arrive(this);
    const [reach] = this.resolve(remote)?.reaches ?? [];
    const link = reach && this.links.byIndex(reach.interfaceIndex);
    const next = link?.peer && this.directory(link.peer);
    if (next && hops > 0) link.cable?.carry(link, () => next.forward(remote, arrive, hops - 1));
  }

  private wayTo(from: VirtualInterface | undefined, remote: Address): Way {
    if (from)
      return { delay: from.cable?.delay ?? 0, carry: (arrive, octets) => from.cable?.carry(from, arrive, octets) };
    const [first] = this.links.all();
    return { delay: MOST_HOPS * (first?.cable?.delay ?? 0), carry: (arrive) => this.forward(remote, arrive) };
  }

  private pair(
    there: VirtualTransport,
    { from, target, back }: Pick<Attempt, 'from' | 'target'> & { readonly back: Way },
  ): [VirtualStream, VirtualStream] {
    const port = this.nextPort++;
    const { local, remote } = target;
    const zone = (link: VirtualInterface | undefined) => (isLinkLocal(local) ? (link?.name ?? '') : '');
    const near = new VirtualStream(this.clock, this.wayTo(from, remote), {
      interfaceName: zone(from),
      local,
      remote,
      localPort: port,
      remotePort: target.port,
    });
    const far = new VirtualStream(this.clock, back, {
      interfaceName: zone(from?.peer),
      local: remote,
      remote: local,
      localPort: target.port,
      remotePort: port,
    });
    near.join(far);
    far.join(near);
    this.track(near);
    there.track(far);
    return [near, far];
  }

  private track(stream: VirtualStream): void {
    this.streams.add(stream);
    stream.onGone = () => this.streams.delete(stream);
    stream.isStalled = () => this.stalled.has(stream.interfaceName);
    stream.tap = this.tap;
  }
}

/** Only link-local addresses repeat from link to link. */
function keyOf({ interfaceName, remote }: { interfaceName: string; remote: Address }): string {
  return isLinkLocal(remote) ? `${formatAddress(remote)}%${interfaceName}` : formatAddress(remote);
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

/** Messages that wait are one segment, as a kernel sends them: what costs an event is a segment. */
type Segment =
  | { readonly kind: 'data'; readonly chunks: Uint8Array[]; octets: number }
  | { readonly kind: 'end' | 'reset' };

type Ends = Pick<Stream, 'interfaceName' | 'local' | 'remote' | 'localPort' | 'remotePort'>;

class VirtualStream implements Stream {
  readonly interfaceName: string;
  readonly local: Address;
  readonly remote: Address;
  readonly localPort: number;
  readonly remotePort: number;
  onGone: () => void = () => {};
  isStalled: () => boolean = () => false;
  tap: WireTap | undefined;
  private other: VirtualStream | undefined;
  private handlers: StreamHandlers | undefined;
  private early: Segment[] = [];
  private queue: Segment[] = [];
  private inFlight: Segment | undefined;
  private sentAt = 0;
  /** The retransmission timer runs. */
  private timed = false;
  private blocked = false;
  private tries = 0;
  /** Whoever starts it is told first thing. */
  private lostBefore: Error | undefined;
  private open = true;
  private paused = false;
  pending = 0;

  constructor(
    private readonly clock: Clock,
    private readonly way: Way,
    ends: Ends,
  ) {
    this.interfaceName = ends.interfaceName;
    this.local = ends.local;
    this.remote = ends.remote;
    this.localPort = ends.localPort;
    this.remotePort = ends.remotePort;
  }

  join(other: VirtualStream): void {
    this.other = other;
  }

  start(handlers: StreamHandlers): void {
    this.handlers = handlers;
    const { early } = this;
    this.early = [];
    for (const segment of early) this.receive(segment);
    if (this.lostBefore) handlers.closed(this.lostBefore);
  }

  /** The bytes stay the caller's to read, not to change. */
  write(bytes: Uint8Array): boolean {
    if (!this.open) return false;
    this.tap?.written(this, bytes);
    this.pending += bytes.length;
    const last = this.queue.at(-1);
    if (last?.kind === 'data' && last.octets + bytes.length <= WINDOW) {
      last.chunks.push(bytes);
      last.octets += bytes.length;
    } else this.queue.push({ kind: 'data', chunks: [bytes], octets: bytes.length });
    this.transmit();
    this.blocked = this.pending > WINDOW;
    return !this.blocked;
  }

  pause(): void {
    this.paused = true;
  }

  resume(): void {
    this.paused = false;
    this.other?.retransmit();
  }

  /** The window is. */
  private isClosed(): boolean {
    return this.paused || this.isStalled();
  }

  private retransmit(): void {
    if (this.inFlight) this.carry(this.inFlight);
  }

  end(): void {
    if (!this.open) return;
    this.queue.push({ kind: 'end' });
    this.transmit();
    this.clock.schedule(this.clock.now() + CLOSE_TIMEOUT, () => this.destroy());
  }

  destroy(): void {
    if (!this.open) return;
    this.queue = [{ kind: 'reset' }];
    this.transmit();
    this.finish();
  }

  reset(): void {
    const error = new Error('connection reset by peer');
    this.other?.finish(error);
    this.finish(error);
  }

  abandon(): void {
    this.forget();
    const error = new Error('connection timed out');
    if (!this.handlers) this.lostBefore = error;
    this.finish(error);
  }

  private forget(): void {
    this.inFlight = undefined;
    this.queue = [];
  }

  private transmit(): void {
    if (this.inFlight) return;
    this.inFlight = this.queue.shift();
    if (this.inFlight) this.carry(this.inFlight);
  }

  private carry(segment: Segment): void {
    this.sentAt = this.clock.now();
    const octets = segment.kind === 'data' ? segment.octets : 0;
    this.way.carry(() => {
      // Sent again meanwhile, and arrived; or kept out by a closed window, and to be sent again.
      if (this.inFlight !== segment || (segment.kind === 'data' && this.other?.isClosed())) return;
      this.inFlight = undefined;
      this.tries = 0;
      this.acknowledge(segment);
      this.other?.receive(segment);
      this.transmit();
    }, octets);
    this.watch();
  }

  /** One timer, set again when it finds that the segment in flight is not that old: nearly all arrive before it matters. */
  private watch(): void {
    if (this.timed) return;
    this.timed = true;
    this.clock.schedule(this.sentAt + this.way.delay + RETRANSMIT, () => {
      this.timed = false;
      if (!this.inFlight) return;
      if (this.clock.now() < this.sentAt + this.way.delay + RETRANSMIT) this.watch();
      else if (this.open || ++this.tries <= ORPHAN_TRIES) this.carry(this.inFlight);
      else this.forget();
    });
  }

  private acknowledge(segment: Segment): void {
    if (segment.kind === 'end') this.finish();
    if (segment.kind !== 'data') return;
    this.pending -= segment.octets;
    if (!this.blocked || this.pending > WINDOW / 2) return;
    this.blocked = false;
    this.handlers?.drain();
  }

  private receive(segment: Segment): void {
    if (!this.open) return;
    if (!this.handlers) return void this.early.push(segment);
    if (segment.kind === 'data') handOver(segment.chunks, segment.octets, this.handlers);
    else this.finish(segment.kind === 'reset' ? new Error('connection reset by peer') : undefined);
  }

  private finish(error?: Error): void {
    if (!this.open) return;
    this.open = false;
    this.onGone();
    this.handlers?.closed(error);
  }
}

/**
 * Room for what comes in one segment, as a kernel's reader has one. An array for each segment, 0.4 GB in a fabric of 512 leaves, had V8
 * mark the whole heap whenever 64 MB of them had come.
 */
const room = new Uint8Array(2 * WINDOW);
/** Octets of it that readers have at hand: one may have another one's early segments delivered. */
let taken = 0;

function handOver(chunks: readonly Uint8Array[], octets: number, reader: StreamHandlers): void {
  if (chunks.length === 1) return reader.data(chunks[0]!);
  const start = taken;
  const bytes = start + octets <= room.length ? room.subarray(start, start + octets) : new Uint8Array(octets);
  taken = Math.min(start + octets, room.length);
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.length;
  }
  try {
    reader.data(bytes);
  } finally {
    taken = start;
  }
}
