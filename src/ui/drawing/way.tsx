/** The way of a prefix over the links that carry it: as wide as its share of each. */
import { curve } from '../../app/picture/curve.js';
import type { Point } from '../../app/picture/layout.js';
import { colourClass } from '../../app/picture/style.js';
import type { WayUse } from '../placement.js';

const FULL_WIDTH = 8;
const LEAST_WIDTH = 2.5;

interface WayProps {
  readonly way: readonly WayUse[];
  readonly ends: ReadonlyMap<string, readonly [Point, Point]>;
  readonly colour: number | null;
}

export function Way({ way, ends, colour }: WayProps) {
  return (
    <g class={`way ${colour === null ? 'plain' : colourClass(colour)}`} aria-hidden="true">
      {way.map(({ link, share }) => {
        const at = ends.get(link);
        const width = Math.max(LEAST_WIDTH, FULL_WIDTH * share);
        return (
          at && (
            <g key={link} data-way={link} data-share={share.toFixed(2)}>
              <path class="casing" d={curve(at)} style={{ strokeWidth: width + 4 }} />
              <path class="bed" d={curve(at)} style={{ strokeWidth: width }} />
              <path class="dashes" d={curve(at)} style={{ strokeWidth: Math.max(1.4, width - 4) }} />
            </g>
          )
        );
      })}
    </g>
  );
}
