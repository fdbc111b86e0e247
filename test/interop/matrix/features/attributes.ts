/** Colours and AIGP: what heddle sends, what heddle passes on as a spine, and what the peer passes on between two heddles. */
import { leafSentAigp } from '../capture.js';
import { type Cell, limit, observed, type Part, part, yes } from '../cell.js';
import type { PeerPath } from '../peers/peer.js';
import { LEAF, METRIC, type PeerLink } from '../plan.js';
import { answer, DOUBT } from '../until.js';
import { type Feature, type Row, refusal } from './feature.js';

const COLOUR = 1;
/** What heddle adds to AIGP where it becomes the next hop. */
const STEP = 1;

async function pathOver({ stage }: Row, prefix: string, link: PeerLink): Promise<PeerPath> {
  const path = await answer(async () => (await stage.peer.paths(prefix)).find((shown) => shown.link === link));
  if (!path) throw new Error(`the peer has no path for ${prefix} on ${link}`);
  return path;
}

/** The path that the peer passes on to the spine; without one, why the peer does not. */
async function passedOn(row: Row, prefix: string) {
  const { stage } = row;
  const path = await answer(() => stage.spine.path(prefix, 'onward'), DOUBT);
  if (path) return path;
  const [shown] = (await stage.peer.paths(prefix)).filter(({ link }) => link === 'plain');
  return shown?.unusable === undefined
    ? 'it does not pass the route on'
    : `it does not pass the route on, and shows it as: ${shown.unusable}`;
}

export const colour: Feature = {
  title: 'colour kept',
  measure: (row) =>
    Promise.all([
      ...(['plain', 'onward'] as const).map((link) => {
        const what = link === 'plain' ? 'as originated by heddle' : 'as passed on by heddle';
        return part(what, async () => {
          const { colours, unnamed } = await pathOver(row, LEAF.coloured, link);
          if (unnamed !== undefined)
            return observed(what, `it has no name for the community, and shows it as ${unnamed}`);
          if (colours.join() !== String(COLOUR)) throw new Error(`the peer shows colours [${colours}] on ${link}`);
          return yes(what);
        });
      }),
      part('as passed on by the peer', async () => {
        const path = await passedOn(row, LEAF.coloured);
        const what = 'as passed on by the peer';
        if (typeof path === 'string') return observed(what, path);
        return path.colours.join() === String(COLOUR)
          ? yes(what)
          : observed(what, `heddle behind it sees colours [${path.colours}] where [${COLOUR}] was sent`);
      }),
    ]),
};

export const aigp: Feature = {
  title: 'AIGP kept and stepped',
  measure: (row): Promise<Cell> =>
    Promise.all([
      part('as originated by heddle', () => shownAigp(row, 'plain', METRIC)),
      part('as passed on and stepped by heddle', () => shownAigp(row, 'onward', METRIC + STEP)),
      part('as passed on and stepped by the peer', async () => {
        const what = 'as passed on and stepped by the peer';
        const path = await passedOn(row, LEAF.metric);
        if (typeof path === 'string') return observed(what, path);
        if (path.aigp !== null && Number(path.aigp) > METRIC) return yes(what);
        const refused = refusal(row, 'aigp');
        const kept = Number(path.aigp) === METRIC ? ', so it is kept and not stepped' : '';
        const seen = `heddle behind it sees ${path.aigp === null ? 'no AIGP' : `AIGP ${path.aigp}`} where ${METRIC} was sent${kept}`;
        return refused === undefined ? observed(what, seen) : limit(what, `${seen}; ${refused}`);
      }),
    ]),
};

async function shownAigp(row: Row, link: PeerLink, wanted: number): Promise<Part> {
  const what = link === 'plain' ? 'as originated by heddle' : 'as passed on and stepped by heddle';
  const { aigp: shown } = await pathOver(row, LEAF.metric, link);
  if (shown === String(wanted)) return yes(what);
  const refused = refusal(row, 'aigp');
  if (shown === undefined && refused !== undefined) return limit(what, `it shows the route without AIGP; ${refused}`);
  if (shown === undefined && (await answer(() => leafSentAigp(row.stage.context, METRIC))))
    return observed(what, 'it shows the route without AIGP; the capture of what the leaf sent has it');
  throw new Error(`the peer shows AIGP ${shown ?? 'none'} on ${link}, ${wanted} was sent`);
}
