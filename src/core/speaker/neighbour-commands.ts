/** What an operator tells a neighbour to do, by its name: interface, address, ADDRESS%INTERFACE, or peer group. */
import type { SessionKeeper } from './session-keeper.js';

export type NeighbourCommand =
  /** The text goes to the other side's operator (RFC 9003). */
  | { readonly kind: 'shutdown' | 'reset'; readonly message?: string }
  /** Lifts a shutdown or the consequence of a prefix limit. */
  | { readonly kind: 'enable' }
  /** Asks for all routes again (RFC 2918). */
  | { readonly kind: 'refresh' };

export type CommandResult =
  /** Names of the neighbours that it was done to. */
  | { readonly neighbours: readonly string[]; readonly problem?: never }
  | { readonly neighbours?: never; readonly problem: string; readonly unknown: boolean };

/** A fabric interface, or a neighbour of the configuration. */
export interface SessionOwner {
  /** Each stands for all neighbours here. */
  readonly names: readonly string[];
  readonly keeper: Pick<SessionKeeper, 'names' | 'shutdown' | 'enable' | 'reset' | 'requestRefresh'>;
}

interface Target {
  readonly keeper: SessionOwner['keeper'];
  readonly name: string;
}

export function commandNeighbours(
  owners: readonly SessionOwner[],
  name: string,
  command: NeighbourCommand,
): CommandResult {
  const targets = owners.flatMap((owner) => targetsOf(owner, name));
  if (targets.length === 0) {
    const known = owners.some(({ names }) => names.includes(name));
    const problem = known ? `nobody was heard on ${name} yet` : `no neighbor ${name}`;
    return { problem, unknown: !known };
  }
  for (const target of targets) {
    const problem = perform(target, command);
    if (problem !== undefined) return { problem: `${target.name}: ${problem}`, unknown: false };
  }
  return { neighbours: targets.map((target) => target.name) };
}

function targetsOf({ names, keeper }: SessionOwner, wanted: string): Target[] {
  return keeper
    .names()
    .filter((name) => name === wanted || name.split('%', 1)[0] === wanted || names.includes(wanted))
    .map((name) => ({ keeper, name }));
}

/** What stands in the way; `undefined` when it is done. */
function perform({ keeper, name }: Target, command: NeighbourCommand): string | undefined {
  switch (command.kind) {
    case 'shutdown':
      return keeper.shutdown(name, command.message);
    case 'enable':
      return keeper.enable(name);
    case 'reset':
      return keeper.reset(name, command.message);
    case 'refresh':
      return keeper.requestRefresh(name);
  }
}
