/**
 * What only `/metrics` tells, beside the answers to `show`: numbers that are kept as things happen, so that reading them walks no table
 * of prefixes. Times are in seconds, as Prometheus has them.
 */
import type { Family } from '../../core/net/family.js';

export interface Measurements {
  readonly reload: {
    /** The start counts as one. */
    readonly lastSuccessful: boolean;
    /** Of the last that was successful, since 1970. */
    readonly lastSuccessAt: number;
  };
  /** Routes are not selected yet, after a start that waits for those of the neighbours. */
  readonly restarting: boolean;
  readonly links: readonly LinkMeasurement[];
  readonly neighbors: readonly NeighborMeasurement[];
  /** Sessions that were up and ended, by reason; every reason is there. */
  readonly drops: ReadonlyMap<string, number>;
  readonly keepaliveLateness: HistogramCounts;
  /** Prefixes whose selection changed. */
  readonly selectionChanges: number;
  readonly colours: readonly ColourMeasurement[];
  readonly fib: FibMeasurement;
  readonly process: ProcessMeasurement;
}

/** A fabric interface. */
export interface LinkMeasurement {
  readonly interface: string;
  readonly colour: number | null;
  readonly carrier: boolean;
  /** A session is up over it. */
  readonly up: boolean;
  /** Why not, as a word of a short list; null when it is up. */
  readonly reason: string | null;
}

/** A session, up or not. */
export interface NeighborMeasurement {
  /** As in `show neighbors`. */
  readonly name: string;
  readonly interface: string;
  readonly up: boolean;
  /** Why not, as a word of a short list; null when it is up. */
  readonly reason: string | null;
  readonly uptime: number | null;
  readonly establishedCount: number;
  readonly prefixes: { readonly received: number; readonly accepted: number; readonly advertised: number };
  /** `received` counts towards the limit. */
  readonly limits: readonly { readonly family: Family; readonly limit: number; readonly received: number }[];
  /** By type. */
  readonly messages: {
    readonly sent: Readonly<Record<string, number>>;
    readonly received: Readonly<Record<string, number>>;
  };
  /** Routes that it announced and withdrew, and its UPDATEs with a fault, in this session. */
  readonly announced: number;
  readonly withdrawn: number;
  readonly malformed: number;
  /** Paths kept while it restarts. */
  readonly stale: number;
  /** It is just back, and its paths are the last choice. */
  readonly settling: boolean;
  readonly bfd: { readonly up: boolean; readonly failures: number } | null;
}

/** Prefixes of a colour, and those of them that go by their fallback. */
export interface ColourMeasurement {
  readonly colour: number;
  readonly prefixes: number;
  readonly onFallback: number;
}

export interface FibMeasurement {
  /** What other programs did to objects of ours, by kind; every kind is there. */
  readonly outsideChanges: ReadonlyMap<string, number>;
  readonly refusals: number;
  readonly resyncs: number;
  /** What other programs have in the way of ours. */
  readonly foreign: number;
}

export interface HistogramCounts {
  /** Upper bounds, ascending, and how many values each took that were above the one before; the last bound is infinite. */
  readonly buckets: readonly { readonly bound: number; readonly count: number }[];
  readonly sum: number;
}

/** Null where the system does not tell. */
export interface ProcessMeasurement {
  /** Since 1970. */
  readonly startedAt: number;
  readonly cpu: { readonly user: number; readonly system: number };
  readonly residentBytes: number;
  readonly virtualBytes: number | null;
  readonly heapUsedBytes: number;
  readonly heapTotalBytes: number;
  readonly externalBytes: number;
  readonly openDescriptors: number | null;
  readonly maxDescriptors: number | null;
  /** How much later than it could the event loop came round, since the last time that somebody asked. */
  readonly loopDelay: { readonly mean: number; readonly p50: number; readonly p99: number; readonly max: number };
}
