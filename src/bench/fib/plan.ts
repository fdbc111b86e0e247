/**
 * Names and addresses of the stage that everybody is measured on. Pure.
 *
 *   host1 --- leaf1 (the one measured) === spine1..4 === leaf2 (the far leaf; the prefixes' addresses are there)
 *
 * Every link is numbered, so that all implementations have the same sessions. Spines forward by a static route and are
 * played, towards the leaf, by a scripted BGP speaker each.
 */
import { type Lab, namespaceOf } from '../../app/lab/lab.js';
import { MEASURED } from '../common/daemons.js';

export const UPLINKS = [1, 2, 3, 4] as const;
export type Uplink = (typeof UPLINKS)[number];

export const LEAF = MEASURED;
export const FAR = 'leaf2';
export const HOST = 'host1';

export const LEAF_AS = 65000;
export const FAR_AS = 65100;
export const LEAF_ID = '10.1.0.1';
/** Seconds; long, for a busy machine must not end sessions. */
export const HOLD_TIME = 90;

/** All prefixes of the far leaf. */
export const AGGREGATE = 'fd10::/16';
export const HOST_ADDRESS = 'fd00:3::2';
export const HOST_GATEWAY = 'fd00:3::1';
export const PREFIX_BITS = 64;

export const spineName = (uplink: Uplink): string => `spine${uplink}`;
export const spineAs = (uplink: Uplink): number => 65000 + uplink;
/** The leaf's interface to a spine, the spine's to the leaf and to the far leaf, and the far leaf's. */
export const uplinkInterface = (uplink: Uplink): string => `to-${spineName(uplink)}`;
export const DOWN_INTERFACE = `to-${LEAF}`;
export const FAR_INTERFACE = `to-${FAR}`;
/** The leaf's to its host, and the host's. */
export const HOST_PORT = `to-${HOST}`;
export const HOST_INTERFACE = 'eth0';

export const leafAddress = (uplink: Uplink): string => `fd00:1:${uplink}::1`;
export const spineAddress = (uplink: Uplink): string => `fd00:1:${uplink}::2`;
export const spineFarAddress = (uplink: Uplink): string => `fd00:2:${uplink}::1`;
export const farAddress = (uplink: Uplink): string => `fd00:2:${uplink}::2`;

export interface StageNames {
  readonly leaf: string;
  readonly far: string;
  readonly host: string;
  spine(uplink: Uplink): string;
}

/** Namespaces. */
export function stageNames(lab: Lab): StageNames {
  return {
    leaf: namespaceOf(lab, LEAF),
    far: namespaceOf(lab, FAR),
    host: namespaceOf(lab, HOST),
    spine: (uplink) => namespaceOf(lab, spineName(uplink)),
  };
}

/** Octets of prefix `index` (fd10:HIGH:LOW::/64) at `offset` of `target`; the rest of the 16 stays as it is. */
export function writePrefix(index: number, target: Uint8Array, offset = 0): void {
  target[offset] = 0xfd;
  target[offset + 1] = 0x10;
  for (let i = 0; i < 4; i++) target[offset + 2 + i] = index >>> (24 - 8 * i);
}

/** An address in prefix `index`. */
export function addressIn(index: number): string {
  return `fd10:${(index >>> 16).toString(16)}:${(index & 0xffff).toString(16)}::1`;
}

export function prefixText(index: number): string {
  return `fd10:${(index >>> 16).toString(16)}:${(index & 0xffff).toString(16)}::/${PREFIX_BITS}`;
}

/** The first of `count` prefixes in the order they are sent, the one in the middle, and the last; each once. */
export function samplePrefixes(count: number): readonly number[] {
  return [...new Set([0, count >> 1, count - 1])];
}
