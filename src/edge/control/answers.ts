/** What a request is answered with, before it is sent: a refusal is an answer like any other. */
import type { EventKind } from './events.js';

export interface Answer {
  /** HTTP status. */
  readonly status: number;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Sent as it is, instead. */
  readonly octets?: Iterable<Uint8Array>;
  /** Sent as text, instead. */
  readonly text?: { readonly type: string; readonly pieces: Iterable<string> };
  /** Sent as they happen, instead. */
  readonly events?: readonly EventKind[];
  readonly headers?: Readonly<Record<string, string>>;
}

export function failure(status: number, error: string, headers?: Answer['headers']): Answer {
  return { status, body: { error }, ...(headers && { headers }) };
}
