/**
 * The fabric drawn: routers that are chosen by a click, links in their colours and as wide as their load, the way of a prefix over them; in a lab a click
 * on a link cuts and mends it.
 */
import { useMemo, useState } from 'preact/hooks';
import { linkEnds } from '../../app/picture/layout.js';
import type { LinkAction, PageLink, PageLinkState } from '../../edge/control/page/shapes.js';
import type { FabricRow } from '../../edge/control/schema.js';
import { useArrows, useWidth } from '../browser/hooks.js';
import type { LinkActions } from '../browser/link-actions.js';
import type { Model } from '../model.js';
import type { WayUse } from '../placement.js';
import { plural } from '../words.js';
import { drawnLinks } from './drawn-links.js';
import { FabricLink } from './fabric-link.js';
import { FabricNode } from './fabric-node.js';
import { layOut } from './layout.js';
import { Way } from './way.js';

interface DrawingProps {
  readonly model: Model;
  readonly router: string;
  readonly way: readonly WayUse[];
  readonly row: FabricRow | undefined;
  readonly onRouter: (name: string) => void;
  readonly act: LinkActions;
}

/** How links are broken by a click. */
type Break = Exclude<LinkAction, 'heal'>;

export function Drawing({ model, router, way, row, onRouter, act }: DrawingProps) {
  const fabric = model.fabric!;
  const [element, width] = useWidth();
  const [how, setHow] = useState<Break>('fail');
  const inLab = fabric.actions.length > 0;
  return (
    <>
      <div class="head">
        <h2 id="drawing-title">Fabric</h2>
        {inLab && <BreakChoice how={how} onChange={setHow} />}
      </div>
      <div ref={element} class="canvas">
        {width > 0 && <Picture {...{ model, router, way, row, onRouter, act, how, width }} />}
      </div>
      <p class="quiet legend">
        {inLab ? 'A click on a link breaks it, another mends it. ' : ''}
        {row ? `Moving dashes: how ${router} reaches ${row.prefix}. ` : ''}
        Width and figures: what links carry.
      </p>
    </>
  );
}

function BreakChoice({ how, onChange }: { readonly how: Break; readonly onChange: (how: Break) => void }) {
  return (
    <fieldset class="choice">
      <legend>a click</legend>
      {(['fail', 'silence'] as const).map((one) => (
        <label key={one}>
          <input type="radio" name="break" value={one} checked={how === one} onChange={() => onChange(one)} />
          {one === 'fail' ? 'cuts' : 'silences'}
        </label>
      ))}
    </fieldset>
  );
}

interface PictureProps extends DrawingProps {
  readonly how: Break;
  /** Pixels. */
  readonly width: number;
}

function Picture({ model, router, way, row, onRouter, act, how, width }: PictureProps) {
  const fabric = model.fabric!;
  const layout = useMemo(() => layOut(fabric.nodes, width), [fabric, width]);
  const used = useMemo(() => new Set(way.map(({ link }) => link)), [way]);
  const { links, left } = drawnLinks(model, router, used);
  const ends = useMemo(
    () => linkEnds(links.map(nodesOf), layout.places),
    [links.map(({ name }) => name).join(), layout],
  );
  const scale = scaleOf(model);
  const arrows = useArrows();
  const drawn = links.filter(({ name }) => ends.has(name));
  const stateOf = ({ name }: PageLink) => model.links.get(name);
  const breakOrHeal = fabric.actions.length === 0 ? undefined : actionOn(how);
  return (
    <>
      <svg width={width} height={layout.height} role="group" aria-label={describe(model)}>
        <g {...arrows}>
          {drawn.map((link, index) => (
            <FabricLink
              key={link.name}
              link={link}
              state={stateOf(link)}
              ends={ends.get(link.name)!}
              load={loadOf(stateOf(link)) / (link.rate ?? scale)}
              place={index}
              isBusy={act.busy.has(link.name)}
              action={breakOrHeal?.(stateOf(link))}
              onAct={(action) => act.run(link.name, action)}
            />
          ))}
        </g>
        {row && <Way way={way} ends={ends} colour={row.colour} />}
        <g {...arrows}>
          {fabric.nodes.map((node, index) => {
            const place = layout.places.get(node.name);
            return (
              place && (
                <FabricNode
                  key={node.name}
                  node={node}
                  place={place}
                  state={model.routers.get(node.name)}
                  isChosen={node.name === router}
                  isStop={index === 0}
                  onChoose={node.role === 'host' || fabric.scope === 'router' ? undefined : () => onRouter(node.name)}
                />
              )
            );
          })}
        </g>
      </svg>
      {left > 0 && (
        <p class="quiet legend">
          {plural(left, 'link')} of others not drawn: those of {router}, the busiest and the broken ones are.
        </p>
      )}
    </>
  );
}

function actionOn(how: Break): (state: PageLinkState | undefined) => LinkAction {
  return (state) => (state === undefined || state.state === 'up' ? how : 'heal');
}

function loadOf(state: PageLinkState | undefined): number {
  return Math.max(state?.forth ?? 0, state?.back ?? 0);
}

/** Bits a second that a link is drawn at its widest for, where its rate is not known: the most that any carries, and no trickle. */
const LEAST_SCALE = 1e6;

function scaleOf({ links }: Model): number {
  let most = LEAST_SCALE;
  for (const state of links.values()) most = Math.max(most, loadOf(state));
  return most;
}

function describe({ fabric, links }: Model): string {
  const broken = [...links.values()].filter(({ state }) => state !== 'up').map(({ name }) => name);
  const tail = broken.length === 0 ? 'every link is up' : `down: ${broken.slice(0, 8).join(', ')}`;
  return `Fabric ${fabric!.name}; ${tail}. Arrow keys go from one to the next.`;
}

function nodesOf({ name, a, b }: PageLink) {
  return { name, a: a.node, b: b.node };
}
