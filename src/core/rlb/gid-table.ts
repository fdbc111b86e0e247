/**
 * Where an address stands in the GID table of a RoCE port on Linux (drivers/infiniband/core/cache.c, roce_gid_mgmt.c). Pure.
 *
 *   The first entries are the port's own: its EUI-64 link-local address, once for every RoCE version that the NIC speaks.
 *   An address that is added takes the first entry that is free, again one for every version, version 1 first.
 *   An address that is removed frees its entries; the next one takes them.
 *
 * So with both versions (mlx5) the addresses of a port have the RoCEv2 indices 3, 5, 7 ... in the order in which they were
 * formed, and with RoCEv2 alone (rxe) 1, 2, 3 ...
 */

/** How many RoCE versions a NIC has entries for: versions 1 and 2, or version 2 alone. */
export type GidVersions = 1 | 2;

/** RoCEv2 index of the address that was formed as the `position`th, from 0, when none was removed before. */
export function roceV2GidIndex(position: number, versions: GidVersions = 2): number {
  return versions * (position + 1) + versions - 1;
}
