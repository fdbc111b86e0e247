/** Path attributes as text and as JSON, for show commands and replay. */
import type { AsPathSegment, ExtendedCommunity, PathAttributes } from './path-attributes.js';

export type JsonValue = string | number | boolean | readonly JsonValue[] | { readonly [key: string]: JsonValue };

/** Stable keys in the order of the attribute types; absent attributes are left out. */
export function formatAttributes(_attributes: PathAttributes): Record<string, JsonValue> {
  throw new Error('to be written');
}

/** `65001 65002 {65003,65004}`; empty for an empty path. */
export function formatAsPath(_path: readonly AsPathSegment[]): string {
  throw new Error('to be written');
}

/** `65000:1` */
export function formatCommunity(_community: number): string {
  throw new Error('to be written');
}

/** `color:CO:value`, `rt:AS:value`, `soo:AS:value`, else 16 hexadecimal digits. */
export function formatExtendedCommunity(_community: ExtendedCommunity): string {
  throw new Error('to be written');
}

export function formatLargeCommunity(_community: readonly [number, number, number]): string {
  throw new Error('to be written');
}
