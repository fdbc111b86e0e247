/** What run-traffic.ts tells the process in a host's namespace and what that answers, one JSON value a line. */
import type { TrafficPattern } from '../../core/rlb/bus-bandwidth.js';
import type { RequesterCounters } from '../../core/rlb/requester.js';
import type { ResponderCounters } from '../../core/rlb/responder.js';
import type { WrongWord } from '../../core/rlb/test-words.js';

export interface AgentQueuePair {
  /** The same at both ends; its place among all subflows of the job. */
  readonly subflow: number;
  /** Rank of the other end. */
  readonly peer: number;
  /** `out`: this end writes; `in`: the other one does. */
  readonly direction: 'out' | 'in';
  readonly local: string;
  readonly remote: string;
  readonly localQp: number;
  readonly remoteQp: number;
  readonly sourcePort: number;
  readonly firstPsn: number;
}

export interface TransportSettings {
  readonly pathMtu: number;
  /** Packets of a queue pair under way. */
  readonly window: number;
  /** Milliseconds. */
  readonly ackTimeout: number;
  readonly retryLimit: number;
  /** Octets of data in a millisecond, of one queue pair. */
  readonly pace?: number;
  /** Packets that may come before others and are kept for them; absent: go-back-N. */
  readonly reorder?: number;
}

export interface AgentTask {
  readonly pattern: TrafficPattern;
  readonly rank: number;
  readonly ranks: number;
  /** 32-bit words of every rank. */
  readonly words: number;
  readonly seed: number;
  readonly transport: TransportSettings;
  readonly queuePairs: readonly AgentQueuePair[];
}

/** `stop` ends it with a report; until then it answers to what its peers send again. */
export interface AgentCommand {
  readonly kind: 'start' | 'stop';
}

export interface SendingEnd extends RequesterCounters {
  /** Octets that have arrived. */
  readonly octets: number;
  /** Milliseconds of the machine's monotonic clock; null when nothing was sent. */
  readonly startedAt: number | null;
  /** When the last answer came. */
  readonly endedAt: number | null;
  readonly failure: string | null;
}

export interface ReceivingEnd extends ResponderCounters {
  readonly icrcErrors: number;
  readonly malformed: number;
  /** What the last datagram that was no packet had wrong. */
  readonly problem: string | null;
}

export type SubflowEnd =
  | { readonly subflow: number; readonly direction: 'out'; readonly counters: SendingEnd }
  | { readonly subflow: number; readonly direction: 'in'; readonly counters: ReceivingEnd };

export type AgentAnswer =
  | { readonly kind: 'ready' }
  /** Octets that have arrived at the peers. */
  | { readonly kind: 'progress'; readonly octets: number }
  | { readonly kind: 'finished'; readonly startedAt: number; readonly finishedAt: number }
  | { readonly kind: 'failed'; readonly subflow: number; readonly reason: string }
  | {
      readonly kind: 'report';
      readonly ends: readonly SubflowEnd[];
      /** The first word of the result that is wrong. */
      readonly wrong: WrongWord | null;
      /** Packets for queue pairs that are not here. */
      readonly strays: number;
      /** What sockets complained of last: no route, no buffers. */
      readonly sendError: string | null;
    };
