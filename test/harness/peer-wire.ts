/**
 * Two peer arbiters joined by a simulated wire on virtual time: TCP's three-way handshake, ordered streams in each direction, random
 * delays, and attempts that get lost or refused. Everything is drawn from one seed.
 */
import type { Random } from '../../src/core/ports/random.js';
import { createPeer, type PeerState, stepPeer, summarize } from '../../src/core/session/peer.js';
import type { ConnectionId, PeerConfig, PeerInput, PeerOutput, PeerSummary } from '../../src/core/session/types.js';
import { type ControlMessage, HEADER_OCTETS, MESSAGE_TYPE } from '../../src/core/wire/bgp/message.js';
import { decodeNotification } from '../../src/core/wire/bgp/notification.js';
import { decodeOpen } from '../../src/core/wire/bgp/open.js';
import { timerName } from './peer-stage.js';

export interface WireOptions {
  readonly seed: number;
  /** Longest delay of anything in one direction, milliseconds. */
  readonly maxDelay: number;
  /** Probability that an attempt's first packet is lost. */
  readonly loss?: number;
}

interface Stream {
  readonly node: Node;
  readonly id: ConnectionId;
  far: Stream | undefined;
  /** Closed at this end, or told that the other end closed. */
  closed: boolean;
  /** When the last thing sent from here arrives. */
  lastArrival: number;
}

export class Node {
  state: PeerState;
  readonly outputs: PeerOutput[] = [];
  readonly streams = new Map<ConnectionId, Stream>();
  readonly timers = new Map<string, number>();
  /** The other side's attempts are refused until then. */
  listensFrom = 0;
  retries = 0;
  accepted = 0;

  constructor(config: PeerConfig) {
    this.state = createPeer(config);
  }

  get summary(): PeerSummary {
    return summarize(this.state);
  }

  get openStreams(): readonly ConnectionId[] {
    return [...this.streams.values()].filter((stream) => !stream.closed).map((stream) => stream.id);
  }

  count(kind: PeerOutput['kind']): number {
    return this.outputs.filter((output) => output.kind === kind).length;
  }
}

interface Event {
  readonly at: number;
  readonly order: number;
  readonly run: () => void;
}

export class PeerWire {
  now = 0;
  readonly a: Node;
  readonly b: Node;
  private readonly random: Random;
  private readonly events: Event[] = [];
  private order = 0;

  constructor(
    a: PeerConfig,
    b: PeerConfig,
    private readonly options: WireOptions,
  ) {
    this.a = new Node(a);
    this.b = new Node(b);
    this.random = seeded(options.seed);
  }

  at(time: number, run: () => void): void {
    this.events.push({ at: time, order: this.order++, run });
  }

  start(node: Node, time = 0): void {
    this.at(time, () => this.input(node, { kind: 'started' }));
  }

  /** Runs until `time`, or until nothing is left to happen. */
  run(time: number): void {
    for (;;) {
      const next = this.events.reduce<Event | undefined>(
        (first, event) => (earlier(event, first) ? event : first),
        undefined,
      );
      if (!next || next.at > time) break;
      this.events.splice(this.events.indexOf(next), 1);
      this.now = next.at;
      next.run();
    }
    this.now = time;
  }

  draw(limit: number): number {
    return this.random.next() * limit;
  }

  input(node: Node, input: PeerInput): void {
    const { state, outputs } = stepPeer(node.state, input, { now: this.now, random: this.random });
    node.state = state;
    node.outputs.push(...outputs);
    for (const output of outputs) this.perform(node, output);
  }

  private perform(node: Node, output: PeerOutput): void {
    switch (output.kind) {
      case 'open-connection':
        return this.connect(node, output.connection);
      case 'send':
        return this.send(node, output.connection, output.bytes);
      case 'close-connection':
      case 'abort-connection':
        return this.close(node.streams.get(output.connection));
      case 'arm-timer': {
        const name = timerName(output.timer);
        node.timers.set(name, output.at);
        return this.at(output.at, () => {
          if (node.timers.get(name) !== output.at) return;
          node.timers.delete(name);
          if (name === 'connect-retry') node.retries++;
          this.input(node, { kind: 'timer-expired', timer: output.timer, unread: false });
        });
      }
      case 'cancel-timer':
        node.timers.delete(timerName(output.timer));
        return;
      default:
        return;
    }
  }

  private connect(node: Node, id: ConnectionId): void {
    const near: Stream = { node, id, far: undefined, closed: false, lastArrival: 0 };
    node.streams.set(id, near);
    if (this.random.next() < (this.options.loss ?? 0)) return;
    const peer = node === this.a ? this.b : this.a;
    const syn = this.now + this.delay();
    this.at(syn, () => {
      const back = this.now + this.delay();
      if (this.now < peer.listensFrom) return this.at(back, () => this.refused(near));
      this.at(back, () => this.connected(near, peer));
    });
  }

  private refused(near: Stream): void {
    if (near.closed) return;
    near.closed = true;
    this.input(near.node, { kind: 'connect-failed', connection: near.id, reason: 'refused' });
  }

  private connected(near: Stream, peer: Node): void {
    if (near.closed) return;
    const far: Stream = { node: peer, id: -++peer.accepted, far: near, closed: false, lastArrival: 0 };
    near.far = far;
    this.after(near, () => {
      peer.streams.set(far.id, far);
      this.input(peer, { kind: 'incoming', connection: far.id });
    });
    this.input(near.node, { kind: 'connected', connection: near.id });
  }

  private send(node: Node, id: ConnectionId, bytes: Uint8Array): void {
    const near = node.streams.get(id);
    const far = near?.far;
    if (!near || !far || near.closed) return;
    const message = decode(bytes);
    this.after(near, () => {
      if (!far.closed) this.input(far.node, { kind: 'message', connection: far.id, message });
    });
  }

  private close(near: Stream | undefined): void {
    if (!near || near.closed) return;
    near.closed = true;
    const { far } = near;
    if (!far) return;
    this.after(near, () => {
      if (far.closed) return;
      far.closed = true;
      this.input(far.node, { kind: 'disconnected', connection: far.id, reason: 'closed by the neighbour' });
    });
  }

  /** What leaves one end arrives at the other in order. */
  private after(near: Stream, run: () => void): void {
    near.lastArrival = Math.max(near.lastArrival, this.now + this.delay());
    this.at(near.lastArrival, run);
  }

  private delay(): number {
    return this.random.next() * this.options.maxDelay;
  }
}

function decode(bytes: Uint8Array): ControlMessage {
  const body = bytes.subarray(HEADER_OCTETS);
  if (bytes[HEADER_OCTETS - 1] === MESSAGE_TYPE.keepalive) return { kind: 'keepalive' };
  const message = bytes[HEADER_OCTETS - 1] === MESSAGE_TYPE.open ? decodeOpen(body) : decodeNotification(body);
  if (message.kind === 'error') throw new Error(message.reason);
  return message;
}

function earlier(event: Event, than: Event | undefined): boolean {
  return !than || event.at < than.at || (event.at === than.at && event.order < than.order);
}

/** A small generator with a 32-bit state (mulberry32). */
export function seeded(seed: number): Random {
  let state = seed | 0;
  return {
    next() {
      state = (state + 0x6d2b79f5) | 0;
      let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
      mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
      return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
    },
  };
}
