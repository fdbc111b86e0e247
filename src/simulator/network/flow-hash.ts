/**
 * The hash by which switches spread flows: MurmurHash3 (32 bits, public domain) over the words of addresses and ports, from a seed a switch. It is
 * what the public ns-3 models use, so that their flows take the same ways here.
 */

/** Of source address, destination address and ports, a word each. */
export function flowHash(source: number, destination: number, ports: number, seed: number): number {
  let hash = mixed(seed, source);
  hash = mixed(hash, destination);
  return finished(mixed(hash, ports), 12);
}

/** With the destination queue pair as well, as switches with user-defined fields do (E-ECMP). */
export function flowHashWithQueuePair(
  source: number,
  destination: number,
  ports: number,
  queuePair: number,
  seed: number,
): number {
  let hash = mixed(seed, source);
  hash = mixed(hash, destination);
  hash = mixed(hash, ports);
  return finished(mixed(hash, queuePair), 16);
}

function mixed(hash: number, word: number): number {
  let k = Math.imul(word, 0xcc9e2d51);
  k = Math.imul((k << 15) | (k >>> 17), 0x1b873593);
  const h = hash ^ k;
  return (Math.imul((h << 13) | (h >>> 19), 5) + 0xe6546b64) | 0;
}

function finished(hash: number, octets: number): number {
  let h = hash ^ octets;
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
}
