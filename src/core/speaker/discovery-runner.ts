/**
 * Runs a discovery machine (fabric or host) on one interface: its ND socket, its timer, its log. What it finds goes to
 * whoever owns the runner.
 */
import type { DiscoveryMoment } from '../discovery/router-link.js';
import type { DiscoveryOutput, LossReason } from '../discovery/types.js';
import type { Address } from '../net/address.js';
import type { LinkState } from '../ports/links.js';
import type { NdSocket } from '../ports/nd-socket.js';
import { Deadline } from './deadline.js';
import type { SpeakerPorts } from './speaker-ports.js';

/** What every discovery machine takes besides inputs of its own. */
type CommonInput =
  | { readonly kind: 'packet'; readonly source: Address; readonly message: Uint8Array }
  | { readonly kind: 'timer-expired' };

export interface DiscoveryMachine<State, Input> {
  readonly initial: State;
  step(
    state: State,
    input: Input | CommonInput,
    at: DiscoveryMoment,
  ): { readonly state: State; readonly outputs: readonly DiscoveryOutput[] };
}

export interface DiscoveryOwner {
  readonly interfaceName: string;
  readonly topic: 'discovery' | 'host';
  found(address: Address): void;
  lost(address: Address, reason: LossReason): void;
}

export class DiscoveryRunner<State, Input> {
  state: State;
  private readonly timer: Deadline;
  private socket: NdSocket | undefined;
  /** Why there is no socket, where one was asked for. */
  problem: string | undefined;

  constructor(
    private readonly ports: SpeakerPorts,
    private readonly machine: DiscoveryMachine<State, Input>,
    private readonly owner: DiscoveryOwner,
  ) {
    this.state = machine.initial;
    this.timer = new Deadline(ports.clock, () => this.input({ kind: 'timer-expired' }));
  }

  input(input: Input | CommonInput): void {
    const { clock, random } = this.ports;
    const { state, outputs } = this.machine.step(this.state, input, { now: clock.now(), random });
    this.state = state;
    for (const output of outputs) this.perform(output);
  }

  /** Opens the socket unless it is open. */
  open(link: LinkState): void {
    if (this.socket) return;
    try {
      this.socket = this.ports.ndSockets.open(
        link,
        ({ source, message }) => this.input({ kind: 'packet', source, message }),
        (reason) => this.log('warn', `cannot send on ${link.name}: ${reason}`),
      );
      this.problem = undefined;
    } catch (error) {
      const problem = error instanceof Error ? error.message : String(error);
      if (problem !== this.problem) this.log('error', `no Neighbor Discovery on ${link.name}: ${problem}`);
      this.problem = problem;
    }
  }

  closeSocket(): void {
    this.socket?.close();
    this.socket = undefined;
  }

  close(): void {
    this.timer.cancel();
    this.closeSocket();
  }

  log(level: 'debug' | 'info' | 'warn' | 'error', message: string): void {
    const { topic, interfaceName } = this.owner;
    this.ports.log.write({ level, topic, message, fields: { interface: interfaceName } });
  }

  private perform(output: DiscoveryOutput): void {
    switch (output.kind) {
      case 'send':
        return this.socket?.send(output.destination, output.message);
      case 'arm-timer':
        return this.timer.arm(output.at);
      case 'cancel-timer':
        return this.timer.cancel();
      case 'neighbour-found':
        return this.owner.found(output.address);
      case 'neighbour-lost':
        return this.owner.lost(output.address, output.reason);
      case 'log':
        return this.log(output.level, output.message);
    }
  }
}
