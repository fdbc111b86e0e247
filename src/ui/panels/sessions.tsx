/** The sessions of one router, and why those that are down are. */
import type { Neighbor } from '../../edge/control/schema.js';
import { useLoaded } from '../browser/hooks.js';
import { neighborsOf } from '../browser/requests.js';
import { type Model, peerAt } from '../model.js';
import { clock } from '../words.js';

/** A spine may have hundreds: those that are down come first. */
const MOST_SHOWN = 64;

interface SessionsProps {
  readonly model: Model;
  readonly router: string;
  readonly canAsk: boolean;
}

export function Sessions({ model, router, canAsk }: SessionsProps) {
  const scope = model.fabric!.scope;
  const load = canAsk ? (signal: AbortSignal) => neighborsOf({ scope, router }, signal) : undefined;
  const { value, problem } = useLoaded(router, model.changes.get(router) ?? 0, load);
  const sorted = [...(value?.all ?? [])].sort((one, two) => Number(isUp(one)) - Number(isUp(two)));
  return (
    <section class="card sessions" aria-labelledby="sessions-title">
      <h2 id="sessions-title">Sessions of {router}</h2>
      {problem !== undefined && <p class="bad">{problem}</p>}
      {!canAsk && <OtherSessions model={model} router={router} />}
      <ul class="rows">
        {sorted.slice(0, MOST_SHOWN).map((neighbor) => (
          <Session
            key={neighbor.name}
            neighbor={neighbor}
            at={value!.at}
            peer={peerAt(model, router, neighbor.interface)}
          />
        ))}
      </ul>
      {sorted.length > MOST_SHOWN && <p class="quiet">and {sorted.length - MOST_SHOWN} more that are up</p>}
    </section>
  );
}

function isUp({ state }: Neighbor): boolean {
  return state === 'established';
}

interface SessionProps {
  readonly neighbor: Neighbor;
  readonly peer: string;
  /** When this was so; milliseconds since 1970. */
  readonly at: number;
}

function Session({ neighbor, peer, at }: SessionProps) {
  const { interface: port, state, why, reason, next, uptimeMs, prefixes, as, bfd } = neighbor;
  const up = isUp(neighbor);
  return (
    <li>
      <span class={`dot ${up ? 'good' : 'bad'}`} aria-hidden="true" />
      <strong>{port === '' ? neighbor.name : peer}</strong>{' '}
      <span class="quiet">{as === null ? port : `AS ${as} · ${port}`}</span>
      <span class={up ? 'state' : 'state bad'}>
        {state}
        {uptimeMs !== null && ` since ${clock(at - uptimeMs)}`}
      </span>
      {up && (
        <span class="quiet figures-of">
          {prefixes.accepted} in, {prefixes.advertised} out{bfd?.state ? `, BFD ${bfd.state}` : ''}
        </span>
      )}
      {!up && <p class="reason">{why ?? reason}</p>}
      {next !== null && <p class="next">{next}</p>}
    </li>
  );
}

/** Of a router that is not heddle: what the lab hears of it. */
function OtherSessions({ model, router }: { readonly model: Model; readonly router: string }) {
  const state = model.routers.get(router);
  if (!state) return <p class="quiet">It runs no daemon.</p>;
  return (
    <>
      <p>
        {state.sessions.up} of {state.sessions.total} up
      </p>
      <ul class="rows">
        {state.down.map(({ session, why }) => (
          <li key={session}>
            <span class="dot bad" aria-hidden="true" />
            <strong>{peerAt(model, router, session)}</strong>
            <p class="reason">{why}</p>
          </li>
        ))}
      </ul>
    </>
  );
}
