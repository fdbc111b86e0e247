/** The Random port for a live router: jitter needs no secrecy and no seed. */
import type { Random } from '../../core/ports/random.js';

export class SystemRandom implements Random {
  next(): number {
    return Math.random();
  }
}
