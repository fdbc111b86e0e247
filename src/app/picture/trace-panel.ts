/** Traced subflows as a panel of a picture: the fabric as its links are now, and a ribbon for each subflow over the links it took. Pure. */
import { listed } from '../../core/net/counted.js';
import type { LinkCondition } from '../lab/links.js';
import type { LabPlan } from '../lab/plan.js';
import type { Trace } from '../trace/trace.js';
import type { PicturePanel, PictureWay } from './fabric-picture.js';
import { labPanel, linkNameAt } from './lab-panel.js';

export function tracePanel(
  plan: LabPlan,
  conditions: readonly LinkCondition[],
  traces: readonly Trace[],
): PicturePanel {
  const failed = new Set(
    conditions.filter(({ state }) => state !== 'up').map(({ link }) => `${link.a.node} ${link.a.interface}`),
  );
  const nameAt = linkNameAt(plan);
  const good = traces.filter(({ confirmed }) => confirmed).length;
  return {
    ...labPanel(plan, { isUp: ({ a }) => !failed.has(`${a.node} ${a.interface}`) }),
    title: `${good} of ${traces.length} confirmed by counters`,
    ways: traces.map((trace) => wayOf(plan, trace, nameAt)),
    notes: traces.flatMap(({ problem, differences }) => [...(problem === null ? [] : [problem]), ...differences]),
  };
}

function wayOf(plan: LabPlan, trace: Trace, nameAt: ReturnType<typeof linkNameAt>): PictureWay {
  const spines = new Set(plan.routers.filter(({ role }) => role === 'spine').map(({ name }) => name));
  const by = trace.hops.map(({ node }) => node).filter((node) => spines.has(node));
  const what = trace.queuePair === null ? 'a subflow' : `queue pair ${trace.queuePair}`;
  const way = by.length === 0 ? 'over no spine' : `by ${listed(by)}`;
  const arrival = trace.confirmed
    ? ''
    : `, ${Math.min(trace.arrived, trace.datagrams)} of ${trace.datagrams} datagrams arrived`;
  return {
    colour: trace.colour ?? 0,
    label: `${what} ${way}${arrival}`,
    uses: trace.hops.flatMap(({ node, egress }) => {
      const link = nameAt(node, egress);
      return link === undefined ? [] : [{ link, share: 1 }];
    }),
  };
}
