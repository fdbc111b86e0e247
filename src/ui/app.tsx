/** The whole page: what is chosen in one part is shown by the others. */
import { useEffect, useMemo, useState } from 'preact/hooks';
import type { Followed } from './browser/connection.js';
import { useFollowed, useLoaded } from './browser/hooks.js';
import { useLinkActions } from './browser/link-actions.js';
import { matrixOf } from './browser/requests.js';
import { Drawing } from './drawing/drawing.js';
import { askedRouters, type Model } from './model.js';
import { Header } from './panels/header.js';
import { LinkTable } from './panels/link-table.js';
import { Matrix } from './panels/matrix.js';
import { Sessions } from './panels/sessions.js';
import { Timeline } from './panels/timeline.js';
import { Troubles } from './panels/troubles.js';
import { wayOf } from './placement.js';
import { happened } from './words.js';

/** Cells of the matrix that are shown at once: a table that is drawn in a moment, also with 512 uplinks. */
const MOST_CELLS = 6400;

export function App() {
  const followed = useFollowed();
  if (!followed?.model.fabric) {
    return (
      <main class="empty">
        <p role="status">
          {followed?.connection.state === 'lost' ? 'No answer yet; trying again …' : 'Looking at the fabric …'}
        </p>
      </main>
    );
  }
  return <Fabric {...followed} />;
}

function Fabric({ model, connection }: Followed) {
  const fabric = model.fabric!;
  const [chosenRouter, setRouter] = useState<string>();
  const [chosenPrefix, setPrefix] = useState<string>();
  const [find, setFind] = useState('');
  const [pages, setPages] = useState<readonly number[]>([0]);
  const act = useLinkActions();
  const asked = useMemo(() => askedRouters(model), [fabric]);
  const router =
    chosenRouter !== undefined && fabric.nodes.some(({ name }) => name === chosenRouter)
      ? chosenRouter
      : (asked[0] ?? '');
  const canAsk = asked.includes(router);
  const uplinks = fabric.links.filter(({ a, b }) => a.node === router || b.node === router).length;
  const count = Math.max(8, Math.min(100, Math.floor(MOST_CELLS / Math.max(1, uplinks))));
  const from = pages.at(-1)!;
  const scope = fabric.scope;
  const matrix = useLoaded(
    `${router} ${from} ${count} ${find}`,
    model.changes.get(router) ?? 0,
    canAsk ? (signal) => matrixOf({ scope, router }, { from, count, find }, signal) : undefined,
  );
  const row = matrix.value?.rows.find(({ prefix }) => prefix === chosenPrefix) ?? matrix.value?.rows[0];
  const way = useMemo(
    () => (row && matrix.value ? wayOf(fabric, { router, row, uplinks: matrix.value.uplinks }) : []),
    [fabric, router, row, matrix.value],
  );
  const choose = (name: string) => {
    setRouter(name);
    setPages([0]);
  };
  const search = (text: string) => {
    setFind(text);
    setPages([0]);
  };
  const live = connection.state === 'live';
  return (
    <>
      <Header model={model} connection={connection} />
      <main class={live ? '' : 'stale'}>
        <div class="column">
          <section class="card drawing" aria-labelledby="drawing-title">
            <Drawing model={model} router={router} way={way} row={row} onRouter={choose} act={act} />
          </section>
          <section class="card matrix" aria-labelledby="matrix-title">
            <Matrix
              {...{ model, router, matrix, find, pages }}
              routers={asked}
              prefix={row?.prefix}
              onRouter={choose}
              onPrefix={setPrefix}
              onFind={search}
              onPages={setPages}
            />
          </section>
          <LinkTable model={model} router={router} act={act} />
        </div>
        <div class="column">
          <Troubles model={model} />
          <Timeline events={model.events} />
          <Sessions model={model} router={router} canAsk={canAsk} />
        </div>
      </main>
      <Announcer model={model} problem={act.problem} />
    </>
  );
}

/** For those who hear the page: what happened to links and daemons, and what could not be done. */
function Announcer({ model, problem }: { readonly model: Model; readonly problem: string | undefined }) {
  const last = model.events.find(({ event }) => event.kind === 'link' || event.kind === 'router');
  const words = last && `${last.router === null ? '' : `${last.router} `}${happened(last.event)}`;
  const [shown, setShown] = useState<string>();
  useEffect(() => setShown(problem), [problem]);
  return (
    <>
      <p class="heard" role="status">
        {words}
      </p>
      <div role="alert">
        {shown !== undefined && (
          <div class="toast">
            <span>{shown}</span>
            <button type="button" onClick={() => setShown(undefined)}>
              Close
            </button>
          </div>
        )}
      </div>
    </>
  );
}
