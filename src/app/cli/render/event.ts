/** `heddle watch`: an event as a line. */
import type { ControlEvent } from '../../../edge/control/events.js';
import type { Paint } from './paint.js';
import { listOrDash } from './words.js';

const KIND_WIDTH = 'link-quality'.length;
/** Of `2026-11-30T23:59:59.999Z`. */
const TIME = [11, 23] as const;

export function renderEvent(event: ControlEvent, paint: Paint): string {
  const kind = event.kind.padEnd(KIND_WIDTH);
  return `${paint.dim(event.at.slice(...TIME))}  ${paint.strong(kind)}  ${eventWords(event, paint)}`;
}

/** Without when and of what kind. */
export function eventWords(event: ControlEvent, paint: Paint): string {
  switch (event.kind) {
    case 'session':
      return session(event, paint);
    case 'best-path':
      return bestPath(event, paint);
    case 'fib': {
      const { installed, pending, failed } = event;
      const failures = failed > 0 ? paint.bad(`${failed} failed`) : '0 failed';
      return `${installed} prefixes in the kernel, ${pending} on their way, ${failures}`;
    }
    case 'link-quality': {
      const { from, to, load, queue } = event;
      const style = to >= from ? paint.good : paint.warn;
      return `${event.interface}  ${style(`${from} -> ${to}`)}  load ${Math.round(load)}%, queue ${Math.round(queue)}%`;
    }
    case 'move':
      return move(event, paint);
    case 'lost':
      return paint.warn(`${event.events} events of kind ${event.of} are not shown: they came too fast`);
  }
}

type Of<Kind extends ControlEvent['kind']> = Extract<ControlEvent, { kind: Kind }>;

function session({ neighbor, from, to, reason }: Of<'session'>, paint: Paint): string {
  const style = to === 'established' ? paint.good : from === 'established' ? paint.bad : paint.dim;
  return `${neighbor}  ${style(`${from} -> ${to}`)}${reason === null ? '' : `  ${reason}`}`;
}

function bestPath({ prefix, colour, local, preferred, fallback, decidedBy }: Of<'best-path'>, paint: Paint): string {
  const name = paint.fabric(colour)(prefix);
  if (local) return `${name}  our own`;
  if (preferred.length === 0) return `${name}  ${paint.bad('no path')}`;
  const behind = fallback.length > 0 ? `, behind it ${fallback.join(' ')}` : '';
  return `${name}  ${preferred.join(' ')}${behind}${decidedBy === null ? '' : paint.dim(`  (${decidedBy})`)}`;
}

function move({ flowset, from, to, pauseMs, reorderRisk }: Of<'move'>, paint: Paint): string {
  const [left, taken] = [from, to].map((port) => listOrDash(port ? [port.interface] : []));
  const risk = reorderRisk ? paint.warn('  may reorder') : '';
  return `flowset ${flowset}  ${left} -> ${taken}  after ${pauseMs.toFixed(3)} ms${risk}`;
}
