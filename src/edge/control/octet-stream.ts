/** Octets in pieces of a size worth sending, so that a long dump is neither held in memory nor made in one go. */
import { setImmediate as nextTurn } from 'node:timers/promises';

/** Octets gathered before they are handed on. */
const PIECE = 32_768;

/** Made only as fast as the pieces are taken; between pieces the event loop gets a turn. */
export async function* octetPieces(items: Iterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let gathered: Uint8Array[] = [];
  let octets = 0;
  for (const item of items) {
    gathered.push(item);
    octets += item.length;
    if (octets < PIECE) continue;
    yield Buffer.concat(gathered);
    gathered = [];
    octets = 0;
    await nextTurn();
  }
  if (octets > 0) yield Buffer.concat(gathered);
}
