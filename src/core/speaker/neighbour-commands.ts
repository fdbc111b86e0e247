/** What an operator tells a neighbour to do, by its name: interface, address, ADDRESS%INTERFACE, or peer group. */
import { formatAddress, parseAddress } from '../net/address.js';
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

/** A name as we write it: `FE80:0::1%eth0` is `fe80::1%eth0`. */
export function canonicalName(given: string): string {
  const [written = '', ...zone] = given.split('%');
  const address = parseAddress(written);
  return address ? [formatAddress(address), ...zone].join('%') : given;
}

/** A command for several is done to all that it can be done to. */
export function commandNeighbours(
  owners: readonly SessionOwner[],
  given: string,
  command: NeighbourCommand,
): CommandResult {
  const name = canonicalName(given);
  const targets = owners.flatMap((owner) => targetsOf(owner, name));
  if (targets.length === 0) {
    const known = owners.some(({ names }) => names.includes(name));
    const problem = known ? `nobody was heard on ${given} yet` : `no neighbor ${given}`;
    return { problem, unknown: !known };
  }
  const done: string[] = [];
  const problems: string[] = [];
  for (const target of targets) {
    const problem = perform(target, command);
    if (problem === undefined) done.push(target.name);
    else problems.push(`${target.name}: ${problem}`);
  }
  if (problems.length === 0) return { neighbours: done };
  const others = done.length === 0 ? '' : `; done to ${done.join(', ')}`;
  return { problem: `${problems.join('; ')}${others}`, unknown: false };
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
