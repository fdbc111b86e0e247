/**
 * GET /metrics: the state of the router in the text format of Prometheus. Names end in their unit, counters in `_total`; docs/metrics.md
 * lists them, and monitoring/ has alert rules and a dashboard over them.
 */

import { balancingMetrics, planeMetrics, planePrefixMetrics } from './metrics/balancing-metrics.js';
import { processMetrics, runtimeMetrics } from './metrics/process-metrics.js';
import { forwardingMetrics, monitoringMetrics, routerMetrics } from './metrics/router-metrics.js';
import { linkMetrics, sessionMetrics } from './metrics/session-metrics.js';
import { type Metric, metricText } from './metrics/text-format.js';
import type { ControlHandlers } from './schema.js';

export const METRICS_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

export interface MetricsWanted {
  /** What is told prefix by prefix. */
  readonly prefixes: boolean;
  /** What every process tells of itself. */
  readonly process: boolean;
}

type Measured = Pick<ControlHandlers, 'summary' | 'measurements' | 'dlb' | 'planePrefixes'>;

export function* metricLines(handlers: Measured, wanted: MetricsWanted): Generator<string> {
  yield* metricText(metrics(handlers, wanted));
}

function* metrics(handlers: Measured, wanted: MetricsWanted): Generator<Metric> {
  const summary = handlers.summary();
  const measurements = handlers.measurements();
  const balancing = handlers.dlb();
  yield* routerMetrics(summary, measurements);
  yield* linkMetrics(measurements);
  yield* sessionMetrics(summary, measurements);
  yield* forwardingMetrics(summary, measurements);
  yield* balancingMetrics(balancing);
  if (balancing.plane) yield* planeMetrics(balancing.plane);
  if (balancing.plane && wanted.prefixes) yield* planePrefixMetrics([...handlers.planePrefixes()]);
  yield* monitoringMetrics(summary);
  yield* runtimeMetrics(measurements.process);
  if (wanted.process) yield* processMetrics(measurements.process);
}
