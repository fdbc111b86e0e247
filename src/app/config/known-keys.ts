/** Which keys a mapping may have, for the suggestion beside a misspelt one. */
import type { FieldPath } from './problem.js';

interface SchemaNode {
  readonly properties?: Readonly<Record<string, SchemaNode>>;
  readonly additionalProperties?: SchemaNode | false;
  readonly items?: SchemaNode;
  readonly anyOf?: readonly SchemaNode[];
}

/** Keys of the mapping at `path`, read off the JSON Schema of the whole file so that there is one list of them. */
export function knownKeys(schema: object, path: FieldPath): readonly string[] {
  let nodes: readonly SchemaNode[] = [schema];
  for (const step of path) nodes = nodes.flatMap((node) => alternatives(node)).flatMap((node) => descend(node, step));
  return nodes.flatMap((node) => alternatives(node)).flatMap((node) => Object.keys(node.properties ?? {}));
}

function alternatives(node: SchemaNode): readonly SchemaNode[] {
  return (node.properties ? undefined : node.anyOf) ?? [node];
}

function descend(node: SchemaNode, step: string | number): readonly SchemaNode[] {
  if (typeof step === 'number') return node.items ? [node.items] : [];
  const next = node.properties?.[step] ?? node.additionalProperties;
  return next ? [next] : [];
}
