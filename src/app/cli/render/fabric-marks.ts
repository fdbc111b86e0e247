/** What a cell of the matrix prefix x uplink looks like, on a terminal and on the fabric page. */
import type { FabricCell } from '../../../edge/control/schema.js';

const MARKS: Readonly<Record<FabricCell['state'], string>> = {
  preferred: '●',
  fallback: '○',
  unused: '·',
  absent: ' ',
};

/** In the primary set without being anybody's choice by AIGP: carries what lost its own uplink. */
const STAND_IN = '◐';

export const FABRIC_LEGEND = '● preferred (AIGP)   ○ fallback   ◐ carries now   · unused   blank: no path';

export function matrixMark({ state, aigp }: Pick<FabricCell, 'state' | 'aigp'>): string {
  return state === 'preferred' && aigp === null ? STAND_IN : MARKS[state];
}
