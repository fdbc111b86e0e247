/** Prefixes and uplinks: which carries what, and what stands behind it. */

import { FABRIC_LEGEND, matrixMark } from '../../app/cli/render/fabric-marks.js';
import { colourText } from '../../app/cli/render/words.js';
import { colourClass } from '../../app/picture/style.js';
import type { MatrixPart } from '../../edge/control/page/shapes.js';
import type { FabricRow, FabricUplink } from '../../edge/control/schema.js';
import type { Loaded } from '../browser/hooks.js';
import { type Model, peerAt } from '../model.js';
import { type Placement, placementOf } from '../placement.js';
import { RouterChoice } from './router-choice.js';

interface MatrixProps {
  readonly model: Model;
  readonly router: string;
  readonly routers: readonly string[];
  readonly matrix: Loaded<MatrixPart>;
  readonly prefix: string | undefined;
  readonly find: string;
  /** Where each part that was looked at begins; the last is shown. */
  readonly pages: readonly number[];
  readonly onRouter: (name: string) => void;
  readonly onPrefix: (prefix: string) => void;
  readonly onFind: (text: string) => void;
  readonly onPages: (pages: readonly number[]) => void;
}

export function Matrix(props: MatrixProps) {
  const { model, router, routers, matrix, find, pages, onRouter, onFind, onPages } = props;
  const isAsked = routers.includes(router);
  const { value, problem } = matrix;
  return (
    <>
      <div class="head">
        <h2 id="matrix-title">Prefixes and uplinks</h2>
        <RouterChoice routers={routers} router={router} onRouter={onRouter} />
        <label class="field">
          find
          <input
            type="search"
            value={find}
            placeholder="fc00:2:"
            onInput={(event) => onFind(event.currentTarget.value)}
          />
        </label>
      </div>
      {!isAsked && <p class="quiet">{router} is not heddle: it is not asked for its prefixes here.</p>}
      {problem !== undefined && <p class="bad">{problem}</p>}
      {value && <Table {...props} value={value} />}
      {value && value.rows.length === 0 && (
        <p class="quiet">{find === '' ? 'No prefix was learned yet.' : `No prefix with ${find} here.`}</p>
      )}
      {value && (pages.length > 1 || value.next !== null) && (
        <div class="pages">
          <button type="button" disabled={pages.length < 2} onClick={() => onPages(pages.slice(0, -1))}>
            Before
          </button>
          <span class="quiet">from {pages.at(-1)! + 1}</span>
          <button
            type="button"
            disabled={value.next === null}
            onClick={() => value.next !== null && onPages([...pages, value.next])}
          >
            More
          </button>
        </div>
      )}
      <p class="quiet legend">{FABRIC_LEGEND}</p>
    </>
  );

  function Table({ value: { uplinks, rows }, prefix, onPrefix }: MatrixProps & { readonly value: MatrixPart }) {
    return (
      /* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is to be scrolled by keyboard. */
      <section class="scroll" tabIndex={0} aria-label={`Prefixes and uplinks of ${router}`}>
        <table>
          <thead>
            <tr>
              <th scope="col">Prefix</th>
              <th scope="col">goes by</th>
              {uplinks.map((uplink) => (
                <UplinkHead key={uplink.interface} uplink={uplink} peer={peerAt(model, router, uplink.interface)} />
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <PrefixRow
                key={row.prefix}
                row={row}
                uplinks={uplinks}
                peer={(port) => peerAt(model, router, port)}
                isChosen={row.prefix === prefix}
                onChoose={() => onPrefix(row.prefix)}
              />
            ))}
          </tbody>
        </table>
      </section>
    );
  }
}

function UplinkHead({
  uplink: { colour, up, reason },
  peer,
}: {
  readonly uplink: FabricUplink;
  readonly peer: string;
}) {
  return (
    <th scope="col" class={up ? 'uplink' : 'uplink down'} title={reason ?? ''}>
      <span class={`chip ${colour === null ? '' : colourClass(colour)}`} />
      {peer}
      <span class="under">{up ? colourText(colour) : 'down'}</span>
    </th>
  );
}

interface PrefixRowProps {
  readonly row: FabricRow;
  readonly uplinks: readonly FabricUplink[];
  readonly peer: (port: string) => string;
  readonly isChosen: boolean;
  readonly onChoose: () => void;
}

function PrefixRow({ row, uplinks, peer, isChosen, onChoose }: PrefixRowProps) {
  const { prefix, colour, cells } = row;
  const placement = placementOf(row, uplinks);
  return (
    <tr class={isChosen ? 'chosen' : ''}>
      <th scope="row">
        <button type="button" class="prefix" aria-pressed={isChosen} onClick={onChoose}>
          <span class={`chip ${colour === null ? '' : colourClass(colour)}`} />
          {prefix}
        </button>
      </th>
      <td class={`goes ${placement.kind}`}>{placementWords(placement, peer)}</td>
      {cells.map((cell, index) => (
        <td
          key={uplinks[index]?.interface}
          class={`cell ${cell.state} ${cell.colour === null ? '' : colourClass(cell.colour)}`}
        >
          <span aria-hidden="true">{matrixMark(cell)}</span>
          <span class="heard">{cell.state}</span>
        </td>
      ))}
    </tr>
  );
}

/** More are a number. */
const MOST_NAMED = 4;

function placementWords({ kind, carries, behind }: Placement, peer: (port: string) => string): string {
  const names = carries.length > MOST_NAMED ? `${carries.length} uplinks` : carries.map(peer).join(', ');
  if (kind === 'nowhere') return 'no path';
  if (kind === 'fallback') return `fallback: ${names}`;
  return behind.length === 0 ? `${names}, nothing behind it` : names;
}
