/**
 * Runs BFD sessions over a clock and a network: one timer a session, for whichever deadline comes first. The daemon gives it a
 * worker thread, the simulator virtual time.
 */
import { formatAddress } from '../net/address.js';
import type {
  BfdChange,
  BfdNetwork,
  BfdParameters,
  BfdSession,
  BfdSessions,
  BfdSocket,
  BfdStatus,
  BfdTarget,
} from '../ports/bfd.js';
import type { Clock } from '../ports/clock.js';
import type { Random } from '../ports/random.js';
import { decodeBfdControlPacket, encodeBfdControlPacket } from '../wire/bfd.js';
import {
  type BfdInput,
  type BfdOutput,
  type BfdSessionState,
  createBfdSession,
  deadline,
  detectionTime,
  diagnosticName,
  stepBfdSession,
  transmitInterval,
} from './session.js';

export interface BfdRunnerPorts {
  readonly clock: Clock;
  readonly random: Random;
  readonly network: BfdNetwork;
}

type Changed = (change: BfdChange) => void;

const DISCRIMINATORS = 0xffffffff;

export class BfdRunner implements BfdSessions {
  /** By interface index and neighbour; those that end are still there until the neighbour knows. */
  private readonly sessions = new Map<string, RunningSession>();
  private readonly discriminators = new Set<number>();

  constructor(private readonly ports: BfdRunnerPorts) {}

  open(
    target: BfdTarget,
    parameters: BfdParameters,
    handlers: { changed: Changed; failed(reason: string): void },
  ): BfdSession {
    const key = `${target.interfaceIndex} ${formatAddress(target.remote)}`;
    this.sessions.get(key)?.end();
    const discriminator = this.freeDiscriminator();
    const session = new RunningSession(this.ports, createBfdSession(discriminator, parameters), handlers.changed);
    this.discriminators.add(discriminator);
    this.sessions.set(key, session);
    session.ended = () => {
      this.discriminators.delete(discriminator);
      if (this.sessions.get(key) === session) this.sessions.delete(key);
    };
    try {
      session.start(target);
    } catch (error) {
      session.end();
      handlers.failed(error instanceof Error ? error.message : String(error));
    }
    return session;
  }

  /** RFC 5880 section 10: hard to guess, and no other session's. */
  private freeDiscriminator(): number {
    for (;;) {
      const discriminator = 1 + Math.floor(this.ports.random.next() * DISCRIMINATORS);
      if (!this.discriminators.has(discriminator)) return discriminator;
    }
  }
}

class RunningSession implements BfdSession {
  ended: () => void = () => {};
  private readonly packets = { sent: 0, received: 0, discarded: 0 };
  private ups = 0;
  private failures = 0;
  private socket: BfdSocket | undefined;
  private wakeAt = Number.POSITIVE_INFINITY;
  private cancelWake: (() => void) | undefined;
  private closing = false;

  constructor(
    private readonly ports: BfdRunnerPorts,
    private state: BfdSessionState,
    private readonly changed: Changed,
  ) {}

  start(target: BfdTarget): void {
    this.socket = this.ports.network.open(target, (packet) => this.receive(packet));
    this.input({ kind: 'started' });
  }

  status(): BfdStatus {
    const { state, remote, diagnostic, discriminator } = this.state;
    return {
      state,
      remoteState: remote.state,
      diagnostic: diagnosticName(diagnostic),
      remoteDiagnostic: diagnosticName(remote.diagnostic),
      localDiscriminator: discriminator,
      remoteDiscriminator: remote.discriminator,
      transmitInterval: transmitInterval(this.state),
      detectionTime: detectionTime(this.state),
      remoteMultiplier: remote.multiplier,
      packets: { ...this.packets },
      ups: this.ups,
      failures: this.failures,
    };
  }

  change({ interval, multiplier }: BfdParameters): void {
    this.input({ kind: 'parameters', parameters: { interval, multiplier } });
  }

  /** RFC 5880 section 6.8.16: AdminDown is told for as long as the neighbour needs to notice. */
  close(): void {
    if (this.closing || !this.socket) return;
    this.closing = true;
    const { clock } = this.ports;
    const notice = this.state.parameters.multiplier * transmitInterval(this.state);
    this.input({ kind: 'admin-down' });
    clock.schedule(clock.now() + notice, () => this.end());
  }

  /** At once. */
  end(): void {
    this.closing = true;
    this.cancelWake?.();
    this.cancelWake = undefined;
    this.socket?.close();
    this.socket = undefined;
    this.ended();
  }

  private receive(bytes: Uint8Array): void {
    const packet = decodeBfdControlPacket(bytes);
    this.packets.received++;
    if (packet) this.input({ kind: 'packet', packet });
    else this.packets.discarded++;
  }

  private input(input: BfdInput): void {
    if (!this.socket) return;
    const { clock, random } = this.ports;
    const { state, outputs } = stepBfdSession(this.state, input, { now: clock.now(), random });
    this.state = state;
    for (const output of outputs) this.perform(output);
    this.schedule();
  }

  private perform(output: BfdOutput): void {
    switch (output.kind) {
      case 'send':
        this.packets.sent++;
        return this.socket?.send(encodeBfdControlPacket(output.packet));
      case 'discarded':
        this.packets.discarded++;
        return;
      case 'changed':
        return this.tell(output.change);
    }
  }

  private tell(change: BfdChange): void {
    if (change.to === 'Up' && change.from !== 'Up') this.ups++;
    if (change.pathFailed) this.failures++;
    if (!this.closing) this.changed(change);
  }

  /** A deadline that moved later costs nothing: the earlier wake-up looks again. */
  private schedule(): void {
    const at = deadline(this.state);
    if (!this.socket || at >= this.wakeAt) return;
    this.cancelWake?.();
    this.wakeAt = at;
    this.cancelWake = this.ports.clock.schedule(at, () => this.wake());
  }

  /** What waits in the socket is read before silence is believed: this thread may have been the one that was late. */
  private wake(): void {
    this.wakeAt = Number.POSITIVE_INFINITY;
    this.cancelWake = undefined;
    const { clock } = this.ports;
    if (clock.now() < this.state.detectAt) return this.input({ kind: 'time' });
    clock.yield(() => this.input({ kind: 'time' }));
  }
}
