/** Prefixes of scenarios and of the model, which have them as text. */
import { type Prefix, parsePrefix } from '../core/net/prefix.js';

const prefixes = new Map<string, Prefix>();

/** Kept: the same few are asked for again and again. */
export function prefixOf(text: string): Prefix {
  const known = prefixes.get(text);
  if (known) return known;
  const prefix = parsePrefix(text);
  if (!prefix) throw new Error(`${text} is no prefix`);
  prefixes.set(text, prefix);
  return prefix;
}
