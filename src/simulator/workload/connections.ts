/**
 * Connections of jobs: between two hosts so many queue pairs, and what becomes of a message on them. "split" cuts it into a segment for each queue pair,
 * "round-robin" puts whole messages on one after the other (the two ways of queue pair scaling, as Meta has described them). RDMA-aware load
 * balancing is "split" with queue pairs that are bound each to the address of another uplink (`planeEndpoints`).
 */
import { segmentsOf } from '../../core/rlb/segments.js';
import { entropyPort, ROCE_PORT } from '../../core/wire/rocev2/entropy-port.js';
import type { Endpoints } from '../hosts/queue-pairs.js';
import { SimulationInputError } from '../input-error.js';
import type { FabricSimulation } from '../network/fabric-simulation.js';
import { LOSSLESS_CLASS } from '../network/traffic-classes.js';
import { ns3Address } from './addressing.js';

export type Spread = 'split' | 'round-robin';

export interface ConnectionSettings {
  /** Of each connection. */
  readonly queuePairs: number;
  readonly spread: Spread;
  /** The ends of the n-th queue pair between two hosts, from 0. */
  endpoints(source: number, destination: number, number: number): Endpoints;
}

const FIRST_QUEUE_PAIR = 0x11;

/** Hosts have one address; UDP source ports are as Linux makes them of queue pair numbers, so that each queue pair is a flow of its own to ECMP. */
export function plainEndpoints(source: number, destination: number, number: number): Endpoints {
  return endsOf({ source, destination, number }, [source, destination], [ns3Address(source), ns3Address(destination)]);
}

/** Hosts have an address for each uplink of their leaf, `host * planes + plane`; the n-th queue pair is bound to those of plane n at both ends. */
export function planeEndpoints(planes: number): ConnectionSettings['endpoints'] {
  return (source, destination, number) => {
    const addresses = [source, destination].map((host) => host * planes + (number % planes)) as [number, number];
    return endsOf({ source, destination, number }, addresses, addresses);
  };
}

function endsOf(
  pair: { readonly source: number; readonly destination: number; readonly number: number },
  addresses: readonly [number, number],
  words: readonly [number, number],
): Endpoints {
  const { source, destination, number } = pair;
  // Numbers that hosts give out one after the other, for each host they know.
  const sourceQueuePair = FIRST_QUEUE_PAIR + destination * 64 + number;
  const destinationQueuePair = FIRST_QUEUE_PAIR + source * 64 + number;
  const port = entropyPort(sourceQueuePair, destinationQueuePair);
  return {
    source,
    destination,
    sourceAddress: addresses[0],
    destinationAddress: addresses[1],
    words: [words[0], words[1], port | (ROCE_PORT << 16), destinationQueuePair],
    serviceClass: LOSSLESS_CLASS,
  };
}

interface Connection {
  readonly queuePairs: readonly number[];
  turn: number;
}

interface Message {
  segments: number;
  readonly whole: () => void;
}

export class Connections {
  private readonly simulation: FabricSimulation;
  private readonly settings: ConnectionSettings;
  private readonly connections = new Map<string, Connection>();
  private readonly messages: Message[] = [];
  private readonly free: number[] = [];

  constructor(simulation: FabricSimulation, settings: ConnectionSettings) {
    const { queuePairs } = settings;
    if (!Number.isInteger(queuePairs) || queuePairs < 1 || queuePairs > 64) {
      throw new SimulationInputError(`${queuePairs} queue pairs a connection: 1 to 64`);
    }
    this.simulation = simulation;
    this.settings = settings;
  }

  /** Sends a message; `whole` is called when its receiver has the last segment of it. */
  send(source: number, destination: number, octets: number, whole: () => void): void {
    const { hosts } = this.simulation;
    const connection = this.connection(source, destination);
    const { queuePairs } = connection;
    const segments =
      this.settings.spread === 'split' ? segmentsOf(octets, queuePairs.length).filter(({ length }) => length > 0) : [];
    const number = this.add({ segments: Math.max(1, segments.length), whole });
    if (segments.length === 0) {
      hosts.post(queuePairs[connection.turn++ % queuePairs.length]!, octets, number);
      return;
    }
    segments.forEach(({ length }, index) => {
      // Segments of nothing come first, where there are fewer octets than queue pairs.
      hosts.post(queuePairs[index + queuePairs.length - segments.length]!, length, number);
    });
  }

  /** A workload's `delivered`, with the number that was posted. */
  delivered(number: number): void {
    const message = this.messages[number]!;
    if (--message.segments > 0) return;
    this.free.push(number);
    message.whole();
  }

  private add(message: Message): number {
    const number = this.free.pop() ?? this.messages.length;
    this.messages[number] = message;
    return number;
  }

  private connection(source: number, destination: number): Connection {
    const key = `${source} ${destination}`;
    const known = this.connections.get(key);
    if (known) return known;
    const { queuePairs, endpoints } = this.settings;
    const made: Connection = {
      queuePairs: Array.from({ length: queuePairs }, (_, number) =>
        this.simulation.hosts.open(endpoints(source, destination, number)),
      ),
      turn: 0,
    };
    this.connections.set(key, made);
    return made;
  }
}
