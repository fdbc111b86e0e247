/** The rows of the benchmark of forwarding. Pure. */

export const ROWS = ['a', 'b', 'c', 'd', 'e'] as const;
export type RowName = (typeof ROWS)[number];

export const ROW_TITLES: Readonly<Record<RowName, string>> = {
  a: "the leaf's own link goes down",
  b: "the spine's link to the far leaf goes down",
  c: '100,000 IPv6 routes from one peer, first UPDATE octet to last kernel route',
  d: 'restart of the daemon under traffic, 10,000 prefixes',
  e: '16 bursty UDP flows over the 3 rate-limited links that are left',
};
