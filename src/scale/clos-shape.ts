/**
 * The fabrics that are measured: leaves with coloured prefixes under spines, in three stages, or pods of them under superspines, in
 * five. Every leaf has prefixes of its own; prefix p of leaf l has the colour of uplink (l * prefixes + p) modulo the uplinks, so
 * that the colours are spread over the fabric as the queue pairs of a job would be.
 */

import type { Prefix } from '../core/net/prefix.js';
import { parsePrefix } from '../core/net/prefix.js';
import type { FabricInterfaceConfig, HostPrefix, SpeakerConfig } from '../core/speaker/config.js';
import { link, router } from '../core/speaker/plain-config.js';
import type { FabricShape } from '../simulator/virtual-fabric.js';

export interface ClosSize {
  /** Of a pod. */
  readonly leaves: number;
  /** Of a pod: one uplink of every leaf, and one colour, for each. */
  readonly spines: number;
  readonly prefixesPerLeaf: number;
  /** More than one: five stages. */
  readonly pods: number;
  /** Each spine of a pod has an uplink to each of its plane. */
  readonly superspinesPerPlane: number;
  /** Of DPF. Session mode: sessions have the colour of their spine, and prefixes the colour after their own as backup. */
  readonly mode: SpeakerConfig['dpf']['mode'];
}

const FIRST_LEAF_AS = 4_200_000_000;
const FIRST_SPINE_AS = 4_210_000_000;
const FIRST_SUPERSPINE_AS = 4_220_000_000;

export const leafName = (pod: number, leaf: number): string => `leaf${pod}-${leaf}`;
export const spineName = (pod: number, spine: number): string => `spine${pod}-${spine}`;
export const superspineName = (plane: number, index: number): string => `super${plane}-${index}`;
const hostPort = 'host';

/** `count` numbers from 1. */
export const numbers = (count: number): number[] => Array.from({ length: count }, (_, index) => index + 1);

/** Of a leaf among all leaves of the fabric, from 0. */
export function leafNumber({ leaves }: ClosSize, pod: number, leaf: number): number {
  return (pod - 1) * leaves + leaf - 1;
}

export function prefixOf(number: number, place: number): Prefix {
  return parsePrefix(`fd00:${(number + 1).toString(16)}:${place.toString(16)}::/64`)!;
}

export function colourOf({ spines, prefixesPerLeaf }: ClosSize, number: number, place: number): number {
  return ((number * prefixesPerLeaf + place - 1) % spines) + 1;
}

/** Colours that take over from a prefix's own, in order; those that a prefix has as backup colours in session mode are some of them. */
export function fallbackColoursOf(size: ClosSize, colour: number): number[] {
  if (size.mode === 'session') return [(colour % size.spines) + 1];
  return numbers(size.spines).filter((other) => other !== colour);
}

export function closShape(
  size: ClosSize,
  change: (config: SpeakerConfig) => SpeakerConfig = (config) => config,
): FabricShape {
  const pods = numbers(size.pods);
  const routers = [
    ...superspines(size),
    ...pods.flatMap((pod) => numbers(size.spines).map((spine) => spineConfig(size, pod, spine))),
    ...pods.flatMap((pod) => numbers(size.leaves).map((leaf) => leafConfig(size, pod, leaf))),
  ];
  return {
    routers: routers.map((config) => ({ name: config.name, config: change(config) })),
    hosts: pods.flatMap((pod) => numbers(size.leaves).map((leaf) => hostName(pod, leaf))),
    wires: pods.flatMap((pod) => podWires(size, pod)),
  };
}

export const hostName = (pod: number, leaf: number): string => `host${pod}-${leaf}`;

function leafConfig(size: ClosSize, pod: number, leaf: number): SpeakerConfig {
  const number = leafNumber(size, pod, leaf);
  const prefixes = numbers(size.prefixesPerLeaf).map((place): HostPrefix => {
    const prefix = prefixOf(number, place);
    const colour = colourOf(size, number, place);
    const backup = size.mode === 'session' && { backupColours: fallbackColoursOf(size, colour) };
    return { prefix, gateway: Uint8Array.from(prefix.address).fill(1, 15), colour, ...backup };
  });
  return router(leafName(pod, leaf), FIRST_LEAF_AS + number, {
    role: 'leaf',
    dpf: dpf(size),
    identifier: 0x0a000000 + number + 1,
    fabric: numbers(size.spines).map((spine) => link(spineName(pod, spine), { colour: spine })),
    hosts: [{ name: hostPort, prefixes }],
  });
}

function spineConfig(size: ClosSize, pod: number, spine: number): SpeakerConfig {
  const number = (pod - 1) * size.spines + spine;
  const colour = size.mode === 'session' ? { colour: spine } : {};
  const down = numbers(size.leaves).map((leaf) => link(leafName(pod, leaf), colour));
  const up: FabricInterfaceConfig[] =
    size.pods > 1 ? numbers(size.superspinesPerPlane).map((index) => link(superspineName(spine, index), colour)) : [];
  return router(spineName(pod, spine), FIRST_SPINE_AS + number, {
    dpf: dpf(size),
    identifier: 0x0b000000 + number,
    fabric: [...down, ...up],
  });
}

function superspines(size: ClosSize): SpeakerConfig[] {
  if (size.pods === 1) return [];
  return numbers(size.spines).flatMap((plane) =>
    numbers(size.superspinesPerPlane).map((index) => {
      const number = (plane - 1) * size.superspinesPerPlane + index;
      const colour = size.mode === 'session' ? { colour: plane } : {};
      const fabric = numbers(size.pods).map((pod) => link(spineName(pod, plane), colour));
      return router(superspineName(plane, index), FIRST_SUPERSPINE_AS + number, {
        dpf: dpf(size),
        identifier: 0x0c000000 + number,
        fabric,
      });
    }),
  );
}

function dpf({ mode }: ClosSize): SpeakerConfig['dpf'] {
  return { mode, aigpOrigin: 0n, aigpStep: 1n };
}

function podWires(size: ClosSize, pod: number): FabricShape['wires'] {
  const down = numbers(size.leaves).flatMap((leaf) => [
    ...numbers(size.spines).map((spine) => wire(leafName(pod, leaf), spineName(pod, spine))),
    { a: { node: leafName(pod, leaf), interface: hostPort }, b: { node: hostName(pod, leaf), interface: 'eth0' } },
  ]);
  if (size.pods === 1) return down;
  const up = numbers(size.spines).flatMap((spine) =>
    numbers(size.superspinesPerPlane).map((index) => wire(spineName(pod, spine), superspineName(spine, index))),
  );
  return [...down, ...up];
}

/** Interfaces are called like the node at their other end. */
function wire(a: string, b: string): FabricShape['wires'][number] {
  return { a: { node: a, interface: b }, b: { node: b, interface: a } };
}
