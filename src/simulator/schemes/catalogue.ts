/** All load-balancing schemes there are, by the names users know them by. A new scheme is a file and a line here. */
import { alb } from './alb.js';
import { caver } from './caver/caver.js';
import { conga } from './conga.js';
import { conweave } from './conweave/conweave.js';
import { dlb } from './dlb.js';
import { drill } from './drill.js';
import { ecmp } from './ecmp.js';
import { glb } from './glb.js';
import { hula } from './hula.js';
import { letflow } from './letflow.js';
import { reactive } from './reactive.js';
import { resilientHash } from './resilient-hash.js';
import { rlb } from './rlb.js';
import type { SchemeDefinition } from './scheme.js';
import { selectiveDlb } from './selective-dlb.js';
import { wcmp } from './wcmp.js';

export const SCHEMES: readonly SchemeDefinition[] = [
  ecmp,
  resilientHash,
  wcmp,
  dlb,
  selectiveDlb,
  reactive,
  alb,
  glb,
  letflow,
  drill,
  conga,
  hula,
  conweave,
  caver,
  rlb,
];
