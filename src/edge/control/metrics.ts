/**
 * GET /metrics: the numbers of `show` in the text format of Prometheus (version 0.0.4). Names end in their unit, counters in `_total`;
 * docs/metrics.md lists them.
 */
import type { ControlHandlers, EbpfPlane, LoadBalancing, Neighbor, Summary } from './schema.js';

export const METRICS_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

type Labels = Readonly<Record<string, string | number>>;

interface Metric {
  readonly name: string;
  readonly help: string;
  readonly type: 'gauge' | 'counter';
  readonly samples: Iterable<readonly [Labels, number]>;
}

/** Without `prefixes` nothing is told prefix by prefix. */
export function* metricLines(handlers: ControlHandlers, prefixes: boolean): Generator<string> {
  const balancing = handlers.dlb();
  yield* lines(ofRouter(handlers.summary()));
  yield* lines(ofNeighbors([...handlers.neighbors()]));
  yield* lines(ofBalancing(balancing));
  if (balancing.plane) yield* lines(ofPlane(balancing.plane));
  if (balancing.plane && prefixes) yield* lines(ofPrefixes(handlers));
}

function* lines(metrics: readonly Metric[]): Generator<string> {
  for (const { name, help, type, samples } of metrics) {
    yield `# HELP heddle_${name} ${help}\n# TYPE heddle_${name} ${type}\n`;
    for (const [labels, value] of samples) yield `heddle_${name}${labelText(labels)} ${value}\n`;
  }
}

function labelText(labels: Labels): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escaped(String(value))}"`);
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
}

function escaped(text: string): string {
  return text.replace(/[\\"]/g, (character) => `\\${character}`).replaceAll('\n', '\\n');
}

const gauge = (name: string, help: string, samples: Metric['samples']): Metric => ({
  name,
  help,
  type: 'gauge',
  samples,
});
const counter = (name: string, help: string, samples: Metric['samples']): Metric => ({
  name,
  help,
  type: 'counter',
  samples,
});

type ValueOf<Item> = (item: Item) => number | null;

/** Samples of one value after another, of the items that have it. */
function samplesOf<Item>(
  items: readonly Item[],
  labelsOf: (item: Item) => Labels,
): (value: ValueOf<Item>) => [Labels, number][] {
  return (value) =>
    items.flatMap((item): [Labels, number][] => {
      const number = value(item);
      return number === null ? [] : [[labelsOf(item), number]];
    });
}

function ofRouter({ name, version, role, as, uptimeMs, neighbors, routes, paths, fib }: Summary): Metric[] {
  const { installed, pending, failed, written } = fib;
  return [
    gauge('build_info', 'The router and its version; always 1.', [[{ name, version, role, as }, 1]]),
    gauge('uptime_seconds', 'Since the start.', [[{}, uptimeMs / 1000]]),
    gauge('bgp_peers', 'Neighbours that a session is to be up with.', [[{}, neighbors.total]]),
    gauge('bgp_peers_established', 'Of those, the ones that it is up with.', [[{}, neighbors.up]]),
    gauge('rib_prefixes', 'Prefixes in the Loc-RIB.', [[{}, routes]]),
    gauge('rib_paths', 'Paths of those prefixes, eligible or not.', [[{}, paths]]),
    gauge('fib_prefixes', 'Prefixes by what the kernel made of them.', [
      [{ state: 'installed' }, installed],
      [{ state: 'pending' }, pending],
      [{ state: 'failed' }, failed],
    ]),
    counter('fib_written_total', 'Objects put into the kernel, those replaced included.', [
      [{ object: 'next-hop' }, written.nextHops],
      [{ object: 'group' }, written.groups],
      [{ object: 'route' }, written.routes],
    ]),
  ];
}

function ofNeighbors(neighbors: readonly Neighbor[]): Metric[] {
  const known = neighbors.filter(({ address }) => address !== null);
  const each = samplesOf(known, ({ name, interface: link }) => ({ neighbor: name, interface: link }));
  const messages = known.flatMap(({ name, interface: link, messages: { sent, received } }) =>
    Object.entries({ sent, received }).flatMap(([direction, byType]) =>
      Object.entries(byType).map(([type, value]): [Labels, number] => [
        { neighbor: name, interface: link, direction, type },
        value,
      ]),
    ),
  );
  return [
    gauge(
      'bgp_peer_up',
      '1 when the session is established.',
      each(({ state }) => Number(state === 'established')),
    ),
    gauge(
      'bgp_peer_uptime_seconds',
      'Since the session is established.',
      each(({ uptimeMs }) => (uptimeMs === null ? null : uptimeMs / 1000)),
    ),
    counter(
      'bgp_peer_established_total',
      'Times that the session came up.',
      each(({ establishedCount }) => establishedCount),
    ),
    gauge(
      'bgp_peer_prefixes_received',
      'Prefixes that it sent.',
      each(({ prefixes }) => prefixes.received),
    ),
    gauge(
      'bgp_peer_prefixes_accepted',
      'Of those, the ones that can be used.',
      each(({ prefixes }) => prefixes.accepted),
    ),
    gauge(
      'bgp_peer_prefixes_advertised',
      'Prefixes that it was sent.',
      each(({ prefixes }) => prefixes.advertised),
    ),
    counter('bgp_peer_messages_total', 'BGP messages by direction and type.', messages),
  ];
}

function ofBalancing({ links, groups }: LoadBalancing): Metric[] {
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
      groups.map(({ id, moves }) => [{ group: id }, moves]),
    ),
  ];
}

function ofPlane({ mode, failure, prefixes, ports, leftToKernel }: EbpfPlane): Metric[] {
  const each = samplesOf(ports, (port) => ({ interface: port.interface, gateway: port.gateway }));
  return [
    gauge('ebpf_up', '1 while the eBPF plane forwards, 0 while the kernel does in its place.', [
      [{ mode }, Number(failure === null)],
    ]),
    gauge('ebpf_prefixes', 'Prefixes that the plane forwards.', [[{}, prefixes]]),
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
      leftToKernel.map(({ reason, packets }) => [{ reason }, packets]),
    ),
  ];
}

function ofPrefixes(handlers: ControlHandlers): Metric[] {
  const each = samplesOf([...handlers.planePrefixes()], ({ prefix }) => ({ prefix }));
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
