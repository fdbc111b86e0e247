/** The text of a configuration that a user names, or what is wrong with it: too large, binary, nothing in it. */
import { closeSync, fstatSync, openSync, readFileSync } from 'node:fs';

/** Octets. A router's configuration has some hundred thousand at most. */
const LARGEST = 16 * 1024 * 1024;

export type SourceText = { readonly text: string } | { readonly problem: string };

/** @param file a path, or `-` for standard input */
export function readSource(file: string): SourceText {
  try {
    const descriptor = file === '-' ? 0 : openSync(file, 'r');
    try {
      const { size } = fstatSync(descriptor);
      if (size > LARGEST)
        return { problem: `it has ${size} octets: no router's configuration has more than ${LARGEST}` };
      return sourceText(readFileSync(descriptor));
    } finally {
      if (descriptor !== 0) closeSync(descriptor);
    }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return { problem: code === 'ENOENT' ? 'no such file' : `cannot be read (${code ?? error})` };
  }
}

/** With line ends of one kind, and without a byte order mark. */
export function sourceText(octets: Uint8Array): SourceText {
  if (octets.length > LARGEST) return { problem: `it has more than ${LARGEST} octets: no router's configuration has` };
  const text = decoded(octets)
    ?.replace(/^\ufeff/, '')
    .replaceAll(/\r\n?/g, '\n');
  // biome-ignore lint/suspicious/noControlCharactersInRegex: that is what tells a binary file
  if (text === undefined || /[\0-\x08\x0e-\x1a]/.test(text))
    return { problem: 'it is no text: a binary file, or another encoding than UTF-8' };
  if (text.trim() === '') return { problem: 'there is nothing in it' };
  return { text };
}

function decoded(octets: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(octets);
  } catch {
    return undefined;
  }
}
