/** Where a link carries packets between two running routers there is one session at either end; elsewhere there is none. */
import type { Expectation } from '../expectation.js';
import type { Testbed } from '../testbed.js';
import type { Violation } from '../violation.js';

/** Connections of one that is: ours and the neighbour's, where both connected at once. */
const FIRST_TRY = 2;

export function sessions(bed: Testbed, { live }: Expectation): Violation[] {
  return bed.running.flatMap(({ name, fabric }) =>
    fabric.flatMap((port): Violation[] => {
      const link = bed.node(name).speaker?.fabricLinks.find(({ config }) => config.name === port.interface);
      const up = (link?.sessions() ?? []).filter((session) => session.isEstablished).length;
      const wanted = live.has(bed.linkAt(name, port.interface).name) ? 1 : 0;
      if (up === wanted) return [];
      const states = (link?.sessions() ?? []).map((session) => `${session.name} ${session.summary().state}`).join(', ');
      const detail = `${up} sessions up where ${wanted} must be: ${states || (link?.reason ?? 'none')}`;
      return [{ invariant: 'sessions', place: `${name} ${port.interface}`, detail }];
    }),
  );
}

/** All routers started at once, and nothing happened to any: every session is the first that its neighbours tried, whoever connected. */
export function firstTries(bed: Testbed): Violation[] {
  return bed.running.flatMap(({ name }) =>
    (bed.node(name).speaker?.sessions() ?? []).flatMap((session): Violation[] => {
      const { attempts, lastDown } = session.summary();
      if (!lastDown && attempts <= FIRST_TRY) return [];
      const detail = `not up at the first try: ${attempts} connections${lastDown ? `, ${lastDown.message}` : ''}`;
      return [{ invariant: 'sessions', place: `${name} ${session.name}`, detail }];
    }),
  );
}
