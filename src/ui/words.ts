/** What the page writes, where the command line has no words for it. Pure. */

import { eventWords } from '../app/cli/render/event.js';
import { plainPaint } from '../app/cli/render/paint.js';
import type { PageEvent, PageLinkState } from '../edge/control/page/shapes.js';

/** `0`, `12 kbit/s`, `1.5 Gbit/s`. */
export function rateWords(rate: number): string {
  for (const [unit, name] of [
    [1e9, 'Gbit/s'],
    [1e6, 'Mbit/s'],
    [1e3, 'kbit/s'],
  ] as const)
    if (rate >= unit) return `${Number((rate / unit).toPrecision(2))} ${name}`;
  return '0';
}

const STATES: Readonly<Record<PageLinkState['state'], string>> = {
  up: 'up',
  cut: 'cut',
  silent: 'silent: up, and drops every packet',
  'no-carrier': 'without carrier',
};

export function stateWords(state: PageLinkState['state'] | undefined): string {
  return state === undefined ? 'not seen yet' : STATES[state];
}

export function happened(event: PageEvent): string {
  switch (event.kind) {
    case 'link':
      return `${event.link}: ${event.from} -> ${event.to}`;
    case 'router':
      return event.answers ? 'answers again' : `does not answer: ${event.why}`;
    default:
      return eventWords(event, plainPaint);
  }
}

/** `14:03:11` of an ISO 8601 moment, where the reader is. */
export function clock(moment: string | number): string {
  return new Date(moment).toLocaleTimeString('en-GB');
}

export function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : noun.endsWith('x') ? 'es' : 's'}`;
}
