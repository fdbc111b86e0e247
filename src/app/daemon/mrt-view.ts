/** `dump mrt`: the running RIB as MRT records. */
import type { Family } from '../../core/net/family.js';
import type { Clock } from '../../core/ports/clock.js';
import { tableDump } from '../../core/rib/table-dump.js';
import type { Speaker } from '../../core/speaker/speaker.js';

export function mrtDump(speaker: Speaker, clock: Clock, family: Family | undefined): Iterable<Uint8Array> {
  const { name, identifier, asn, families } = speaker.config;
  const start = Date.now() - clock.now();
  return tableDump(speaker.engine.rib, {
    name,
    identifier,
    asn,
    families: family === undefined ? families : [family],
    now: Date.now() * 1000,
    wallTime: (moment) => Math.floor((start + moment) / 1000),
  });
}
