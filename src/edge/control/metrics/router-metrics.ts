/** The router as a whole: who it is, its configuration, its routes, whom it tells of them. */
import type { Measurements } from '../measurements.js';
import type { Summary } from '../schema.js';
import { by, counter, gauge, one, samplesOf } from './metric.js';
import type { Metric } from './text-format.js';

export function routerMetrics(summary: Summary, { reload, restarting, selectionChanges }: Measurements): Metric[] {
  const { name, version, role, as, uptimeMs, routes, paths } = summary;
  return [
    gauge('build_info', 'The router and its version; always 1.', [{ labels: { name, version, role, as }, value: 1 }]),
    gauge('uptime_seconds', 'Since the start.', one(uptimeMs / 1000)),
    gauge(
      'config_last_reload_successful',
      '1 when the last reload was applied, the start being one.',
      one(Number(reload.lastSuccessful)),
    ),
    gauge(
      'config_last_reload_success_timestamp_seconds',
      'When the configuration that runs was read, since 1970.',
      one(reload.lastSuccessAt),
    ),
    gauge(
      'bgp_restarting',
      '1 while no route is selected because those of the neighbours are waited for.',
      one(Number(restarting)),
    ),
    gauge('rib_prefixes', 'Prefixes in the Loc-RIB.', one(routes)),
    gauge('rib_paths', 'Paths of those prefixes, eligible or not.', one(paths)),
    counter('rib_selection_changes_total', 'Times that a prefix got other best paths.', one(selectionChanges)),
  ];
}

export function monitoringMetrics({ monitoring }: Summary): Metric[] {
  const { bmp, mrt } = monitoring;
  const each = samplesOf(bmp, ({ collector, port }) => ({ collector, port }));
  const stations = [
    gauge(
      'bmp_station_up',
      '1 while the BMP station is connected.',
      each(({ connected }) => Number(connected)),
    ),
    counter(
      'bmp_station_overruns_total',
      'Times that it was cut off because it read too slowly.',
      each(({ overruns }) => overruns),
    ),
  ];
  const file = mrt && [
    counter('mrt_records_dropped_total', 'MRT records that the disk was too slow for, or full.', one(mrt.dropped)),
  ];
  return [...(bmp.length > 0 ? stations : []), ...(file ?? [])];
}

export function forwardingMetrics(summary: Summary, { fib, colours }: Measurements): Metric[] {
  const { installed, pending, failed, written } = summary.fib;
  const states = { installed, pending, failed };
  const objects = { 'next-hop': written.nextHops, group: written.groups, route: written.routes };
  const each = samplesOf(colours, ({ colour }) => ({ colour }));
  return [
    gauge(
      'dpf_prefixes',
      'Prefixes of a colour that are forwarded to.',
      each(({ prefixes }) => prefixes),
    ),
    gauge(
      'dpf_fallback_prefixes',
      'Of those, the ones that have no path of their colour now.',
      each(({ onFallback }) => onFallback),
    ),
    gauge('fib_prefixes', 'Prefixes by what the kernel made of them.', by('state', Object.entries(states))),
    counter(
      'fib_written_total',
      'Objects put into the kernel, those replaced included.',
      by('object', Object.entries(objects)),
    ),
    counter(
      'fib_outside_changes_total',
      'What other programs did to our objects in the kernel, each put right.',
      by('change', fib.outsideChanges),
    ),
    counter('fib_refused_total', 'Operations that the kernel refused.', one(fib.refusals)),
    counter('fib_resyncs_total', 'Times that the tables of the kernel were read again.', one(fib.resyncs)),
    gauge('fib_foreign_objects', 'Objects of other programs in the place of ours.', one(fib.foreign)),
  ];
}
