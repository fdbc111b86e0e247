/** Fabric interfaces, and the sessions over them. */
import type { LinkMeasurement, Measurements, NeighborMeasurement } from '../measurements.js';
import type { Summary } from '../schema.js';
import { by, counter, gauge, histogram, one, samplesOf } from './metric.js';
import type { Metric, Sample } from './text-format.js';

export function linkMetrics({ links }: Measurements): Metric[] {
  const each = samplesOf(links, ({ interface: name, colour }) => ({ interface: name, colour: colour ?? '' }));
  return [
    gauge(
      'fabric_link_up',
      '1 when a session is up over the fabric interface.',
      each(({ up }) => Number(up)),
    ),
    gauge(
      'fabric_link_carrier',
      '1 when it has carrier.',
      each(({ carrier }) => Number(carrier)),
    ),
    gauge(
      'fabric_link_down_info',
      'Why no session is up over it; always 1.',
      reasons(links, (link) => ({ interface: link.interface, colour: link.colour ?? '' })),
    ),
  ];
}

/** One for each that is down. */
function reasons<Item extends Pick<LinkMeasurement, 'reason'>>(
  items: readonly Item[],
  labelsOf: (item: Item) => Sample['labels'],
): readonly Sample[] {
  return items.flatMap((item) =>
    item.reason === null ? [] : [{ labels: { ...labelsOf(item), reason: item.reason }, value: 1 }],
  );
}

export function sessionMetrics(summary: Summary, { neighbors, drops, keepaliveLateness }: Measurements): Metric[] {
  return [
    gauge('bgp_peers', 'Neighbours that a session is to be up with.', one(summary.neighbors.total)),
    gauge('bgp_peers_established', 'Of those, the ones that it is up with.', one(summary.neighbors.up)),
    ...stateMetrics(neighbors),
    ...routeMetrics(neighbors),
    counter('bgp_peer_messages_total', 'BGP messages by direction and type.', messages(neighbors)),
    counter('bgp_session_drops_total', 'Sessions that were up and ended, by reason.', by('reason', drops)),
    histogram(
      'bgp_keepalive_lateness_seconds',
      'How much later than due KEEPALIVEs were handed to the kernel.',
      keepaliveLateness,
    ),
  ];
}

const labelsOf = ({ name, interface: link }: NeighborMeasurement) => ({ neighbor: name, interface: link });

function stateMetrics(neighbors: readonly NeighborMeasurement[]): Metric[] {
  const each = samplesOf(neighbors, labelsOf);
  return [
    gauge(
      'bgp_peer_up',
      '1 when the session is established.',
      each(({ up }) => Number(up)),
    ),
    gauge('bgp_peer_down_info', 'Why it is not; always 1.', reasons(neighbors, labelsOf)),
    gauge(
      'bgp_peer_uptime_seconds',
      'Since the session is established.',
      each(({ uptime }) => uptime),
    ),
    counter(
      'bgp_peer_established_total',
      'Times that the session came up.',
      each(({ establishedCount }) => establishedCount),
    ),
    gauge(
      'bgp_peer_settling',
      '1 while it is just back and its paths are the last choice.',
      each(({ settling }) => Number(settling)),
    ),
    gauge(
      'bfd_session_up',
      '1 when BFD beside the session is up.',
      each(({ bfd }) => bfd && Number(bfd.up)),
    ),
    counter(
      'bfd_session_failures_total',
      'Times that BFD found the path broken.',
      each(({ bfd }) => bfd?.failures ?? null),
    ),
  ];
}

function routeMetrics(neighbors: readonly NeighborMeasurement[]): Metric[] {
  const each = samplesOf(neighbors, labelsOf);
  const limited = neighbors.flatMap((neighbor) =>
    neighbor.limits.map((limit) => ({ ...labelsOf(neighbor), ...limit })),
  );
  const eachLimit = samplesOf(limited, ({ neighbor, interface: link, family }) => ({
    ...{ neighbor, interface: link, family },
  }));
  return [
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
    gauge(
      'bgp_peer_prefix_limit',
      'Prefixes that it may send (max-prefixes).',
      eachLimit(({ limit }) => limit),
    ),
    gauge(
      'bgp_peer_prefix_limit_used',
      'Prefixes that count towards that limit.',
      eachLimit(({ received }) => received),
    ),
    counter(
      'bgp_peer_announcements_received_total',
      'Routes that it announced in this session.',
      each(({ announced }) => announced),
    ),
    counter(
      'bgp_peer_withdrawals_received_total',
      'Routes that it withdrew in this session.',
      each(({ withdrawn }) => withdrawn),
    ),
    counter(
      'bgp_peer_malformed_updates_total',
      'UPDATEs with a fault in this session, whose routes count as withdrawn or which lose an attribute (RFC 7606).',
      each(({ malformed }) => malformed),
    ),
    gauge(
      'bgp_peer_stale_paths',
      'Paths of it that are kept while it restarts.',
      each(({ stale }) => stale),
    ),
  ];
}

function messages(neighbors: readonly NeighborMeasurement[]): readonly Sample[] {
  return neighbors.flatMap((neighbor) =>
    Object.entries(neighbor.messages).flatMap(([direction, byType]) =>
      Object.entries(byType).map(([type, value]) => ({ labels: { ...labelsOf(neighbor), direction, type }, value })),
    ),
  );
}
