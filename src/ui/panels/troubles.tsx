/** What is wrong: links, sessions and daemons, with their reasons. */
import { linkAt, type Model, peerAt } from '../model.js';
import { clock, stateWords } from '../words.js';

interface Trouble {
  readonly what: string;
  readonly says: readonly { readonly who: string; readonly why: string; readonly next: string | null }[];
}

/** More are a number. */
const MOST_SHOWN = 12;

/** By link: its two ends have each their own view of it. Daemons that do not answer first. */
function troublesOf(model: Model): Trouble[] {
  const troubles = new Map<string, Trouble>();
  const say = (what: string, says: Trouble['says']) => {
    troubles.set(what, { what, says: [...(troubles.get(what)?.says ?? []), ...says] });
  };
  for (const { name, answers, since, problem } of model.routers.values())
    if (!answers) say(`${name} does not answer since ${clock(since)}`, [{ who: name, why: problem ?? '', next: null }]);
  for (const { name, state } of model.links.values()) if (state !== 'up') say(`${name} is ${stateWords(state)}`, []);
  for (const { name, down, answers } of model.routers.values()) {
    for (const { interface: port, why, next } of answers ? down : []) {
      const link = linkAt(model, name, port);
      const state = link && model.links.get(link.name)?.state;
      const what = link && state !== undefined && state !== 'up' ? `${link.name} is ${stateWords(state)}` : undefined;
      say(what ?? `${name} has no session with ${peerAt(model, name, port)}`, [{ who: name, why, next }]);
    }
  }
  return [...troubles.values()];
}

export function Troubles({ model }: { readonly model: Model }) {
  const troubles = troublesOf(model);
  const more = troubles.length - MOST_SHOWN;
  return (
    <section class="card troubles" aria-labelledby="troubles-title">
      <h2 id="troubles-title">What is wrong</h2>
      {troubles.length === 0 && <p class="well">Nothing. Every link and every session is up.</p>}
      <ul>
        {troubles.slice(0, MOST_SHOWN).map(({ what, says }) => (
          <li key={what}>
            <strong>{what}</strong>
            {says.map(({ who, why, next }) => (
              <p key={who}>
                <span class="who">{who}</span> {why}
                {next !== null && <span class="next">{next}</span>}
              </p>
            ))}
          </li>
        ))}
      </ul>
      {more > 0 && <p class="quiet">and {more} more</p>}
    </section>
  );
}
