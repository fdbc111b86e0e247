/**
 * BFD beside one neighbour's session (RFC 5882): starts and ends with it, and turns what BFD sees into inputs of the peer. Only a
 * path that was up and broke ends a session; BFD that never came up, and AdminDown, do not (section 3.2). Strict mode is the peer's.
 */
import type { BfdChange, BfdSession, BfdStatus, BfdTarget } from '../ports/bfd.js';
import type { PeerInput } from '../session/types.js';
import type { BfdConfig } from './config.js';
import type { SpeakerPorts } from './speaker-ports.js';

export interface NeighbourBfdOwner {
  readonly name: string;
  readonly target: BfdTarget;
  input(input: Extract<PeerInput, { kind: 'path-verified' | 'path-failed' }>): void;
}

export class NeighbourBfd {
  /** Clock milliseconds of the last change of our state. */
  changedAt: number;
  /** Why it cannot run. */
  problem: string | undefined;
  private session: BfdSession | undefined;

  constructor(
    public config: BfdConfig,
    private readonly ports: SpeakerPorts,
    private readonly owner: NeighbourBfdOwner,
  ) {
    this.changedAt = ports.clock.now();
  }

  /** `undefined` while it does not run. */
  get status(): BfdStatus | undefined {
    return this.session?.status();
  }

  start(): void {
    if (this.session) return;
    this.problem = undefined;
    this.session = this.ports.bfd.open(this.owner.target, this.config, {
      changed: (change) => this.changed(change),
      failed: (reason) => this.failed(reason),
    });
  }

  /** Other times: the session goes on. */
  change(config: BfdConfig): void {
    this.config = config;
    this.session?.change(config);
  }

  stop(): void {
    this.session?.close();
    this.session = undefined;
    this.owner.input({ kind: 'path-verified', verified: false });
  }

  private changed(change: BfdChange): void {
    if (change.from !== change.to) {
      this.changedAt = this.ports.clock.now();
      const why = change.diagnostic === 'No Diagnostic' ? '' : `: ${change.diagnostic}`;
      this.log(change.pathFailed ? 'warn' : 'info', `BFD ${change.from} -> ${change.to}${why}`);
    }
    // RFC 5882 section 4.1: a neighbour in AdminDown does not want BFD to decide.
    const verified = change.to === 'Up' || change.remote === 'AdminDown';
    this.owner.input({ kind: 'path-verified', verified });
    if (!change.pathFailed) return;
    const { diagnostic, independent } = change;
    this.owner.input({ kind: 'path-failed', reason: `BFD: ${diagnostic}`, independent });
  }

  private failed(reason: string): void {
    this.problem = reason;
    this.log('error', `no BFD: ${reason}`);
  }

  private log(level: 'info' | 'warn' | 'error', message: string): void {
    this.ports.log.write({ level, topic: 'bfd', message, fields: { neighbour: this.owner.name } });
  }
}
