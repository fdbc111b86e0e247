/** One peer arbiter on a stage: inputs go in by name, outputs come out as short lines that a story can compare. */
import type { Random } from '../../src/core/ports/random.js';
import { createPeer, type PeerState, stepPeer, summarize } from '../../src/core/session/peer.js';
import type {
  ConnectionId,
  PeerConfig,
  PeerInput,
  PeerOutput,
  PeerSummary,
  PeerTimer,
} from '../../src/core/session/types.js';
import {
  type Capability,
  type ControlMessage,
  MESSAGE_TYPE,
  type OpenMessage,
} from '../../src/core/wire/bgp/message.js';

const MESSAGE_NAMES = new Map<number | undefined, string>([
  [MESSAGE_TYPE.open, 'OPEN'],
  [MESSAGE_TYPE.keepalive, 'KEEPALIVE'],
  [MESSAGE_TYPE.notification, 'NOTIFICATION'],
]);

export const LOCAL: PeerConfig = {
  localAs: 65001,
  identifier: 0x0a000005,
  acceptRemoteAs: [{ kind: 'external' }],
  holdTime: 9,
  connectRetryTime: 60,
  sendHoldTime: 480,
  connectDelay: 0,
  families: ['ipv6-unicast'],
  capabilities: [{ kind: 'route-refresh' }],
};

export const IPV6: Capability = { kind: 'multiprotocol', afi: 2, safi: 1 };

/** An OPEN of the neighbour; its identifier is lower than ours unless the story says otherwise. */
export function remoteOpen(changes: Partial<OpenMessage> = {}): OpenMessage {
  const asn = changes.asn ?? 65002;
  return {
    kind: 'open',
    version: 4,
    asn,
    asField: asn > 0xffff ? 23456 : asn,
    holdTime: 9,
    identifier: 0x0a000001,
    capabilities: [IPV6, { kind: 'four-octet-as', asn }, { kind: 'route-refresh' }],
    ...changes,
  };
}

export const HIGHER = { identifier: 0x0a000009 };

export class PeerStage {
  state: PeerState;
  now = 0;
  /** Deadlines of armed timers, by `hold/1` and so on. */
  readonly timers = new Map<string, number>();
  readonly logs: string[] = [];
  readonly outputs: PeerOutput[] = [];

  /** `random` is constant: jitter is known. */
  constructor(
    changes: Partial<PeerConfig> = {},
    private readonly random: Random = { next: () => 0 },
  ) {
    this.state = createPeer({ ...LOCAL, ...changes });
  }

  get summary(): PeerSummary {
    return summarize(this.state);
  }

  /** Feeds one input; the lines leave out timers and logs, which have their own members. */
  input(input: PeerInput): string[] {
    const { state, outputs } = stepPeer(this.state, input, { now: this.now, random: this.random });
    this.state = state;
    this.outputs.push(...outputs);
    return outputs.flatMap((output) => this.line(output));
  }

  start(): string[] {
    return this.input({ kind: 'started' });
  }

  connected(connection: ConnectionId): string[] {
    return this.input({ kind: 'connected', connection });
  }

  incoming(connection: ConnectionId): string[] {
    return this.input({ kind: 'incoming', connection });
  }

  message(connection: ConnectionId, message: ControlMessage): string[] {
    return this.input({ kind: 'message', connection, message });
  }

  open(connection: ConnectionId, changes: Partial<OpenMessage> = {}): string[] {
    return this.message(connection, remoteOpen(changes));
  }

  keepalive(connection: ConnectionId): string[] {
    return this.message(connection, { kind: 'keepalive' });
  }

  notification(connection: ConnectionId, code: number, subcode: number): string[] {
    return this.message(connection, { kind: 'notification', code, subcode, data: new Uint8Array(0) });
  }

  disconnected(connection: ConnectionId): string[] {
    return this.input({ kind: 'disconnected', connection, reason: 'closed by the neighbour' });
  }

  /** Moves the clock to the timer's deadline, which must be armed, and lets it expire. */
  expire(name: string, unread = false): string[] {
    const at = this.timers.get(name);
    if (at === undefined) throw new Error(`timer ${name} is not armed`);
    this.timers.delete(name);
    this.now = Math.max(this.now, at);
    return this.input({ kind: 'timer-expired', timer: timerOf(name), unread });
  }

  /** Established on connection 1, opened by us. */
  establish(changes: Partial<OpenMessage> = {}): this {
    this.start();
    this.connected(1);
    this.open(1, changes);
    this.keepalive(1);
    return this;
  }

  /** Milliseconds until a timer expires. */
  left(name: string): number | undefined {
    const at = this.timers.get(name);
    return at === undefined ? undefined : at - this.now;
  }

  private line(output: PeerOutput): string[] {
    switch (output.kind) {
      case 'open-connection':
        return [`open ${output.connection}`];
      case 'close-connection':
        return [`close ${output.connection}`];
      case 'abort-connection':
        return [`abort ${output.connection}`];
      case 'send':
        return [`send ${output.connection} ${messageName(output.bytes)}`];
      case 'established':
        return [`established ${output.connection}`];
      case 'down':
        return [`down ${output.reason.kind}${output.wasEstablished ? ', was established' : ''}`];
      case 'state-changed':
        return [`${output.from} -> ${output.to}`];
      case 'refresh-requested':
        return [`refresh ${output.family} ${output.subtype}`];
      case 'arm-timer':
        this.timers.set(timerName(output.timer), output.at);
        return [];
      case 'cancel-timer':
        this.timers.delete(timerName(output.timer));
        return [];
      case 'log':
        this.logs.push(`${output.level}: ${output.message}`);
        return [];
    }
  }
}

export function timerName(timer: PeerTimer): string {
  return 'connection' in timer ? `${timer.name}/${timer.connection}` : timer.name;
}

function timerOf(text: string): PeerTimer {
  const [name, connection] = text.split('/');
  if (connection === undefined) return { name: 'connect-retry' };
  return { name: name as 'hold' | 'keepalive' | 'send-hold', connection: Number(connection) };
}

function messageName(bytes: Uint8Array): string {
  const name = MESSAGE_NAMES.get(bytes[18]) ?? `type ${bytes[18]}`;
  return name === 'NOTIFICATION' ? `${name} ${bytes[19]}/${bytes[20]}` : name;
}
