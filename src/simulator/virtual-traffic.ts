/**
 * Bursty flows over a simulated fabric, in steps of a millisecond of virtual time: what a flow sends takes the buckets of every group on
 * its way and waits in the queue of every interface.
 */
import type { Address } from '../core/net/address.js';
import type { Random } from '../core/ports/random.js';
import type { VirtualFabric } from './virtual-fabric.js';

export interface FlowShape {
  /** A host. */
  readonly from: string;
  readonly to: Address;
  /** Of addresses and ports; what bucket of a group it is in. */
  readonly hash: number;
  /** Octets a millisecond while it sends. */
  readonly rate: number;
  /** Milliseconds, on average, of a burst and of the pause after it; without a pause it never ends. */
  readonly burst: number;
  readonly pause: number;
}

interface Flow {
  readonly shape: FlowShape;
  sending: boolean;
  until: number;
}

export class VirtualTraffic {
  /** Octets that the flows sent, and those of them that no queue dropped and that had a way. */
  offered = 0;
  delivered = 0;
  private readonly flows: Flow[];
  private running = true;

  constructor(
    private readonly fabric: VirtualFabric,
    flows: readonly FlowShape[],
    private readonly random: Random,
  ) {
    const now = fabric.clock.now();
    this.flows = flows.map((shape) => ({ shape, sending: false, until: now + shape.pause * random.next() }));
    this.step();
  }

  stop(): void {
    this.running = false;
  }

  private step(): void {
    if (!this.running) return;
    const { clock } = this.fabric;
    for (const flow of this.flows) this.send(flow, clock.now());
    clock.schedule(clock.now() + 1, () => this.step());
  }

  private send(flow: Flow, now: number): void {
    const { from, to, hash, rate, burst, pause } = flow.shape;
    if (now >= flow.until && (pause > 0 || !flow.sending)) {
      flow.sending = !flow.sending;
      flow.until = now - (flow.sending ? burst : pause) * Math.log(1 - this.random.next());
    }
    if (!flow.sending) return;
    this.offered += rate;
    if (this.fabric.send(from, to, { hash, octets: rate })) this.delivered += rate;
  }
}
