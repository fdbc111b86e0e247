/** The control API as its clients meet it: raw requests, and answers judged by the document that the daemon serves. */
import { type IncomingHttpHeaders, request } from 'node:http';
import { type RequestOptions, request as secureRequest } from 'node:https';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { openApiDocument } from '../../src/edge/control/openapi.js';

export interface Reply {
  readonly status: number | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

export interface Question {
  readonly method?: string;
  readonly body?: string | Buffer;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Where it is asked: `{ socketPath }`, or host and port; with `ca` over TLS. Rejects when there is no whole answer. */
export function ask(at: RequestOptions, path: string, question: Question = {}): Promise<Reply> {
  const { method = 'GET', body, headers = {} } = question;
  const length = body === undefined ? {} : { 'content-length': body.length };
  return new Promise((resolve, reject) => {
    const send = at.ca === undefined ? request : secureRequest;
    const sent = send({ ...at, path, method, agent: false, headers: { ...headers, ...length } }, async (response) => {
      let text = '';
      try {
        for await (const piece of response.setEncoding('utf8')) text += piece;
        resolve({ status: response.statusCode, headers: response.headers, text });
      } catch (error) {
        reject(error);
      }
    });
    sent.once('error', reject).end(body);
  });
}

export interface Operation {
  readonly path: string;
  readonly method: 'get' | 'post';
  /** Of an answer that is as it should be. */
  readonly type: string;
}

interface Paths {
  readonly [path: string]: {
    readonly [method in Operation['method']]?: {
      readonly responses: { readonly 200: { readonly content: Readonly<Record<string, unknown>> } };
    };
  };
}

/** The paths of the document, and what is wrong with an answer by it: a key that it does not name is wrong too. */
export class ApiDocument {
  readonly #ajv = new Ajv2020({ strict: false, allErrors: true });
  readonly operations: readonly Operation[];

  constructor() {
    const document = openApiDocument();
    const paths = document.paths as Paths;
    this.operations = Object.entries(paths).flatMap(([path, methods]) =>
      (['get', 'post'] as const).flatMap((method) => {
        const content = methods[method]?.responses[200].content;
        return content ? [{ path, method, type: Object.keys(content)[0] ?? '' }] : [];
      }),
    );
    this.#ajv.addSchema(closed(document) as object, 'api');
  }

  /** Empty when there is none. */
  faults({ path, method }: Pick<Operation, 'path' | 'method'>, { status, text }: Reply): string[] {
    const at = ['paths', path, method, 'responses', String(status), 'content', 'application/json', 'schema'];
    return this.#judge(at, text);
  }

  /** By a schema of the components. */
  faultsOf(name: string, text: string): string[] {
    return this.#judge(['components', 'schemas', name], text);
  }

  #judge(at: readonly string[], text: string): string[] {
    const pointer = at.map((part) => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'))).join('/');
    const validate = this.#ajv.getSchema(`api#/${pointer}`);
    if (!validate) return [`the document has no ${at.join(' ')}`];
    validate(JSON.parse(text));
    return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
  }
}

/** The same document, where an object has no keys but those that are named. */
function closed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(closed);
  if (typeof value !== 'object' || value === null) return value;
  const inner: Record<string, unknown> = Object.fromEntries(
    Object.entries(value).map(([key, below]) => [key, closed(below)]),
  );
  return inner.type === 'object' && inner.properties ? { ...inner, additionalProperties: false } : inner;
}
