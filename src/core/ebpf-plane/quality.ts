/**
 * The quality of the ports in bands, 7 the best, as a chip samples it: a register of the octets sent that forgets (the discounting rate
 * estimator of CONGA, SIGCOMM 2014, section 3.2), mixed with what user space knows of the queues. The packet that comes when the
 * last sample is old takes the next.
 */
import type { Assembler } from '../bpf/assembler.js';
import { R0, R1, R2, R3, R4, R5, R10 } from '../bpf/instruction.js';
import { CANDIDATES, NOW, STACK } from './stack.js';
import { BANDS, LINKS, LOAD_SHIFT, MOST_PORTS, type PlaneTables, PRESSURE, QUALITY } from './tables.js';

export interface QualityOptions {
  /** Percent: below it a port is in the best band, above the other in the worst. */
  readonly minimum: number;
  readonly maximum: number;
  /** Nanoseconds between two samples. */
  readonly sampling: number;
}

const BEST = BANDS - 1;

/** Needs NOW; destroys R0 to R5. */
export function sampleQuality(a: Assembler, tables: PlaneTables, options: QualityOptions): void {
  const fresh = a.freshLabel('quality.fresh');
  a.loadMapValue(R1, tables.quality).load(8, R2, R1, QUALITY.sampled).move(R5, NOW).alu('sub', R5, R2);
  a.jump('lt', R5, options.sampling, fresh).store(8, R1, QUALITY.sampled, NOW);
  const short = a.freshLabel('quality.short');
  a.jump('le', R5, 1 << LOAD_SHIFT, short)
    .move(R5, 1 << LOAD_SHIFT)
    .label(short);
  a.move(R2, 0);
  for (let band = 0; band < BANDS; band++) a.store(8, R10, STACK.bands + 8 * band, R2);
  eachPort(a, tables, options);
  a.loadMapValue(R1, tables.quality);
  for (let band = 0; band < BANDS; band++)
    a.load(8, R2, R10, STACK.bands + 8 * band).store(8, R1, QUALITY.bands + 8 * band, R2);
  a.label(fresh);
}

/** R0 counts the ports, R5 is the time that they forget. */
function eachPort(a: Assembler, tables: PlaneTables, options: QualityOptions): void {
  const next = a.freshLabel('quality.port');
  const done = a.freshLabel('quality.done');
  a.move(R0, 0).label(next).jump('ge', R0, MOST_PORTS, done);
  a.loadMapValue(R1, tables.links).load(8, R1, R1, LINKS.ports).jump('ge', R0, R1, done);
  decay(a, tables);
  mixed(a, tables);
  bandOf(a, options);
  // R4 is the band: remember it by port, and the port by band.
  a.loadMapValue(R1, tables.quality).alu('add', R1, R0).store(1, R1, QUALITY.band, R4);
  a.move(R1, R10).alu('lsh', R4, 3).alu('add', R1, R4);
  a.move(R3, 1).alu('lsh', R3, R0).load(8, R2, R1, STACK.bands).alu('or', R2, R3).store(8, R1, STACK.bands, R2);
  a.alu('add', R0, 1).goto(next).label(done);
}

/** R4 becomes the load of port R0, what it has forgotten taken off. */
function decay(a: Assembler, tables: PlaneTables): void {
  a.loadMapValue(R1, tables.quality).move(R2, R0).alu('lsh', R2, 3).alu('add', R1, R2);
  a.load(8, R4, R1, QUALITY.load).move(R3, R4).alu('mul', R3, R5).alu('rsh', R3, LOAD_SHIFT).alu('sub', R4, R3);
  a.store(8, R1, QUALITY.load, R4);
}

/** R4 becomes load and backlog together, in percent. */
function mixed(a: Assembler, tables: PlaneTables): void {
  a.loadMapValue(R1, tables.pressure).move(R2, R0).alu('lsh', R2, 3).alu('add', R1, R2);
  a.load(4, R3, R1, PRESSURE.scale).alu('mul', R4, R3).alu('rsh', R4, 32);
  a.load(4, R3, R1, PRESSURE.backlog).alu('add', R4, R3);
}

/** R4 becomes the band of the percentage in it: 7 - ceil(6 (s - min) / (max - min)), and never the best or worst in between. */
function bandOf(a: Assembler, { minimum, maximum }: QualityOptions): void {
  const done = a.freshLabel('band.done');
  const best = a.freshLabel('band.best');
  const worst = a.freshLabel('band.worst');
  const range = maximum - minimum;
  a.jump('lt', R4, minimum, best).jump('gt', R4, maximum, worst);
  a.alu('sub', R4, minimum)
    .alu('mul', R4, BEST - 1)
    .alu('add', R4, range - 1)
    .alu('div', R4, range);
  a.move(R3, BEST)
    .alu('sub', R3, R4)
    .move(R4, R3)
    .jump('lt', R4, BEST, done)
    .move(R4, BEST - 1)
    .goto(done);
  a.label(best).move(R4, BEST).goto(done).label(worst).move(R4, 0).label(done);
}

/** R1 becomes those of CANDIDATES in the best band that has any, R4 that band. */
export function bestCandidates(a: Assembler, tables: PlaneTables): void {
  const found = a.freshLabel('best');
  a.loadMapValue(R2, tables.quality);
  for (let band = BEST; band >= 0; band--)
    a.move(R4, band)
      .load(8, R1, R2, QUALITY.bands + 8 * band)
      .alu('and', R1, CANDIDATES)
      .jump('ne', R1, 0, found);
  // Before the first sample nothing is known of them.
  a.move(R4, BEST).move(R1, CANDIDATES).label(found);
}
