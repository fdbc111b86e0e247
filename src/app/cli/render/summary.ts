/** `heddle show summary`. */

import { counted, countedPrefixes } from '../../../core/net/counted.js';
import type { Summary } from '../../../edge/control/schema.js';
import type { Paint } from './paint.js';
import { type Cell, pairs } from './table.js';
import { formatDuration } from './words.js';

export function renderSummary(summary: Summary, paint: Paint): string[] {
  const { name, role, neighbors, fib, startup } = summary;
  const head = `${paint.strong(name)}  ${role}  AS ${summary.as}  router id ${summary.routerId}`;
  const start = startup.linkUpToRoutesMs;
  const entries: [string, Cell][] = [
    ['neighbors', shaded(`${neighbors.up} of ${neighbors.total} up`, neighbors.up === neighbors.total, paint)],
    ['routes', `${countedPrefixes(summary.routes)}, ${counted(summary.paths, 'path')}`],
    [
      'fib',
      shaded(`${fib.installed} installed, ${fib.pending} pending, ${fib.failed} failed`, fib.failed === 0, paint),
    ],
    [
      'kernel',
      `${counted(fib.written.nextHops, 'next hop')}, ${counted(fib.written.groups, 'group')}, ${counted(fib.written.routes, 'route')} written`,
    ],
    ['dpf', `${summary.dpfMode} mode`],
    ['families', summary.families.join(', ')],
    ['process', `pid ${summary.pid}, version ${summary.version}, up ${formatDuration(summary.uptimeMs)}`],
    [
      'startup',
      start === null ? incomplete(startup.waitsFor) : `${seconds(start)} from link-up to all routes in the kernel`,
    ],
    ...monitoringEntries(summary.monitoring, paint),
  ];
  return [head, '', ...pairs(entries, paint)];
}

function monitoringEntries({ bmp, mrt }: Summary['monitoring'], paint: Paint): [string, Cell][] {
  const stations = bmp.map(({ collector, port, connected, messages, overruns }): [string, Cell] => {
    const slow = overruns === 0 ? '' : `, ${counted(overruns, 'time')} too slow`;
    const state = connected ? `${counted(messages, 'message')} sent` : 'not connected';
    return ['bmp', shaded(`${collector} port ${port}: ${state}${slow}`, connected, paint)];
  });
  if (!mrt) return stations;
  const lost = mrt.dropped === 0 ? '' : `, ${counted(mrt.dropped, 'record')} lost`;
  return [...stations, ['mrt', shaded(`${mrt.updates}${lost}`, mrt.dropped === 0, paint)]];
}

function shaded(text: string, healthy: boolean, paint: Paint): Cell {
  return { text, style: healthy ? paint.good : paint.bad };
}

function incomplete(waitsFor: readonly string[]): string {
  return waitsFor.length === 0 ? 'not complete' : `not complete: waits for ${waitsFor.join('; ')}`;
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(2)} s`;
}
