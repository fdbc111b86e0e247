/** Path attributes as JSON, for show commands and replay. Texts of single values stand beside their codecs. */
import type { JsonValue } from './attributes/attribute-codec.js';
import { ATTRIBUTE_CODECS } from './attributes/attribute-table.js';
import { formatUnknown } from './attributes/unknown.js';
import type { PathAttributes } from './path-attributes.js';

/** Stable keys in the order of the attribute types; absent attributes are left out. */
export function formatAttributes(attributes: PathAttributes): Record<string, JsonValue> {
  const members = ATTRIBUTE_CODECS.map((codec) => codec.format?.(attributes) ?? {});
  const unknown = attributes.unknown?.length ? { unknown: attributes.unknown.map(formatUnknown) } : {};
  return Object.assign({}, ...members, unknown);
}
