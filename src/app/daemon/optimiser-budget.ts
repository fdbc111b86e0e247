/**
 * How much a function of JavaScript has to run until V8 optimises it. What a table of a hundred thousand routes needs runs a thousand times
 * in it, once an UPDATE: too little by the usual measure, and a rehearsal that is as long takes ten times its CPU time.
 */
import { execFile } from 'node:child_process';
import { setFlagsFromString } from 'node:v8';

/** Octets of bytecode. For good that would make tables slower: optimised too soon, thrown away, optimised again. */
const SOONER = 8_192;
/** As `node --v8-options` says it. */
const DEFAULT = /default: --interrupt-budget=(\d+)$/m;

/** Milliseconds. */
const PATIENCE = 20_000;

export class OptimiserBudget {
  private usual: number | undefined;
  /** Resolves with whether the usual budget is known: each release of V8 has another one, so Node is asked for it. */
  readonly answered: Promise<boolean>;

  constructor(node = process.execPath) {
    this.answered = new Promise((resolve) => {
      execFile(node, ['--v8-options'], { timeout: PATIENCE }, (_error, options) => {
        const [, usual] = DEFAULT.exec(options) ?? [];
        if (usual) this.usual = Number(usual);
        resolve(this.usual !== undefined);
      });
    });
  }

  /** For a rehearsal, or the usual one again. Nothing is changed as long as that is not known. */
  optimiseSooner(sooner: boolean): void {
    if (this.usual !== undefined) setFlagsFromString(`--interrupt-budget=${sooner ? SOONER : this.usual}`);
  }
}
