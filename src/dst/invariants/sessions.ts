/** Where a link carries packets between two running routers there is one session at either end; elsewhere there is none. */
import type { Expectation } from '../expectation.js';
import type { Testbed } from '../testbed.js';
import type { Violation } from '../violation.js';

export function sessions(bed: Testbed, { live }: Expectation): Violation[] {
  return bed.running.flatMap(({ name, fabric }) =>
    fabric.flatMap((port): Violation[] => {
      const link = bed.node(name).speaker?.fabricLinks.find(({ config }) => config.name === port.interface);
      const up = (link?.sessions() ?? []).filter((session) => session.summary().state === 'established').length;
      const wanted = live.has(`${name}:${port.peer.name}`) || live.has(`${port.peer.name}:${name}`) ? 1 : 0;
      if (up === wanted) return [];
      const states = (link?.sessions() ?? []).map((session) => `${session.name} ${session.summary().state}`).join(', ');
      const detail = `${up} sessions up where ${wanted} must be: ${states || (link?.reason ?? 'none')}`;
      return [{ invariant: 'sessions', place: `${name} ${port.interface}`, detail }];
    }),
  );
}
