/** One row: builds its stage, measures every feature, takes the stage down. */
import { startCapture } from './capture.js';
import type { Cell } from './cell.js';
import { addPath } from './features/add-path.js';
import { aigp, colour } from './features/attributes.js';
import type { Feature, Row } from './features/feature.js';
import { extendedMessage } from './features/messages.js';
import { helper, restarter } from './features/restart.js';
import { establish, ipv4, ipv6, refresh, withdraw } from './features/routes.js';
import { bfd, gtsm, maxPrefix, md5, notification } from './features/sessions.js';
import { leafConfig, spineConfig } from './heddle.js';
import type { Knob, PeerConfig } from './peers/peer.js';
import { PEER, PEER_BULK } from './plan.js';
import { type Contender, Stage } from './stage.js';

/** Columns, in the order of the table. */
export const FEATURES: readonly Feature[] = [
  establish,
  ipv6,
  ipv4,
  colour,
  aigp,
  withdraw,
  refresh,
  addPath,
  extendedMessage,
  md5,
  gtsm,
  bfd,
  maxPrefix,
  notification,
  helper,
  restarter,
];

/** These disturb nothing but themselves. */
const SIDE_BY_SIDE: readonly Feature[] = [
  ipv6,
  ipv4,
  colour,
  aigp,
  addPath,
  extendedMessage,
  md5,
  gtsm,
  bfd,
  maxPrefix,
  notification,
];
/** One after the other, each on what the one before has left. */
const IN_TURN: readonly Feature[] = [withdraw, refresh, helper, restarter];

export interface MeasuredRow {
  readonly contender: Contender;
  readonly version: string;
  readonly cells: ReadonlyMap<string, Cell>;
}

export async function measureRow(contender: Contender): Promise<MeasuredRow> {
  const stage = new Stage(contender);
  await stage.build();
  try {
    const version = await contender.kind.version(stage.context.run);
    const row = await rowOf(stage);
    await startCapture(stage.context);
    const { folder, context } = stage;
    await Promise.all([
      row.restartLeaf(),
      stage.spine.start(spineConfig(folder, context.addressing)),
      stage.peer.start(peerConfig(row.accepted), false),
    ]);
    return { contender, version, cells: await measureAll(row) };
  } finally {
    await stage.tearDown();
  }
}

async function measureAll(row: Row): Promise<ReadonlyMap<string, Cell>> {
  const cells = new Map<string, Cell>();
  const measure = async (feature: Feature) => {
    cells.set(feature.title, await feature.measure(row));
  };
  await measure(establish);
  if (cells.get(establish.title)!.some(({ outcome }) => outcome !== 'yes')) return cells;
  await Promise.all(SIDE_BY_SIDE.map(measure));
  for (const feature of IN_TURN) await measure(feature);
  return cells;
}

async function rowOf(stage: Stage): Promise<Row> {
  const knobs = await tryKnobs(stage);
  return {
    stage,
    ...knobs,
    restartPeer: (without) => stage.peer.start(peerConfig(knobs.accepted, without), true),
    restartLeaf: () => stage.leaf.start(leafConfig(stage.folder, stage.context.addressing)),
  };
}

function peerConfig(knobs: ReadonlySet<Knob>, without: readonly string[] = []): PeerConfig {
  const ipv6 = [PEER.plain, PEER.going, PEER.lost, ...PEER_BULK].filter((prefix) => !without.includes(prefix));
  return { knobs, ipv6, ipv4: [PEER.ipv4] };
}

/** Each knob alone, against the peer's own checker. */
async function tryKnobs(stage: Stage): Promise<Pick<Row, 'accepted' | 'refused'>> {
  const base = await stage.peer.complaint({ knobs: new Set(), ipv6: [], ipv4: [] });
  if (base !== undefined)
    throw new Error(`${stage.contender.kind.name} refuses a configuration without any knob: ${base}`);
  const accepted = new Set<Knob>();
  const refused = new Map<Knob, string>();
  for (const knob of stage.contender.kind.knobs) {
    const complaint = await stage.peer.complaint({ knobs: new Set([knob]), ipv6: [], ipv4: [] });
    if (complaint === undefined) accepted.add(knob);
    else refused.set(knob, complaint);
  }
  return { accepted, refused };
}
