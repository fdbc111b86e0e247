/** How the pages of the control API write the values of its JSON: types in words, and links to what is told of by itself. */
import { valueText } from './key-tables.mjs';

const nameOf = (reference) => reference.slice(reference.lastIndexOf('/') + 1);

/** `list of [Neighbor](json.md#neighbor)`; `page`: where the schemas are told of, empty on that page. */
export function shapeText(node, page = '') {
  if (node.$ref) return `[${nameOf(node.$ref)}](${page}#${nameOf(node.$ref).toLowerCase()})`;
  if (node.type === 'array') return `list of ${shapeText(node.items, page)}`;
  const choices = node.anyOf ?? (Array.isArray(node.type) ? node.type.map((type) => ({ ...node, type })) : undefined);
  if (choices) return [...new Set(choices.map((one) => shapeText(one, page)))].join(', ');
  if (node.type === 'null') return '`null`';
  if (node.type === 'object') return 'object';
  return valueText(node);
}
