/** Predictions as panels of a picture: the ways of all colours between two hosts, and what that puts on the links. Pure. */
import { listed } from '../../core/net/counted.js';
import type { Colour } from '../../core/speaker/config.js';
import type { PicturePanel, PictureWay } from '../picture/fabric-picture.js';
import { labPanel } from '../picture/lab-panel.js';
import { atFailure } from './at-failure.js';
import { flowPath, linkLoads } from './link-loads.js';
import type { Prediction } from './model.js';

export interface PicturedFlows {
  /** Hosts; each colour carries one unit from the first to the second. */
  readonly from: string;
  readonly to: string;
}

/** Before the failure, at it and after it; or the one state when nothing has failed. */
export function failurePanels(before: Prediction, after: Prediction): PicturePanel[] {
  const flows = mostChanged(before, after);
  if (!flows) return [];
  if (after.links.every(({ up }) => up)) return [predictionPanel(after, 'all links up', flows)];
  return [
    predictionPanel(before, 'before', flows),
    predictionPanel(atFailure(before, after), 'at the failure: kernels alone', flows),
    predictionPanel(after, 'after: all routers know', flows),
  ];
}

/** Hosts of two leaves between which most ways are others than before; the first and the last where none is. */
function mostChanged(before: Prediction, after: Prediction): PicturedFlows | undefined {
  const { hosts, topology, routers } = after.plan;
  const ones = routers.flatMap(({ name }) => hosts.find(({ leaf }) => leaf === name) ?? []);
  const pairs = ones.flatMap(({ name: from }, index) =>
    ones.filter((_, other) => other !== index).map(({ name: to }) => ({ from, to })),
  );
  const differing = (flows: PicturedFlows) =>
    topology.colours.filter((colour) => {
      const way = (prediction: Prediction) => JSON.stringify(flowPath(prediction, { ...flows, colour }));
      return way(before) !== way(after);
    }).length;
  const ranked = pairs.map((flows) => ({ flows, count: differing(flows) })).toSorted((a, b) => b.count - a.count);
  const [first] = ranked;
  if (first && first.count > 0) return first.flows;
  const [from, to] = [ones[0]?.name, ones.at(-1)?.name];
  return from !== undefined && to !== undefined && from !== to ? { from, to } : undefined;
}

export function predictionPanel(prediction: Prediction, title: string, { from, to }: PicturedFlows): PicturePanel {
  const { plan, links } = prediction;
  const { colours } = plan.topology;
  const ways = colours.map((colour) => wayOf(prediction, { from, to, colour }));
  const loads = linkLoads(
    prediction,
    colours.map((colour) => ({ from, to, colour, size: 1 })),
  );
  const down = new Set(links.filter(({ up }) => !up).map(({ name }) => name));
  const fabric = new Set(links.filter(({ kind }) => kind === 'fabric').map(({ name }) => name));
  const up = new Set(links.filter((link) => link.up).map(({ a }) => `${a.node} ${a.interface}`));
  const loadOf = (name: string) => {
    const load = loads.links.filter(({ link }) => link === name).reduce((sum, one) => sum + one.load, 0);
    return !fabric.has(name) || down.has(name) || load === 0 ? undefined : String(Number(load.toFixed(2)));
  };
  const cut = loads.cutOff.reduce((sum, { size }) => sum + size, 0);
  return {
    ...labPanel(plan, { isUp: ({ a }) => up.has(`${a.node} ${a.interface}`), loadOf }),
    title,
    ways,
    notes: [
      'numbers beside links: subflows that they carry',
      ...(cut > 0 ? [`${Number(cut.toFixed(2))} of ${colours.length} subflows do not arrive`] : []),
    ],
  };
}

function wayOf(prediction: Prediction, flow: PicturedFlows & { readonly colour: Colour }): PictureWay {
  const { uses } = flowPath(prediction, flow);
  const roles = new Map(prediction.plan.routers.map(({ name, role }) => [name, role]));
  const spines = [...new Set(uses.map(({ to }) => to).filter((node) => roles.get(node) === 'spine'))];
  const arrives = uses.some(({ to }) => to === flow.to);
  const way = spines.length === 0 ? 'no spine' : listed(spines);
  return {
    colour: flow.colour,
    label: arrives ? `${flow.from} to ${flow.to} by ${way}` : `${flow.from} does not reach ${flow.to}`,
    uses: uses.map(({ link, share }) => ({ link, share })),
  };
}
