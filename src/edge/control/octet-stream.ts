/** Octets in pieces of a size worth sending, so that a long dump is neither held in memory nor made in one go. */
import type { Turn } from './json-stream.js';

/** Octets gathered before they are handed on. */
const PIECE = 32_768;

/** Made only as fast as the pieces are taken, each in its turn. */
export async function* octetPieces(items: Iterable<Uint8Array>, turn: Turn): AsyncGenerator<Uint8Array> {
  let gathered: Uint8Array[] = [];
  let octets = 0;
  for (const item of items) {
    gathered.push(item);
    octets += item.length;
    if (octets < PIECE) continue;
    yield Buffer.concat(gathered);
    gathered = [];
    octets = 0;
    await turn();
  }
  if (octets > 0) yield Buffer.concat(gathered);
}
