/**
 * `npm run bench`: UPDATE bytes to best path on one core. Every load runs three times in turn with the others, each time on a
 * new RIB; the table gives the median and the spread.
 */
import { measureReceive, type ReceiveLoad } from './receive.js';

const ROUNDS = 3;

const LOADS: readonly ReceiveLoad[] = [
  { name: '1 peer, 100 prefixes/UPDATE', peers: 1, prefixes: 400_000, prefixesPerUpdate: 100 },
  { name: '1 peer, 5 prefixes/UPDATE', peers: 1, prefixes: 400_000, prefixesPerUpdate: 5 },
  { name: '1 peer, 1 prefix/UPDATE', peers: 1, prefixes: 400_000, prefixesPerUpdate: 1 },
  { name: '8 peers, 100 prefixes/UPDATE', peers: 8, prefixes: 100_000, prefixesPerUpdate: 100 },
];

function main(): void {
  for (const load of LOADS) measureReceive({ ...load, prefixes: load.prefixes / 10 });
  const rounds = Array.from({ length: ROUNDS }, () => LOADS.map(measureReceive));
  console.log(row(['IPv6 /64, UPDATE bytes to best path', 'routes', 'routes/s', 'spread', 'octets/path']));
  LOADS.forEach((load, i) => {
    const results = rounds.map((round) => round[i]!).sort((a, b) => a.milliseconds - b.milliseconds);
    const median = results[ROUNDS >> 1]!;
    const rate = (milliseconds: number) => `${(median.routes / milliseconds / 1000).toFixed(2)} M`;
    const spread = `${rate(results.at(-1)!.milliseconds)}-${rate(results[0]!.milliseconds)}`;
    const octets = median.octetsPerPath.toFixed(0);
    console.log(row([load.name, String(median.routes), rate(median.milliseconds), spread, octets]));
  });
}

function row(cells: readonly string[]): string {
  return cells.map((cell, i) => (i === 0 ? cell.padEnd(36) : cell.padStart(16))).join('');
}

main();
