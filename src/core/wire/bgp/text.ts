/** Text in messages: UTF-8 from a stranger that will be printed on a terminal, and text of ours that must fit a length octet. */

/** Control, format and unassigned characters, which could drive a terminal or hide what is written. */
const UNPRINTABLE = /\p{C}/gu;

/** Invalid UTF-8 becomes U+FFFD, unprintable characters `\u{HEX}`. */
export function printableText(bytes: Uint8Array): string {
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
  return text.replace(UNPRINTABLE, (character) => `\\u{${character.codePointAt(0)!.toString(16)}}`);
}

/** At most `maximum` octets of UTF-8, cut between characters. */
export function utf8Within(text: string, maximum: number): Uint8Array {
  const bytes = new TextEncoder().encode(text);
  if (bytes.length <= maximum) return bytes;
  let end = maximum;
  // 10xxxxxx continues a character.
  while (end > 0 && (bytes[end]! & 0xc0) === 0x80) end--;
  return bytes.slice(0, end);
}
