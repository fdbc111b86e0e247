/** What imbalance.ts tells the two ends of its bursty flows and what they answer, one JSON value a line. */

export type BurstsTask =
  | { readonly kind: 'receive'; readonly address: string; readonly port: number }
  | {
      readonly kind: 'send';
      readonly source: string;
      readonly address: string;
      readonly port: number;
      /** One flow each. */
      readonly sourcePorts: readonly number[];
      /** Octets of payload a second, all flows together, on average. */
      readonly rate: number;
      /** Milliseconds. */
      readonly duration: number;
    };

/** The sender begins, the receiver says what came. */
export interface BurstsCommand {
  readonly kind: 'go';
}

export type BurstsAnswer = { readonly kind: 'ready' } | { readonly kind: 'octets'; readonly octets: number };
