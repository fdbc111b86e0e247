/** Octets for wire tests, written as hexadecimal text with spaces where they help. */

export function bytes(text: string): Uint8Array {
  return Uint8Array.from(text.replaceAll(/\s/g, '').match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
}

export interface UpdateParts {
  readonly withdrawn?: string;
  readonly attributes?: readonly string[];
  readonly nlri?: string;
}

/** The body of an UPDATE with both length fields filled in. */
export function updateBody({ withdrawn = '', attributes = [], nlri = '' }: UpdateParts): Uint8Array {
  const routes = bytes(withdrawn);
  const list = bytes(attributes.join(''));
  const lengths = (length: number) => [length >> 8, length & 0xff];
  return Uint8Array.of(...lengths(routes.length), ...routes, ...lengths(list.length), ...list, ...bytes(nlri));
}
