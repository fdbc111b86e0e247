/**
 * The part of the control API that changes something: POST, one path a command, a JSON body or none. A refusal is an answer like
 * any other: 404 for a name that nothing has, 409 for what cannot be done now, 422 for a configuration that was not applied.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { z } from 'zod';
import type { CommandResult, NeighbourCommand } from '../../core/speaker/neighbour-commands.js';
import { readBody } from './request-body.js';
import { type Answer, failure } from './requests.js';

export const NEIGHBOR_COMMANDS = ['shutdown', 'enable', 'refresh', 'reset'] as const;
export type NeighborCommandName = (typeof NEIGHBOR_COMMANDS)[number];

const bodySchema = z.object({ message: z.string().optional() });
/** ADDRESS%INTERFACE of the neighbors that it was done to. */
export const commandedSchema = z.object({ neighbors: z.array(z.string()) });
/** What changed, a line each; empty when the file says what was running already. */
export const reloadedSchema = z.object({ changes: z.array(z.string()), warnings: z.array(z.string()) });
export type Reloaded = z.infer<typeof reloadedSchema>;

export interface ControlCommands {
  /** POST /neighbors/NAME/shutdown, enable, refresh, reset */
  neighbor(name: string, command: NeighbourCommand): CommandResult;
  /** POST /reload: what changed, or every reason why nothing did. */
  reload(): Promise<Reloaded | { readonly problems: readonly string[] }>;
}

/** Octets: a text for another operator and its JSON. */
const MAX_BODY = 4096;

/** Answers one POST. */
export async function execute(
  commands: ControlCommands,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  let answer: Answer;
  try {
    answer = await answerCommand(commands, request.url ?? '/', await readBody(request, MAX_BODY));
  } catch (error) {
    answer = failure(500, error instanceof Error ? error.message : String(error));
  }
  response.on('error', () => response.destroy());
  response.writeHead(answer.status, { 'content-type': 'application/json' }).end(JSON.stringify(answer.body));
}

export async function answerCommand(commands: ControlCommands, target: string, text: string): Promise<Answer> {
  const { pathname } = new URL(target, 'http://heddle');
  const [resource, name, action, ...rest] = pathname.slice(1).split('/').map(decodeURIComponent);
  const body = bodySchema.safeParse(text === '' ? {} : parsed(text));
  if (!body.success) return failure(400, 'the body is not { "message": TEXT }');
  if (resource === 'reload' && name === undefined) return reloaded(await commands.reload());
  const kind = NEIGHBOR_COMMANDS.find((known) => known === action);
  if (resource !== 'neighbors' || name === undefined || kind === undefined || rest.length > 0) {
    return failure(404, `no command ${pathname}`);
  }
  const { message } = body.data;
  const takesText = kind === 'shutdown' || kind === 'reset';
  if (message !== undefined && !takesText) return failure(400, `${kind} takes no message`);
  const command = takesText ? { kind, ...(message !== undefined && { message }) } : { kind };
  return commanded(commands.neighbor(name, command));
}

function commanded(result: CommandResult): Answer {
  if (result.problem !== undefined) return failure(result.unknown ? 404 : 409, result.problem);
  return { status: 200, body: { neighbors: result.neighbours } };
}

function reloaded(result: Awaited<ReturnType<ControlCommands['reload']>>): Answer {
  return 'problems' in result ? failure(422, result.problems.join('\n')) : { status: 200, body: result };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
