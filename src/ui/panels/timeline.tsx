/** What happened, newest first, and over the last two minutes as a strip. */
import { useState } from 'preact/hooks';
import type { PageEvent } from '../../edge/control/page/shapes.js';
import { useNow } from '../browser/hooks.js';
import type { Occurrence } from '../model.js';
import { clock, happened } from '../words.js';

const KINDS = {
  link: 'links',
  session: 'sessions',
  'best-path': 'best paths',
  fib: 'FIB',
  'link-quality': 'quality',
  move: 'moves',
} as const;
type Kind = keyof typeof KINDS;

const MOST_SHOWN = 120;

function kindOf({ kind }: PageEvent): Kind {
  return kind === 'router' || kind === 'lost' ? 'session' : kind;
}

export function Timeline({ events }: { readonly events: readonly Occurrence[] }) {
  const [hidden, setHidden] = useState<ReadonlySet<Kind>>(new Set());
  const shown = events.filter(({ event }) => !hidden.has(kindOf(event)));
  const toggle = (kind: Kind) => {
    const after = new Set(hidden);
    if (!after.delete(kind)) after.add(kind);
    setHidden(after);
  };
  return (
    <section class="card timeline" aria-labelledby="timeline-title">
      <h2 id="timeline-title">Timeline</h2>
      <fieldset class="kinds">
        <legend class="heard">Kinds of events that are shown</legend>
        {(Object.keys(KINDS) as Kind[]).map((kind) => (
          <label key={kind} class={`kind ${kind}`}>
            <input type="checkbox" checked={!hidden.has(kind)} onChange={() => toggle(kind)} />
            {KINDS[kind]}
          </label>
        ))}
      </fieldset>
      <Strip events={shown} />
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is to be scrolled by keyboard. */}
      <div class="scroll" tabIndex={0} role="log" aria-live="off" aria-label="Events, newest first">
        {shown.length === 0 && <p class="quiet">Nothing has happened since the page is open.</p>}
        <ol class="events">
          {shown.slice(0, MOST_SHOWN).map(({ id, router, event }) => (
            <li key={id} class={`kind ${kindOf(event)} ${toneOf(event)}`}>
              <time dateTime={event.at}>{clock(event.at)}</time>
              <span class="who">{router ?? 'lab'}</span>
              <span class="what">{happened(event)}</span>
            </li>
          ))}
        </ol>
      </div>
    </section>
  );
}

function toneOf(event: PageEvent): string {
  if (event.kind === 'link') return event.to === 'up' ? 'good' : 'bad';
  if (event.kind === 'router') return event.answers ? 'good' : 'bad';
  if (event.kind === 'session') return event.to === 'established' ? 'good' : event.from === 'established' ? 'bad' : '';
  return '';
}

const SPAN = 120_000;
const LANES = Object.keys(KINDS) as Kind[];
const LANE = 7;

function Strip({ events }: { readonly events: readonly Occurrence[] }) {
  const now = useNow(true);
  const recent = events.filter(({ event }) => now - Date.parse(event.at) < SPAN);
  return (
    <svg class="strip" viewBox={`0 0 600 ${LANES.length * LANE + 14}`} preserveAspectRatio="none" aria-hidden="true">
      {[0, 0.25, 0.5, 0.75, 1].map((at) => (
        <path key={at} class="grid" d={`M${at * 600} 0V${LANES.length * LANE}`} />
      ))}
      {recent.map(({ id, event }) => {
        const x = 600 * (1 - (now - Date.parse(event.at)) / SPAN);
        const y = LANES.indexOf(kindOf(event)) * LANE;
        return <rect key={id} class={`tick kind ${kindOf(event)}`} x={x - 1.5} y={y + 1} width={3} height={LANE - 2} />;
      })}
    </svg>
  );
}
