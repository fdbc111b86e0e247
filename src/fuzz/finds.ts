/** What a run found wrong, each kind kept once with the input that showed it first. */
import { hex } from '../core/wire/bgp/octets.js';

export interface Find {
  /** What kind of thing went wrong, without numbers: finds of one kind are one. */
  readonly kind: string;
  /** Where: decoder, session kind. */
  readonly place: string;
  readonly detail: string;
  /** The input in hexadecimal, or the story of a session. */
  readonly input: string;
  times: number;
}

/** A longer input is told by its start. */
const SHOWN_OCTETS = 4096;

export class Finds {
  readonly found = new Map<string, Find>();

  constructor(private readonly tell: (find: Find) => void = () => {}) {}

  get count(): number {
    return this.found.size;
  }

  add(
    kind: string,
    place: string,
    { detail, input }: { readonly detail: string; readonly input: Uint8Array | string },
  ): void {
    const known = this.found.get(`${place}: ${kind}`);
    if (known) {
      known.times++;
      return;
    }
    const text = typeof input === 'string' ? input : hex(input.subarray(0, SHOWN_OCTETS));
    const find: Find = { kind, place, detail, input: text, times: 1 };
    this.found.set(`${place}: ${kind}`, find);
    this.tell(find);
  }
}
