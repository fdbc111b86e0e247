/** JSON text in pieces, so that a long table is neither held in memory nor walked in one go. */

/** Resolves when the next piece may be made. */
export type Turn = () => Promise<void>;

/** Characters gathered before they are handed on. */
const PIECE = 32_768;

/**
 * The JSON of `value`, where an iterable (at the top, or as a property of the top object) becomes an array and is
 * walked only as fast as the pieces are taken, each in its turn.
 */
export function jsonPieces(value: unknown, turn: Turn): AsyncGenerator<string> {
  return textPieces(tokens(value), turn);
}

/** Text in pieces of a size worth sending; each is made in its turn. */
export async function* textPieces(texts: Iterable<string>, turn: Turn): AsyncGenerator<string> {
  let piece = '';
  for (const token of texts) {
    piece += token;
    if (piece.length < PIECE) continue;
    yield piece;
    piece = '';
    await turn();
  }
  if (piece !== '') yield piece;
}

function* tokens(value: unknown): Generator<string> {
  if (isIterable(value)) yield* arrayTokens(value);
  else if (typeof value === 'object' && value !== null) yield* objectTokens(value);
  else yield JSON.stringify(value);
}

function* arrayTokens(items: Iterable<unknown>): Generator<string> {
  let separator = '[';
  for (const item of items) {
    yield separator + JSON.stringify(item);
    separator = ',';
  }
  yield separator === '[' ? '[]' : ']';
}

function* objectTokens(value: object): Generator<string> {
  let separator = '{';
  for (const [key, inner] of Object.entries(value)) {
    yield `${separator}${JSON.stringify(key)}:`;
    if (isIterable(inner)) yield* arrayTokens(inner);
    else yield JSON.stringify(inner);
    separator = ',';
  }
  yield separator === '{' ? '{}' : '}';
}

function isIterable(value: unknown): value is Iterable<unknown> {
  return typeof value === 'object' && value !== null && Symbol.iterator in value;
}
