/** Sizes of fabrics as they are written: `64x16`, or `4*16x4+2`. Pure. */
import type { ClosSize } from './clos-shape.js';

const SIZE = /^(?:(\d+)\*)?(\d+)x(\d+)(?:\+(\d+))?$/;
/** Of an AS number range of ours, a prefix's second group, and a name. */
const MOST = 10_000;

/** Throws in one plain line. */
export function parseSize(text: string, prefixesPerLeaf: number, mode: ClosSize['mode'] = 'policy'): ClosSize {
  const [, pods = '1', leaves = '', spines = '', superspines = '0'] = SIZE.exec(text) ?? [];
  const size = {
    leaves: Number(leaves),
    spines: Number(spines),
    prefixesPerLeaf,
    pods: Number(pods),
    superspinesPerPlane: Number(superspines),
    mode,
  };
  if (leaves === '') throw new Error(`--sizes: ${text} is no size: LEAVESxSPINES or PODS*LEAVESxSPINES+SUPERSPINES`);
  if (size.leaves < 2 || size.spines < 2) throw new Error(`--sizes: ${text} has fewer than two leaves or spines`);
  if (size.pods > 1 !== size.superspinesPerPlane > 0)
    throw new Error(`--sizes: ${text}: several pods need superspines, and superspines several pods`);
  if (routersOf(size) > MOST) throw new Error(`--sizes: ${text} has more than ${MOST} routers`);
  return size;
}

export function sizeText({ leaves, spines, pods, superspinesPerPlane, mode }: ClosSize): string {
  const text = pods === 1 ? `${leaves}x${spines}` : `${pods}*${leaves}x${spines}+${superspinesPerPlane}`;
  return mode === 'policy' ? text : `${text}, ${mode} mode`;
}

export function routersOf({ leaves, spines, pods, superspinesPerPlane }: ClosSize): number {
  return pods * (leaves + spines) + (pods > 1 ? spines * superspinesPerPlane : 0);
}

/** Links between routers; each has a session with two ends. */
export function linksOf({ leaves, spines, pods, superspinesPerPlane }: ClosSize): number {
  return pods * spines * (leaves + (pods > 1 ? superspinesPerPlane : 0));
}
