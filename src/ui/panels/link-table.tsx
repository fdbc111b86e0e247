/** The links of one router with what they carry; in a lab with buttons for what can be done to them. */
import { colourText } from '../../app/cli/render/words.js';
import { colourClass } from '../../app/picture/style.js';
import type { LinkAction, PageLink } from '../../edge/control/page/shapes.js';
import type { LinkActions } from '../browser/link-actions.js';
import type { Model } from '../model.js';
import { rateWords, stateWords } from '../words.js';

const WORDS: Readonly<Record<LinkAction, string>> = { fail: 'Cut', silence: 'Silence', heal: 'Mend' };
const MOST_SHOWN = 64;

interface LinkTableProps {
  readonly model: Model;
  readonly router: string;
  readonly act: LinkActions;
}

export function LinkTable({ model, router, act }: LinkTableProps) {
  const mine = model.fabric!.links.filter(({ a, b }) => a.node === router || b.node === router);
  const sorted = mine.sort((one, two) => Number(isUp(model, one)) - Number(isUp(model, two)));
  return (
    <section class="card links" aria-labelledby="links-title">
      <h2 id="links-title">Links of {router}</h2>
      <ul class="rows">
        {sorted.slice(0, MOST_SHOWN).map((link) => (
          <LinkRow key={link.name} link={link} model={model} router={router} act={act} />
        ))}
      </ul>
      {sorted.length > MOST_SHOWN && <p class="quiet">and {sorted.length - MOST_SHOWN} more that are up</p>}
    </section>
  );
}

function isUp({ links }: Model, { name }: PageLink): boolean {
  return (links.get(name)?.state ?? 'up') === 'up';
}

function LinkRow({ link, model, router, act }: LinkTableProps & { readonly link: PageLink }) {
  const { name, a, b, colour, rate } = link;
  const seen = model.links.get(name);
  const [out, back] = a.node === router ? [seen?.forth, seen?.back] : [seen?.back, seen?.forth];
  const up = seen?.state === 'up';
  const wanted: readonly LinkAction[] = up ? ['fail', 'silence'] : ['heal'];
  return (
    <li>
      <span class={`chip ${colour === null ? '' : colourClass(colour)}`} aria-hidden="true" />
      <strong>{a.node === router ? b.node : a.node}</strong>
      {colour !== null && <span class="quiet">{colourText(colour)}</span>}
      <span class={up ? 'state' : 'state bad'}>{stateWords(seen?.state)}</span>
      {up && (
        <span class="quiet figures-of">
          {rateWords(out ?? 0)} out, {rateWords(back ?? 0)} in{rate === null ? '' : ` of ${rateWords(rate)}`}
        </span>
      )}
      <span class="actions">
        {wanted
          .filter((action) => model.fabric!.actions.includes(action))
          .map((action) => (
            <button
              key={action}
              type="button"
              disabled={act.busy.has(name)}
              aria-label={`${WORDS[action]} ${name}`}
              onClick={() => act.run(name, action)}
            >
              {WORDS[action]}
            </button>
          ))}
      </span>
    </li>
  );
}
