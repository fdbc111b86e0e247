/**
 * What became of each flow of a list: its packets that were sent again, those that came out of order, and on how many ways its packets came. Only there when
 * somebody asks for it: every packet on every link is looked at. Nothing of it changes the run.
 */
import { grown } from '../../core/net/grown.js';
import type { FabricSimulation } from '../network/fabric-simulation.js';
import { ROW, Word } from '../network/packets.js';
import type { FlowList } from '../workload/flow-list.js';

const NONE = -1;
/** Fibonacci hashing: 2^32 over the golden ratio. */
const SPREAD = 0x9e3779b1;

export class FlowLog {
  readonly resent: Int32Array;
  readonly outOfOrder: Int32Array;
  /** Ways: sequences of links between switches, told apart by a hash of 32 bits. */
  readonly paths: Int32Array;
  /** Of queue pairs that are open. */
  private flowOf = new Int32Array(64).fill(NONE);
  /** Of flows that are under way. */
  private readonly ways = new Map<number, Set<number>>();
  /** Of each packet the links it has come by. */
  private wayOf = new Int32Array(16_384);

  constructor(
    private readonly simulation: FabricSimulation,
    flows: number,
  ) {
    this.resent = new Int32Array(flows);
    this.outOfOrder = new Int32Array(flows);
    this.paths = new Int32Array(flows);
    simulation.queuePairs.growth.push((length) => {
      const before = this.flowOf.length;
      this.flowOf = grown(this.flowOf, length).fill(NONE, before);
    });
  }

  watch(list: FlowList): void {
    list.opened = (qp, flow) => this.opened(qp, flow);
    list.ended = (qp, flow) => this.ended(qp, flow);
    this.simulation.wire.watched = (port, packet) => this.sent(port, packet);
  }

  /** The run is over: what has not ended counts as it is. */
  finish(): void {
    this.flowOf.forEach((flow, qp) => {
      if (flow !== NONE) this.ended(qp, flow);
    });
  }

  private opened(qp: number, flow: number): void {
    this.flowOf[qp] = flow;
    if (!this.ways.has(flow)) this.ways.set(flow, new Set());
  }

  private ended(qp: number, flow: number): void {
    const { queuePairs } = this.simulation;
    this.resent[flow] = this.resent[flow]! + queuePairs.resent[qp]!;
    this.outOfOrder[flow] = this.outOfOrder[flow]! + queuePairs.outOfOrder[qp]!;
    this.paths[flow] = this.ways.get(flow)?.size ?? this.paths[flow]!;
    this.flowOf[qp] = NONE;
  }

  private sent(port: number, packet: number): void {
    const { packets, ports, topology } = this.simulation;
    if (!packets.isData(packet)) return;
    if (packet >= this.wayOf.length) this.wayOf = grown(this.wayOf, packets.words.length >> ROW);
    if (ports.node[port]! < topology.hosts) this.wayOf[packet] = 0;
    else if (ports.node[ports.peer[port]!]! < topology.hosts) this.arrives(packet);
    else this.wayOf[packet] = (Math.imul(this.wayOf[packet]! ^ port, SPREAD) + 1) | 0;
  }

  private arrives(packet: number): void {
    const { packets, queuePairs } = this.simulation;
    const at = packet << ROW;
    const qp = packets.words[at + Word.queuePair]!;
    const flow = this.flowOf[qp]!;
    // A late packet of a queue pair that has ended is nobody's.
    if (flow === NONE || packets.words[at + Word.generation] !== queuePairs.generation[qp]) return;
    this.ways.get(flow)!.add(this.wayOf[packet]!);
  }
}
