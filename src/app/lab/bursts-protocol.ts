/** What bursts.ts tells its two processes and what they answer, one JSON value a line. */

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
      /** Milliseconds of a burst, and of the pause after it; without a pause flows are steady. */
      readonly burst: number;
      readonly pause: number;
    };

/** The sender begins, and then stops; the receiver says what came. */
export interface BurstsCommand {
  readonly kind: 'go' | 'stop';
}

export type BurstsAnswer = { readonly kind: 'ready' } | { readonly kind: 'octets'; readonly octets: number };
