/** What a column of the matrix is measured with. */
import type { Cell } from '../cell.js';
import type { Knob } from '../peers/peer.js';
import type { LinkName } from '../plan.js';
import type { Stage } from '../stage.js';

export interface Row {
  readonly stage: Stage;
  /** Knobs that the peer's configuration took, and what its checker said of the others. */
  readonly accepted: ReadonlySet<Knob>;
  readonly refused: ReadonlyMap<Knob, string>;
  /** Starts the peer again after it was killed, without some of its routes. */
  readonly restartPeer: (without: readonly string[]) => Promise<void>;
  /** Starts the leaf again after it was stopped. */
  readonly restartLeaf: () => Promise<void>;
}

export interface Feature {
  readonly title: string;
  readonly measure: (row: Row) => Promise<Cell>;
}

/** Why the peer cannot: its checker refuses the knob. */
export function refusal({ refused, stage }: Row, knob: Knob): string | undefined {
  const complaint = refused.get(knob);
  if (complaint === undefined) return undefined;
  return complaint === ''
    ? `${stage.contender.kind.name} has no setting for it`
    : `its configuration checker says: ${complaint}`;
}

/** Why the peer cannot: its OPEN lacks a capability, by the name that `heddle show neighbors NAME` has for it, with or without a family. */
export async function lackingCapability({ stage }: Row, link: LinkName, name: string): Promise<string | undefined> {
  const { capabilities } = await stage.leaf.neighbor(link);
  const sent = capabilities.filter(({ remote }) => remote).map((capability) => capability.name);
  if (sent.length === 0) throw new Error(`no session on ${link}: no capabilities to look at`);
  return sent.some((one) => one === name || one.startsWith(`${name} `))
    ? undefined
    : `its OPEN has no capability "${name}"`;
}
