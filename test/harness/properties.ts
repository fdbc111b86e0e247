/** Property tests: fast-check, drawing from the seed of the run. */
import * as fc from 'fast-check';
import { SEED } from './seed.js';

fc.configureGlobal({ seed: SEED });

export default fc;
