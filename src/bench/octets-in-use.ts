/** Memory that is really held, measured behind garbage collection. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

/** Octets of the heap and of typed arrays. */
export function octetsInUse(): number {
  // The first pass finds dead typed arrays, the second sees their memory given back.
  collectGarbage();
  collectGarbage();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}
