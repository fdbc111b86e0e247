/**
 * The part of the control API that changes something: POST, one path a command, a JSON body or none. A refusal is an answer like
 * any other: 404 for a name that nothing has, 409 for what cannot be done now, 422 for a configuration that was not applied.
 */
import { z } from 'zod';
import type { CommandResult, NeighbourCommand } from '../../core/speaker/neighbour-commands.js';
import { type Answer, failure } from './answers.js';

export const NEIGHBOR_COMMANDS = ['shutdown', 'enable', 'refresh', 'reset'] as const;
export type NeighborCommandName = (typeof NEIGHBOR_COMMANDS)[number];

export const commandedSchema = z.object({
  neighbors: z.array(z.string()).describe('ADDRESS%INTERFACE of the neighbors that it was done to.'),
});
export const reloadedSchema = z.object({
  changes: z
    .array(z.string())
    .describe('What changed, a line each; empty when the file says what was running already.'),
  warnings: z.array(z.string()).describe('What the file says that may not be meant, a line each.'),
});
export type Reloaded = z.infer<typeof reloadedSchema>;

export interface ControlCommands {
  /** POST /neighbors/NAME/shutdown, enable, refresh, reset */
  neighbor(name: string, command: NeighbourCommand): CommandResult;
  /** POST /reload: what changed, or every reason why nothing did. */
  reload(): Promise<Reloaded | { readonly problems: readonly string[] }>;
}

export interface Command {
  readonly path: string;
  readonly about: string;
  /** What `{name}` stands for. */
  readonly named?: string;
  /** The command line that does it. */
  readonly typed: string;
  /** Keys that the body may have, each a text. */
  readonly body: Readonly<Record<string, string>>;
  readonly answer: z.ZodType;
  readonly refusals: Readonly<Record<number, string>>;
  /** Lets an exception through. */
  run(commands: ControlCommands, name: string, body: Readonly<Record<string, string>>): Answer | Promise<Answer>;
}

const MESSAGE = { message: "For the other side's operator (RFC 9003)." };

const ABOUT: Readonly<Record<NeighborCommandName, { readonly about: string; readonly body: Command['body'] }>> = {
  shutdown: { about: 'Ends the session and keeps it down until it is enabled, over link flaps too.', body: MESSAGE },
  enable: { about: 'Lifts a shutdown, or what a prefix limit did.', body: {} },
  refresh: { about: 'Asks for all routes again; the session stays up.', body: {} },
  reset: { about: 'Ends the session and starts it again.', body: MESSAGE },
};

const neighborCommand = (kind: NeighborCommandName): Command => ({
  path: `/neighbors/{name}/${kind}`,
  about: ABOUT[kind].about,
  named: 'Interface, address, ADDRESS%INTERFACE, or peer group.',
  typed: `neighbor NAME ${kind}`,
  body: ABOUT[kind].body,
  answer: commandedSchema,
  refusals: { 404: 'No neighbour has that name.', 409: 'It cannot be done now; the answer says why.' },
  run: (commands, name, { message }) => commanded(commands.neighbor(name, toldTo(kind, message))),
});

function toldTo(kind: NeighborCommandName, message: string | undefined): NeighbourCommand {
  if (kind === 'enable' || kind === 'refresh') return { kind };
  return { kind, ...(message !== undefined && { message }) };
}

export const COMMANDS: readonly Command[] = [
  ...NEIGHBOR_COMMANDS.map(neighborCommand),
  {
    path: '/reload',
    about: 'Reads the configuration file again and applies what differs.',
    typed: 'reload',
    body: {},
    answer: reloadedSchema,
    refusals: { 422: 'Nothing was applied; a line for each reason.' },
    run: async (commands) => reloaded(await commands.reload()),
  },
];

function commanded(result: CommandResult): Answer {
  if (result.problem !== undefined) return failure(result.unknown ? 404 : 409, result.problem);
  return { status: 200, body: { neighbors: result.neighbours } };
}

function reloaded(result: Awaited<ReturnType<ControlCommands['reload']>>): Answer {
  return 'problems' in result ? failure(422, result.problems.join('\n')) : { status: 200, body: result };
}
