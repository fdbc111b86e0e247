/** The process, by the names that Prometheus' own libraries have given these numbers. */
import type { ProcessMeasurement } from '../measurements.js';
import { common, counter, gauge, one } from './metric.js';
import type { Metric } from './text-format.js';

/** Every process has these: node_exporter as well, which takes no second ones into its own. */
export function processMetrics(process: ProcessMeasurement): Metric[] {
  const { cpu, openDescriptors, maxDescriptors, virtualBytes } = process;
  const known = (value: number | null) => (value === null ? [] : one(value));
  return [
    counter('process_cpu_seconds_total', 'Time of the processor, user and system.', one(cpu.user + cpu.system)),
    gauge('process_start_time_seconds', 'When the process started, since 1970.', one(process.startedAt)),
    gauge('process_resident_memory_bytes', 'Memory that is resident.', one(process.residentBytes)),
    gauge('process_virtual_memory_bytes', 'Memory that is addressed.', known(virtualBytes)),
    gauge('process_open_fds', 'Descriptors that are open.', known(openDescriptors)),
    gauge('process_max_fds', 'Descriptors that may be.', known(maxDescriptors)),
  ].map(common);
}

export function runtimeMetrics({
  loopDelay,
  heapUsedBytes,
  heapTotalBytes,
  externalBytes,
}: ProcessMeasurement): Metric[] {
  const lag = (name: string, what: string, value: number) =>
    gauge(`nodejs_eventloop_lag_${name}seconds`, `Delay of the event loop since the last scrape, ${what}.`, one(value));
  return [
    lag('mean_', 'mean', loopDelay.mean),
    lag('p50_', 'median', loopDelay.p50),
    lag('p99_', '99th percentile', loopDelay.p99),
    lag('max_', 'largest', loopDelay.max),
    gauge('nodejs_heap_size_used_bytes', 'Heap in use.', one(heapUsedBytes)),
    gauge('nodejs_heap_size_total_bytes', 'Heap taken from the system.', one(heapTotalBytes)),
    gauge('nodejs_external_memory_bytes', 'Memory of buffers outside of the heap.', one(externalBytes)),
  ].map(common);
}
