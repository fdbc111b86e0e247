/** Which keys a mapping may have, and where a key may be, for the suggestion beside a wrong one. */
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

/** More places than these are no help on one line. */
const MOST_PLACES = 3;

/** `in fabric.NAME`, `at the top of the file`; the first few mappings that may have the key. */
export function keyPlaces(schema: object, key: string): readonly string[] {
  // The other spelling of neighbors has the same keys.
  const paths = mappingsWith(schema, key, '').filter((path) => !path.startsWith('neighbours'));
  return [...new Set(paths)]
    .slice(0, MOST_PLACES)
    .map((path) => (path === '' ? 'at the top of the file' : `in ${path}`));
}

function mappingsWith(node: SchemaNode, key: string, path: string): readonly string[] {
  const { properties = {}, additionalProperties: values, items, anyOf = [] } = node;
  return [
    ...(Object.hasOwn(properties, key) ? [path] : []),
    ...Object.entries(properties).flatMap(([name, child]) =>
      mappingsWith(child, key, path === '' ? name : `${path}.${name}`),
    ),
    ...(values ? mappingsWith(values, key, `${path}.NAME`) : []),
    ...(items ? mappingsWith(items, key, `${path}[]`) : []),
    ...anyOf.flatMap((choice) => mappingsWith(choice, key, path)),
  ];
}
