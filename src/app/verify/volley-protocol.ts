/** What volleys.ts tells the sending process in a host's namespace, and what that answers; one JSON value a line. */

export interface VolleyTask {
  /** Datagrams of a volley. */
  readonly count: number;
  /** Ports that they come from in turn, so that a hash over ports spreads them. */
  readonly sourcePorts: number;
  /** Of the receiving end. */
  readonly port: number;
}

export interface Volley {
  readonly source: string;
  readonly destination: string;
}

export type VolleyAnswer = { readonly kind: 'ready' } | { readonly kind: 'sent' };
