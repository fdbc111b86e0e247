/** The plan of queue pairs as a panel of a picture: a ribbon for each colour over the links that its subflows are to take. Pure. */
import { counted, listed } from '../../core/net/counted.js';
import type { HostPlan, PlannedConnection, PlannedQueuePair } from '../host/host-plan.js';
import type { LabPlan } from '../lab/plan.js';
import { linkNames } from '../verify/failures.js';
import type { PicturePanel } from './fabric-picture.js';
import { labPanel } from './lab-panel.js';

export function planPanel(lab: LabPlan, plan: HostPlan): PicturePanel {
  const subflows = plan.connections.flatMap((one) =>
    one.queuePairs.map((pair) => ({ pair, links: linksOf(lab, one, pair) })),
  );
  const uplinks = new Map(subflows.map(({ pair }) => [pair.uplink, pair]));
  const carried = (name: string) => subflows.filter(({ links }) => links.includes(name)).length;
  const loadOf = (name: string) => (carried(name) > 0 && plan.pattern !== 'pair' ? String(carried(name)) : undefined);
  const { loads } = plan;
  return {
    ...labPanel(lab, { isUp: () => true, loadOf }),
    title: plan.source,
    ways: [...uplinks.values()].map(({ uplink, uplinkName, colour }) => {
      const mine = subflows.filter(({ pair }) => pair.uplink === uplink);
      const numbers = [...new Set(mine.map(({ pair }) => pair.number))].map(String);
      const what = numbers.length === 1 ? `queue pair ${numbers[0]}` : `queue pairs ${listed(numbers)}`;
      return {
        colour,
        label: `${what} by ${uplinkName}, ${counted(mine.length, 'subflow')}`,
        uses: [...new Set(mine.flatMap(({ links }) => links))].map((link) => ({ link, share: 1 })),
      };
    }),
    notes: [
      ...(loads ? ['numbers beside links: subflows that they carry, both ways'] : (plan.connections[0]?.verdict ?? [])),
      ...plan.problems,
    ],
  };
}

function linksOf(lab: LabPlan, connection: PlannedConnection, pair: PlannedQueuePair): string[] {
  const leafOf = (name: string) => lab.hosts.find((host) => host.name === name)?.leaf;
  const [from, to] = [leafOf(connection.source), leafOf(connection.destination)];
  const isOn = (leaf: string | undefined, name: string, node: string, index: number) =>
    node === leaf && lab.routers.find((router) => router.name === leaf)?.fabric[index]?.interface === name;
  const names = [...linkNames(lab)];
  const hostLinks = names.filter(([, { b }]) => b.node === connection.source || b.node === connection.destination);
  const fabric = names.filter(([, { a }]) =>
    [from, to].some((leaf) => isOn(leaf, a.interface, a.node, pair.uplink - 1)),
  );
  return [...hostLinks, ...(connection.within === null ? fabric : [])].map(([name]) => name);
}
