/** One link of the drawing. */
import { curve, pointOf } from '../../app/picture/curve.js';
import type { Point } from '../../app/picture/layout.js';
import { colourClass } from '../../app/picture/style.js';
import type { LinkAction, PageLink, PageLinkState } from '../../edge/control/page/shapes.js';
import { onActivate } from '../browser/hooks.js';
import { rateWords, stateWords } from '../words.js';

const LEAST_WIDTH = 2.2;
const MORE_WIDTH = 8;
/** Bits a second below which no figure stands at a link. */
const LEAST_FIGURE = 1e4;

const DOES: Readonly<Record<LinkAction, string>> = { fail: 'cut it', silence: 'silence it', heal: 'mend it' };

interface FabricLinkProps {
  readonly link: PageLink;
  readonly state: PageLinkState | undefined;
  readonly ends: readonly [Point, Point];
  /** Of what it can carry, or of what the busiest does. */
  readonly load: number;
  /** Among the links that are drawn. */
  readonly place: number;
  readonly isBusy: boolean;
  /** What a click does; nothing outside a lab. */
  readonly action: LinkAction | undefined;
  readonly onAct: (action: LinkAction) => void;
}

export function FabricLink(props: FabricLinkProps) {
  const { link, state, ends, load, place, isBusy, action, onAct } = props;
  const line = curve(ends);
  const up = state === undefined || state.state === 'up';
  const words = `${link.name}, ${stateWords(state?.state)}${loadWords(state)}`;
  const classes = `link ${link.colour === null ? 'plain' : colourClass(link.colour)} ${state?.state ?? 'unseen'} ${isBusy ? 'busy' : ''}`;
  const inner = (
    <>
      <title>{words}</title>
      <path class="line" d={line} style={{ strokeWidth: LEAST_WIDTH + MORE_WIDTH * Math.sqrt(Math.min(1, load)) }} />
      {!up && <Cross at={pointOf(ends, 0.5)} />}
      {up && <Figure state={state} at={pointOf(ends, place % 2 === 0 ? 0.22 : 0.34)} />}
    </>
  );
  if (!action) return <g class={classes}>{inner}</g>;
  const act = (): void => onAct(action);
  return (
    <g
      class={`${classes} can`}
      data-stop
      data-link={link.name}
      role="button"
      // In SVG the attribute is known in lower case only.
      tabindex={place === 0 ? 0 : -1}
      aria-label={`${words}: ${DOES[action]}`}
      onClick={act}
      onKeyDown={onActivate(act)}
    >
      {inner}
      <path class="hit" d={line} />
    </g>
  );
}

function loadWords(state: PageLinkState | undefined): string {
  if (!state || state.forth === null || state.back === null) return '';
  return `, ${rateWords(state.forth)} from the leaf and ${rateWords(state.back)} to it`;
}

function Cross({ at: { x, y } }: { readonly at: Point }) {
  return (
    <g class="cross">
      <circle cx={x} cy={y} r={9} />
      <path d={`M${x - 4} ${y - 4}L${x + 4} ${y + 4}M${x + 4} ${y - 4}L${x - 4} ${y + 4}`} />
    </g>
  );
}

function Figure({ state, at: { x, y } }: { readonly state: PageLinkState | undefined; readonly at: Point }) {
  const rate = Math.max(state?.forth ?? 0, state?.back ?? 0);
  if (rate < LEAST_FIGURE) return null;
  const text = rateWords(rate);
  const width = text.length * 6 + 12;
  return (
    <g class="figure" aria-hidden="true">
      <rect x={x - width / 2} y={y - 9} width={width} height={18} rx={9} />
      <text x={x} y={y + 4}>
        {text}
      </text>
    </g>
  );
}
