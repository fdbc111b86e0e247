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

/** What other routers call it. */
const SYNONYMS: Readonly<Record<string, string>> = {
  asn: 'as',
  'autonomous-system': 'as',
  'local-as': 'as',
  'remote-as': 'accept-remote-as',
  'accept-remote-as': 'remote-as',
  'peer-as': 'remote-as',
  'bgp-id': 'router-id',
  id: 'router-id',
  network: 'advertise',
  networks: 'advertise',
  interfaces: 'fabric',
  neighbor: 'neighbors',
  peers: 'neighbors',
  groups: 'peer-groups',
  group: 'peer-group',
  'update-source': 'source',
  'ebgp-multihop': 'multihop',
  uplinks: 'fabric',
  family: 'families',
  'address-families': 'families',
  'hold-time': 'hold',
  holdtime: 'hold',
  socket: 'control-socket',
};

/** `undefined` when nothing in `known` is near. */
export function suggest(word: string, known: readonly string[]): string | undefined {
  const plain = word.toLowerCase().replaceAll('_', '-');
  const synonym = SYNONYMS[plain];
  if (synonym !== undefined && known.includes(synonym)) return synonym;
  const limit = Math.max(1, Math.floor(plain.length / 3));
  const ranked = known
    .map((candidate) => ({ candidate, distance: editDistance(plain, candidate) }))
    .filter(({ distance }) => distance <= limit)
    .sort((a, b) => a.distance - b.distance);
  return ranked[0]?.candidate;
}
