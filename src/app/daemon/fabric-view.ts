/** `show fabric`: the matrix of learned prefixes against uplinks. */
import { formatPrefix } from '../../core/net/prefix.js';
import type { ExplainedPath, PathStatus } from '../../core/rib/types.js';
import type { Speaker } from '../../core/speaker/speaker.js';
import { colourOf } from '../../core/wire/bgp/colour.js';
import type { FabricCell, FabricRow, FabricStream, FabricUplink } from '../../edge/control/schema.js';
import { linksInOrder } from './show-order.js';

const CELL: Readonly<Record<PathStatus, FabricCell['state']>> = {
  best: 'preferred',
  multipath: 'preferred',
  fallback: 'fallback',
  lost: 'unused',
  hidden: 'unused',
};
/** Which state a cell shows when an uplink has several paths (several routers on one link). */
const RANK: readonly FabricCell['state'][] = ['preferred', 'fallback', 'unused', 'absent'];

export function fabricMatrix(speaker: Speaker): FabricStream {
  return { uplinks: uplinks(speaker), rows: rows(speaker) };
}

function uplinks(speaker: Speaker): FabricUplink[] {
  return linksInOrder(speaker.fabricLinks).map((link) => {
    const up = link.sessions().some((session) => session.isEstablished);
    return {
      interface: link.config.name,
      colour: link.config.colour ?? null,
      up,
      reason: up ? null : (link.reason ?? link.sessions()[0]?.summary().lastDown?.message ?? 'no neighbour heard'),
    };
  });
}

function* rows(speaker: Speaker): Iterable<FabricRow> {
  const { rib } = speaker.engine;
  const links = linksInOrder(speaker.fabricLinks);
  for (const id of rib.prefixIds()) {
    const { paths, prefix } = rib.explain(id);
    const learned = paths.filter((path) => !path.local);
    if (learned.length === 0) continue;
    const { origin, colour, best } = rib.selection(id);
    yield {
      prefix: formatPrefix(prefix),
      colour: colour ?? null,
      origin: best ? origin : null,
      cells: links.map(({ config }) => cell(learned.filter((path) => path.interfaceName === config.name))),
    };
  }
}

function cell(paths: readonly ExplainedPath[]): FabricCell {
  const [first] = [...paths].sort((a, b) => RANK.indexOf(CELL[a.status]) - RANK.indexOf(CELL[b.status]));
  if (!first) return { state: 'absent', colour: null, aigp: null };
  return {
    state: CELL[first.status],
    colour: colourOf(first.attributes) ?? null,
    aigp: first.attributes.aigp?.metric.toString() ?? null,
  };
}
