/** For tests of the schemas that editors show: which keys say nothing about themselves. */

interface SchemaNode {
  readonly description?: string;
  readonly properties?: Readonly<Record<string, SchemaNode>>;
  readonly additionalProperties?: SchemaNode | boolean;
  readonly items?: SchemaNode;
  readonly anyOf?: readonly SchemaNode[];
}

export interface DescribedKeys {
  /** All keys of the schema, as paths. */
  readonly keys: readonly string[];
  readonly undescribed: readonly string[];
}

export function describedKeys(schema: object): DescribedKeys {
  const keys = keysOf(schema, '');
  return {
    keys: keys.map(({ path }) => path),
    undescribed: keys.filter(({ node }) => !node.description).map(({ path }) => path),
  };
}

interface Key {
  readonly path: string;
  readonly node: SchemaNode;
}

function keysOf(node: SchemaNode, path: string): Key[] {
  const { properties = {}, additionalProperties: values, items, anyOf = [] } = node;
  return [
    ...Object.entries(properties).flatMap(([key, child]) => {
      const at = path === '' ? key : `${path}.${key}`;
      return [{ path: at, node: child }, ...keysOf(child, at)];
    }),
    ...(typeof values === 'object' ? keysOf(values, `${path}.*`) : []),
    ...(items ? keysOf(items, `${path}[]`) : []),
    ...anyOf.flatMap((choice) => keysOf(choice, path)),
  ];
}
