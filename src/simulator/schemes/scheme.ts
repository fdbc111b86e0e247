/**
 * What a load-balancing scheme is to the fabric: the answer to one question, which of several equal ports a packet takes at a switch, and what
 * it wants to see and to send for that. One file a scheme; `ecmp.ts` is the simplest, docs/simulator.md shows how to add one.
 */
import type { EventQueue } from '../engine/event-queue.js';
import type { QueuePairs } from '../hosts/queue-pairs.js';
import type { Forwarding } from '../network/forwarding.js';
import type { Packets } from '../network/packets.js';
import type { Ports } from '../network/ports.js';
import type { Topology } from '../network/topology.js';

/** What a scheme may look at, and the few things it may do. */
export interface SchemeContext {
  readonly topology: Topology;
  readonly events: EventQueue;
  readonly packets: Packets;
  readonly ports: Ports;
  readonly forwarding: Forwarding;
  readonly queuePairs: QueuePairs;
  /** A number from 0 to below 1, drawn from the seed of the run. */
  random(): number;
  /** Calls `timer(first, second)` after `delay` picoseconds. */
  schedule(delay: number, first: number, second: number): void;
  /** Goes on with a packet that `received` kept: through the forwarding tables of that switch, and `choose`. */
  forward(node: number, packet: number): void;
  /** Puts a packet into the queue of a port, whatever the tables say. */
  send(port: number, packet: number): void;
  /** A packet of the scheme's own, of `bytes` octets, in the class of control packets, ready for `send` or `forward`. */
  controlPacket(bytes: number): number;
  /** Ends a packet that `received` kept. */
  discard(packet: number): void;
}

export interface LoadBalancer {
  /** The port, one of the group's, by which a packet leaves a switch. Only asked where a group has several. */
  choose(node: number, packet: number, group: number): number;
  /** A packet came into a switch, before it is looked up. False: the scheme keeps it, and goes on with it or ends it itself. */
  received?(node: number, packet: number, ingress: number): boolean;
  /** A packet joins the queue of a port of a switch; it was admitted. */
  queueing?(port: number, packet: number): void;
  /** A packet starts to leave a port of a switch. */
  departing?(port: number, packet: number): void;
  timer?(first: number, second: number): void;
  /** A port of a switch went down, came up, or has another rate. */
  linkChanged?(port: number): void;
  /** The queue pair's number is going to be used again. */
  queuePairOpened?(qp: number): void;
  /** Counters of its own for the results, by name. */
  counters?(): Readonly<Record<string, number>>;
}

/** Options of a scheme: numbers (their unit in the documentation of the key), switches and words; the defaults say what there is. */
export type SchemeOptions = Readonly<Record<string, number | boolean | string>>;

/** A scheme as users name it. */
export interface SchemeDefinition<Options extends SchemeOptions = SchemeOptions> {
  /** As in `heddle sim --scheme NAME`. */
  readonly name: string;
  /** One line: the idea, and where it is from. */
  readonly summary: string;
  readonly defaults: Options;
  /** The defaults where some of them follow other options. */
  defaultsWith?(options: Options): Options;
  /** What each option is, with its unit. */
  readonly meaning: Readonly<Record<keyof Options, string>>;
  /** Hosts have an address for every uplink, routers pin its prefix to a spine by its colour, and messages are cut into subflows. */
  readonly coloured?: boolean;
  /** What is wrong with options, or with this fabric, for this scheme; undefined: nothing. Asked before anything runs. */
  refuses?(topology: Topology, options: Options): string | undefined;
  create(context: SchemeContext, options: Options): LoadBalancer;
}
