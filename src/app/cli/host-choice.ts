/** Hosts as the command line names them. */
import type { LabPlan, PlannedHost } from '../lab/plan.js';
import { CommandError, EXIT_USAGE } from './exit-codes.js';

/**
 * In the order they are named; none: all of them. Throws CommandError for names that are none, and for any number but two when
 * `pair` says how two are asked for.
 */
export function chosenHosts(lab: LabPlan, names: readonly string[], pair?: string): PlannedHost[] {
  const hosts = names.map((name) => {
    const host = lab.hosts.find((candidate) => candidate.name === name);
    if (!host) throw new CommandError(unknownHost(lab, name), EXIT_USAGE);
    return host;
  });
  const twice = names.find((name, index) => names.indexOf(name) < index);
  if (twice !== undefined) throw new CommandError(`${twice} is named twice`, EXIT_USAGE);
  if (pair !== undefined && hosts.length !== 2) throw new CommandError(`name two hosts, such as: ${pair}`, EXIT_USAGE);
  const members = hosts.length === 0 ? [...lab.hosts] : hosts;
  if (members.length < 2) throw new CommandError('a job needs two hosts at least', EXIT_USAGE);
  return members;
}

export function unknownHost(lab: LabPlan, name: string): string {
  const hosts = lab.hosts.map((host) => host.name).join(', ') || 'none';
  return `there is no host ${name}; hosts: ${hosts}`;
}
