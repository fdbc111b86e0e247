/** The name of what is shown, its figures, whether what is seen is now, and the switch between light and dark. */
import { useState } from 'preact/hooks';
import { formatDuration } from '../../app/cli/render/words.js';
import type { Connection } from '../browser/connection.js';
import { useNow } from '../browser/hooks.js';
import { applyTheme, storedTheme, THEMES } from '../browser/theme.js';
import type { Model } from '../model.js';
import { clock, plural } from '../words.js';

export function Header({ model, connection }: { readonly model: Model; readonly connection: Connection }) {
  const { scope, name, version } = model.fabric!;
  return (
    <header>
      <div class="brand">
        <Mark />
        <h1>
          <span class="quiet">{scope === 'lab' ? 'lab ' : ''}</span>
          {name}
        </h1>
        <span class="quiet version">heddle {version}</span>
      </div>
      <Figures model={model} />
      <Liveness connection={connection} />
      <ThemeSwitch />
    </header>
  );
}

function Mark() {
  return (
    <svg class="mark" viewBox="0 0 32 32" aria-hidden="true">
      <path class="c0" d="M8 5V27" />
      <path class="c1" d="M16 5V27" />
      <path class="c3" d="M24 5V27" />
      <path class="thread" d="M3 16H29" />
    </svg>
  );
}

function Figures({ model: { fabric, routers, links } }: { readonly model: Model }) {
  const states = [...routers.values()];
  const [up, total] = [
    states.reduce((sum, { sessions }) => sum + sessions.up, 0),
    states.reduce((sum, { sessions }) => sum + sessions.total, 0),
  ];
  const waiting = states.reduce((sum, { prefixes }) => sum + (prefixes?.pending ?? 0), 0);
  const failed = states.reduce((sum, { prefixes }) => sum + (prefixes?.failed ?? 0), 0);
  const broken = [...links.values()].filter(({ state }) => state !== 'up').length;
  const count = (role: string) => fabric!.nodes.filter((node) => node.role === role).length;
  const nodes = (['spine', 'leaf', 'host'] as const).filter((role) => count(role) > 0);
  const noun = (role: string, number: number) =>
    role === 'leaf' && number !== 1 ? `${number} leaves` : plural(number, role);
  return (
    <ul class="figures">
      <li>{nodes.map((role) => noun(role, count(role))).join(', ')}</li>
      <li class={up < total ? 'bad' : 'good'}>
        {up} of {plural(total, 'session')} up
      </li>
      {broken > 0 && <li class="bad">{plural(broken, 'link')} down</li>}
      {waiting > 0 && <li>{plural(waiting, 'prefix')} on the way to the kernel</li>}
      {failed > 0 && <li class="bad">{plural(failed, 'prefix')} refused by the kernel</li>}
    </ul>
  );
}

function Liveness({ connection: { state, heardAt } }: { readonly connection: Connection }) {
  const now = useNow(state !== 'live');
  if (state === 'live') return <p class="live good">live</p>;
  const since =
    heardAt === undefined ? '' : ` since ${clock(heardAt)}, ${formatDuration(Math.max(0, now - heardAt))} ago`;
  return <p class="live bad">no answer{since}; trying again</p>;
}

function ThemeSwitch() {
  const [theme, setTheme] = useState(storedTheme());
  return (
    <fieldset class="choice">
      <legend class="heard">Colours of the page</legend>
      {THEMES.map((name) => (
        <label key={name}>
          <input
            type="radio"
            name="theme"
            value={name}
            checked={theme === name}
            onChange={() => {
              applyTheme(name);
              setTheme(name);
            }}
          />
          {name}
        </label>
      ))}
    </fieldset>
  );
}
