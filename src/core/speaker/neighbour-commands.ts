/** What an operator tells a neighbour to do, by its name: interface, address, or ADDRESS%INTERFACE. */
import { formatAddress } from '../net/address.js';
import type { FabricLink } from './fabric-link.js';

export type NeighbourCommand =
  /** The text goes to the other side's operator (RFC 9003). */
  | { readonly kind: 'shutdown' | 'reset'; readonly message?: string }
  /** Lifts a shutdown or the consequence of a prefix limit. */
  | { readonly kind: 'enable' }
  /** Asks for all routes again (RFC 2918). */
  | { readonly kind: 'refresh' };

export type CommandResult =
  /** The neighbours that it was done to, as ADDRESS%INTERFACE. */
  | { readonly neighbours: readonly string[]; readonly problem?: never }
  | { readonly neighbours?: never; readonly problem: string; readonly unknown: boolean };

interface Target {
  readonly link: FabricLink;
  readonly key: string;
}

export function commandNeighbours(
  links: readonly FabricLink[],
  name: string,
  command: NeighbourCommand,
): CommandResult {
  const targets = links.flatMap((link) => targetsOn(link, name));
  if (targets.length === 0) {
    const known = links.some(({ config }) => config.name === name);
    const problem = known ? `nobody was heard on ${name} yet` : `no neighbor ${name}`;
    return { problem, unknown: !known };
  }
  for (const target of targets) {
    const problem = perform(target, command);
    if (problem !== undefined) return { problem: `${nameOf(target)}: ${problem}`, unknown: false };
  }
  return { neighbours: targets.map(nameOf) };
}

function targetsOn(link: FabricLink, name: string): Target[] {
  const heard = link.sessions().map(({ address }) => formatAddress(address));
  const keys = new Set([...heard, ...link.holds.keys()]);
  return [...keys]
    .filter((key) => name === link.config.name || name === key || name === `${key}%${link.config.name}`)
    .map((key) => ({ link, key }));
}

function nameOf({ link, key }: Target): string {
  return `${key}%${link.config.name}`;
}

/** What stands in the way; `undefined` when it is done. */
function perform({ link, key }: Target, command: NeighbourCommand): string | undefined {
  switch (command.kind) {
    case 'shutdown':
      return link.shutdown(key, command.message);
    case 'enable':
      return link.enable(key);
    case 'reset':
      return link.reset(key, command.message);
    case 'refresh':
      return link.requestRefresh(key);
  }
}
