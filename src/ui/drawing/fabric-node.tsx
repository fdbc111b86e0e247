/** One router or host of the drawing. */
import type { PageNode, RouterState } from '../../edge/control/page/shapes.js';
import { onActivate } from '../browser/hooks.js';
import { type Place, shortName } from './layout.js';

interface FabricNodeProps {
  readonly node: PageNode;
  readonly place: Place;
  readonly state: RouterState | undefined;
  readonly isChosen: boolean;
  /** The first that TAB comes to. */
  readonly isStop: boolean;
  readonly onChoose: (() => void) | undefined;
}

export function FabricNode({ node, place, state, isChosen, isStop, onChoose }: FabricNodeProps) {
  const { name, role } = node;
  const { x, y, width, height, label } = place;
  const words = wordsOf(node, state);
  const inner = (
    <>
      <title>{words}</title>
      <rect x={x} y={y} width={width} height={height} rx={label === 'none' ? 3 : 8} />
      {label !== 'none' && (
        <text x={x + width / 2} y={y + height / 2 + 4.5}>
          {label === 'full' ? name : shortName(name)}
        </text>
      )}
    </>
  );
  const classes = `node ${role} ${healthOf(state)} ${isChosen ? 'chosen' : ''}`;
  if (!onChoose) return <g class={classes}>{inner}</g>;
  return (
    <g
      class={`${classes} can`}
      data-stop
      data-node={name}
      role="button"
      tabindex={isStop ? 0 : -1}
      aria-pressed={isChosen}
      aria-label={words}
      onClick={onChoose}
      onKeyDown={onActivate(onChoose)}
    >
      {inner}
    </g>
  );
}

function healthOf(state: RouterState | undefined): string {
  if (!state) return 'unseen';
  if (!state.answers) return 'lost';
  return state.sessions.up < state.sessions.total ? 'hurt' : 'well';
}

function wordsOf({ name, role, as }: PageNode, state: RouterState | undefined): string {
  const what = `${name}, ${role}${as === null ? '' : `, AS ${as}`}`;
  if (!state) return what;
  return state.answers
    ? `${what}, ${state.sessions.up} of ${state.sessions.total} sessions up`
    : `${what}, does not answer`;
}
