/** What route-events.ts asks the process that listens to the kernel, and what it answers, one JSON value a line. */

export interface RouteEventsTask {
  /** The first 16 bits of the prefixes that count. */
  readonly block: number;
}

export interface RouteEventsCommand {
  readonly kind: 'times';
}

export type RouteEventsAnswer =
  | { readonly kind: 'ready' }
  | {
      readonly kind: 'times';
      /** The number of each prefix, and when a route to it was first told of: milliseconds of CLOCK_MONOTONIC. */
      readonly times: readonly (readonly [number: number, at: number])[];
    };
