/** The tables that programs and user space share (linux/bpf.h, enum bpf_map_type), as they are to be made. */

export const MAP_TYPE = {
  hash: 1,
  array: 2,
  'per-cpu-array': 6,
  'lpm-trie': 11,
  'device-map': 14,
  'ring-buffer': 27,
} as const;

export type MapType = keyof typeof MAP_TYPE;

export interface MapDefinition {
  /** Up to 15 letters, digits and underscores. */
  readonly name: string;
  readonly type: MapType;
  /** Octets. */
  readonly keySize: number;
  /** Octets. */
  readonly valueSize: number;
  readonly maxEntries: number;
  /** Of an array: user space has the values in its own memory too. */
  readonly mapped?: boolean;
}
