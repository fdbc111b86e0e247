/** The known word that a misspelt one was probably meant to be. */

/** Edits of one letter (insert, delete, replace, swap of neighbours) between two words. */
export function editDistance(a: string, b: string): number {
  const rows: number[][] = [Array.from({ length: b.length + 1 }, (_, j) => j)];
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = rows[i - 1]![j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      const swapped = a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1] ? rows[i - 2]![j - 2]! + 1 : Infinity;
      row.push(Math.min(replaced, swapped, rows[i - 1]![j]! + 1, row[j - 1]! + 1));
    }
    rows.push(row);
  }
  return rows[a.length]![b.length]!;
}

/** What other routers call it; the first of these that belongs there is meant. */
const SYNONYMS: Readonly<Record<string, readonly string[]>> = {
  asn: ['as'],
  'autonomous-system': ['as'],
  'local-as': ['as'],
  'remote-as': ['accept-remote-as'],
  'accept-remote-as': ['remote-as'],
  'peer-as': ['remote-as', 'accept-remote-as'],
  'bgp-id': ['router-id'],
  id: ['router-id'],
  network: ['advertise'],
  networks: ['advertise'],
  interfaces: ['fabric'],
  neighbor: ['neighbors'],
  peers: ['neighbors'],
  groups: ['peer-groups'],
  group: ['peer-group'],
  'update-source': ['source'],
  'ebgp-multihop': ['multihop'],
  uplinks: ['fabric'],
  family: ['families'],
  'address-families': ['families'],
  'hold-time': ['hold'],
  holdtime: ['hold'],
  socket: ['control-socket'],
  'ttl-security': ['gtsm'],
  md5: ['password'],
  'maximum-prefix': ['max-prefixes'],
  'additional-paths': ['add-path'],
  'route-maps': ['policies'],
  'route-map': ['policies', 'import'],
  'route-map-in': ['import'],
  'route-map-out': ['export'],
  'local-preference': ['local-pref'],
  metric: ['med'],
  'as-path-prepend': ['prepend'],
  'prefix-list': ['prefixes', 'prefix-lists'],
  community: ['communities'],
  'community-list': ['communities', 'community-lists'],
  permit: ['action', 'accept'],
  allow: ['accept'],
  deny: ['action', 'reject'],
  drop: ['reject'],
  discard: ['reject'],
  continue: ['next'],
};

/** `undefined` when nothing in `known` is near. */
export function suggest(word: string, known: readonly string[]): string | undefined {
  const plain = word.toLowerCase().replaceAll('_', '-');
  const synonym = (SYNONYMS[plain] ?? []).find((meant) => known.includes(meant));
  return synonym ?? nearest(plain, known) ?? known.find((candidate) => isShortFor(plain, candidate));
}

function nearest(word: string, known: readonly string[]): string | undefined {
  const limit = Math.max(1, Math.floor(word.length / 3));
  const ranked = known
    .map((candidate) => ({ candidate, distance: editDistance(word, candidate) }))
    .filter(({ distance }) => distance <= limit)
    .sort((a, b) => a.distance - b.distance);
  return ranked[0]?.candidate;
}

const LEAST_LETTERS = 3;

/** Either begins with the other, hyphens aside: `comm` and `communities`, `prefixlist` and `prefix-lists`. */
function isShortFor(word: string, candidate: string): boolean {
  const [short = '', long = ''] = [word, candidate]
    .map((text) => text.replaceAll('-', ''))
    .sort((a, b) => a.length - b.length);
  return short.length >= LEAST_LETTERS && long.startsWith(short);
}
