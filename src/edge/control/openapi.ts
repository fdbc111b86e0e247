/** The OpenAPI 3.1 document of the control API, made of the lists that requests are answered from (resources.ts, commands.ts). */
import { z } from 'zod';
import { COMMANDS, type Command, commandedSchema, reloadedSchema } from './commands.js';
import { eventSchema } from './events.js';
import { type Parameter, RESOURCES, type Resource } from './resources.js';
import * as shapes from './schema.js';

export const OPENAPI_PATH = '/openapi.json';

const JSON_TYPE = 'application/json';
const REFERENCES = '#/components/schemas/';

const COMPONENTS: Readonly<Record<string, z.ZodType>> = {
  Summary: shapes.summarySchema,
  Neighbor: shapes.neighborSchema,
  Bfd: shapes.bfdSchema,
  BfdEntry: shapes.bfdEntrySchema,
  RouteSummary: shapes.routeSummarySchema,
  Route: shapes.routeSchema,
  Path: shapes.pathSchema,
  FibEntry: shapes.fibEntrySchema,
  FibComparison: shapes.fibComparisonSchema,
  FibDifference: shapes.fibDifferenceSchema,
  Fabric: shapes.fabricSchema,
  LoadBalancing: shapes.loadBalancingSchema,
  PlanePrefix: shapes.planePrefixSchema,
  Interface: shapes.interfaceSchema,
  Event: eventSchema,
  Commanded: commandedSchema,
  Reloaded: reloadedSchema,
  Error: shapes.errorSchema,
};

/** What any request may be told. */
const REFUSALS: Readonly<Record<number, string>> = {
  400: 'The request is wrong; the answer names what.',
  401: 'Over TCP: there is no token, or a wrong one.',
  500: 'It could not be found out; the answer says why.',
  503: 'More is asked at once than is answered.',
};

type Json = Readonly<Record<string, unknown>>;

let made: Json | undefined;

/** Made when it is asked for the first time. */
export function openApiDocument(): Json {
  made ??= make();
  return made;
}

function make(): Json {
  return {
    openapi: '3.1.1',
    info: {
      title: 'heddle control API',
      version: String(shapes.API_VERSION),
      description:
        'One BGP speaker, asked and told. Keys and paths are added, never renamed or removed, within one version: a client passes over what it does not know. ' +
        'Every key is there, with null where there is nothing to say, unless it is said to be absent.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/', description: 'The unix socket of the daemon, or its TCP address.' }],
    security: [{}, { token: [] }],
    paths: paths(),
    components: {
      securitySchemes: { token: { type: 'http', scheme: 'bearer', description: 'Over TCP; the socket needs none.' } },
      schemas: componentSchemas(),
    },
  };
}

function paths(): Json {
  const all: Record<string, Json> = {};
  for (const resource of RESOURCES) all[resource.path] = { get: reading(resource) };
  all[OPENAPI_PATH] = {
    get: {
      operationId: operationId('get', OPENAPI_PATH),
      summary: 'This document.',
      description: 'As `heddle api` prints it.',
      responses: { 200: { description: 'OpenAPI 3.1.', content: { [JSON_TYPE]: { schema: { type: 'object' } } } } },
    },
  };
  for (const command of COMMANDS) all[command.path] = { ...all[command.path], post: commanding(command) };
  return all;
}

function reading({ path, about, shown, named, query = {}, shape, refusals }: Resource): Json {
  const parameters = [...nameParameter(named, path), ...Object.entries(query).map(queryParameter)];
  return {
    operationId: operationId('get', path),
    summary: about,
    ...(shown && { description: `As \`heddle ${shown}\`.` }),
    ...(parameters.length > 0 && { parameters }),
    responses: { 200: success(shape), ...refused(refusals) },
  };
}

function success(shape: Resource['shape']): Json {
  if ('json' in shape)
    return { description: 'The answer.', content: { [JSON_TYPE]: { schema: schemaOf(shape.json) } } };
  const { type, about, event } = shape;
  const schema = { type: 'string', ...(event && { 'x-event': schemaOf(event) }) };
  return { description: about, content: { [type]: type === 'application/octet-stream' ? {} : { schema } } };
}

function commanding({ path, about, named, typed, body, answer, refusals }: Command): Json {
  const properties = Object.fromEntries(
    Object.entries(body).map(([key, description]) => [key, { type: 'string', description }]),
  );
  return {
    operationId: operationId('post', path),
    summary: about,
    description: `As \`heddle ${typed}\`.`,
    ...(named && { parameters: nameParameter(named, path) }),
    requestBody: {
      required: false,
      content: { [JSON_TYPE]: { schema: { type: 'object', properties, additionalProperties: false } } },
    },
    responses: {
      200: { description: 'It is done.', content: { [JSON_TYPE]: { schema: schemaOf(answer) } } },
      ...refused({ 403: 'Only reading is allowed at this address.', 413: 'The body is too large.', ...refusals }),
    },
  };
}

function nameParameter(named: string | undefined, path: string): Json[] {
  const name = /\{(\w+)\}/.exec(path)?.[1];
  if (named === undefined || name === undefined) return [];
  return [{ name, in: 'path', required: true, description: named, schema: { type: 'string' } }];
}

function queryParameter([name, { about, schema }]: readonly [string, Parameter]): Json {
  return { name, in: 'query', required: false, description: about, schema: plain(z.toJSONSchema(schema)) };
}

function refused(own: Readonly<Record<number, string>> = {}): Json {
  const schema = { $ref: `${REFERENCES}Error` };
  return Object.fromEntries(
    Object.entries({ ...REFUSALS, ...own }).map(([status, description]) => [
      status,
      { description, content: { [JSON_TYPE]: { schema } } },
    ]),
  );
}

/** `getNeighborsName` */
function operationId(method: string, path: string): string {
  const words = path.match(/[A-Za-z]+/g) ?? [];
  return method + words.map((word) => word[0]!.toUpperCase() + word.slice(1)).join('');
}

function schemaOf(schema: z.ZodType): Json {
  const name = Object.keys(COMPONENTS).find((key) => COMPONENTS[key] === schema);
  if (name !== undefined) return { $ref: `${REFERENCES}${name}` };
  if (schema instanceof z.ZodArray && schema.element instanceof z.ZodType)
    return { type: 'array', items: schemaOf(schema.element) };
  return plain(z.toJSONSchema(schema));
}

function componentSchemas(): Json {
  const registry = z.registry<{ id?: string }>();
  for (const [id, schema] of Object.entries(COMPONENTS)) registry.add(schema, { id });
  const { schemas } = z.toJSONSchema(registry, {
    uri: (id) => `${REFERENCES}${id}`,
    override: ({ jsonSchema }) => open(jsonSchema),
  });
  return Object.fromEntries(Object.entries(schemas).map(([id, schema]) => [id, plain(schema)]));
}

/** More keys may come, and the bounds of what a double holds say nothing. */
function open(schema: Record<string, unknown>): void {
  delete schema.additionalProperties;
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum;
}

/** Without what belongs to a document of its own. */
function plain({ $schema: _dialect, $id: _id, ...schema }: Json): Json {
  return schema;
}
