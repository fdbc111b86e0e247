/** What a start still waits for, in words: who looks at a router that has not converged wants a name, not a state. */

export interface AwaitedView {
  /** Fabric links with carrier and neighbours that are expected, by name, and whether one of its sessions is up. */
  readonly owners: readonly { readonly name: string; readonly isUp: boolean }[];
  /** Neighbours with a session whose End-of-RIB has not come. */
  readonly withoutEndOfRib: readonly string[];
  readonly tablesIdle: boolean;
  readonly kernelIdle: boolean;
}

/** Names that are told; the rest is a number. */
const MOST_NAMES = 4;

/** Empty once there is nothing to wait for. */
export function awaited({ owners, withoutEndOfRib, tablesIdle, kernelIdle }: AwaitedView): string[] {
  if (owners.length === 0) return ['a fabric link or a neighbor that is up'];
  const down = owners.filter(({ isUp }) => !isUp).map(({ name }) => name);
  return [
    ...(down.length > 0 ? [`a session with ${listed(down)}`] : []),
    ...(withoutEndOfRib.length > 0 ? [`End-of-RIB from ${listed(withoutEndOfRib)}`] : []),
    ...(tablesIdle ? [] : ['the choice of paths']),
    ...(kernelIdle ? [] : ['the kernel']),
  ];
}

function listed(names: readonly string[]): string {
  const shown = names.slice(0, MOST_NAMES).join(', ');
  return names.length > MOST_NAMES ? `${shown} and ${names.length - MOST_NAMES} more` : shown;
}
