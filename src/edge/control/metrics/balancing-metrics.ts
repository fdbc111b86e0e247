/** Load balancing: links and groups, and the eBPF plane. */
import type { EbpfPlane, LoadBalancing, PlanePrefix } from '../schema.js';
import { by, counter, gauge, one, samplesOf } from './metric.js';
import type { Metric } from './text-format.js';

export function balancingMetrics({ links, groups }: LoadBalancing): Metric[] {
  const each = samplesOf(links, (link) => ({ interface: link.interface }));
  return [
    gauge(
      'dlb_link_quality',
      'Band of the link, 7 the best.',
      each(({ quality }) => quality),
    ),
    gauge(
      'dlb_link_load_ratio',
      'What left of late, of the capacity.',
      each(({ load }) => load / 100),
    ),
    gauge(
      'dlb_link_queue_ratio',
      'What waits, of the reference queue.',
      each(({ queue }) => queue / 100),
    ),
    gauge(
      'dlb_link_capacity_bytes',
      'Octets a second that the link takes; 0 when unknown.',
      each(({ capacity }) => capacity),
    ),
    counter(
      'dlb_group_moves_total',
      'Times that shares of the kernel group were moved.',
      by(
        'group',
        groups.map(({ id, moves }) => [id, moves]),
      ),
    ),
  ];
}

export function planeMetrics({ mode, failure, prefixes, ports, leftToKernel }: EbpfPlane): Metric[] {
  const each = samplesOf(ports, (port) => ({ interface: port.interface, gateway: port.gateway }));
  return [
    gauge(
      'ebpf_up',
      '1 while the eBPF plane forwards, 0 while the kernel does in its place.',
      by('mode', [[mode, Number(failure === null)]]),
    ),
    gauge('ebpf_prefixes', 'Prefixes that the plane forwards.', one(prefixes)),
    gauge(
      'ebpf_port_up',
      '1 when the port takes packets.',
      each(({ state }) => Number(state === 'up')),
    ),
    counter(
      'ebpf_port_packets_total',
      'Packets sent out.',
      each(({ packets }) => packets),
    ),
    counter(
      'ebpf_port_bytes_total',
      'Octets of those packets.',
      each(({ octets }) => octets),
    ),
    counter(
      'ebpf_port_moves_total',
      'Flowsets that moved to the port.',
      each(({ moves }) => moves),
    ),
    counter(
      'ebpf_port_reorder_risks_total',
      'Moves after which packets may have been reordered.',
      each(({ reorderRisks }) => reorderRisks),
    ),
    counter(
      'ebpf_left_to_kernel_packets_total',
      'Packets left to the kernel.',
      by(
        'reason',
        leftToKernel.map(({ reason, packets }) => [reason, packets]),
      ),
    ),
  ];
}

export function planePrefixMetrics(prefixes: readonly PlanePrefix[]): Metric[] {
  const each = samplesOf(prefixes, ({ prefix }) => ({ prefix }));
  return [
    counter(
      'ebpf_prefix_packets_total',
      'Packets forwarded.',
      each(({ packets }) => packets),
    ),
    counter(
      'ebpf_prefix_bytes_total',
      'Octets of those packets.',
      each(({ octets }) => octets),
    ),
    counter(
      'ebpf_prefix_fallback_packets_total',
      'Packets that took the fallback set.',
      each(({ fallbackPackets }) => fallbackPackets),
    ),
  ];
}
