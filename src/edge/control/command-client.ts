/** Sends a command to a daemon: the POST half of the control API's client. */
import type { IncomingMessage } from 'node:http';
import type { z } from 'zod';
import { ControlError, collect, parsedJson } from './client.js';
import { commandedSchema, type NeighborCommandName, type Reloaded, reloadedSchema } from './commands.js';
import { type Endpoint, endpointAt, explain, send as sendTo } from './endpoint.js';
import { errorSchema } from './schema.js';

/** A configuration that the daemon did not apply; a line for each reason. */
export class ReloadRefused extends ControlError {
  readonly lines: readonly string[];

  constructor(message: string) {
    super(message);
    this.lines = message.split('\n');
  }
}

/** Resolves with the neighbors that it was done to; rejects with ControlError. */
export async function commandNeighbor(
  at: string | Endpoint,
  { name, command, message }: { name: string; command: NeighborCommandName; message?: string },
): Promise<readonly string[]> {
  const path = `/neighbors/${encodeURIComponent(name)}/${command}`;
  const body = message === undefined ? {} : { message };
  return (await post({ endpoint: endpointAt(at), path, body }, commandedSchema)).neighbors;
}

/** Rejects with ReloadRefused when nothing was applied, with ControlError when the daemon cannot be asked. */
export function reload(at: string | Endpoint): Promise<Reloaded> {
  return post({ endpoint: endpointAt(at), path: '/reload', body: {} }, reloadedSchema);
}

interface Command {
  readonly endpoint: Endpoint;
  readonly path: string;
  readonly body: object;
}

async function post<T>(command: Command, schema: z.ZodType<T>): Promise<T> {
  const response = await send(command).catch((error: Error) => {
    throw new ControlError(explain(error, command.endpoint.name));
  });
  const answer = parsedJson(await collect(response));
  if (response.statusCode === 200) return schema.parse(answer);
  const refusal = errorSchema.safeParse(answer);
  const words = refusal.success ? refusal.data.error : `${command.endpoint.name}: HTTP status ${response.statusCode}`;
  throw response.statusCode === 422 ? new ReloadRefused(words) : new ControlError(words);
}

function send({ endpoint, path, body }: Command): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json' };
    const sent = sendTo(endpoint, { path, method: 'POST', headers }, resolve);
    sent.once('error', reject);
    sent.end(JSON.stringify(body));
  });
}
