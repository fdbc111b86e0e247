/** For each alert what makes it fire, and something much like it that does not: series as `promtool test rules` has them, a value a minute. */

type Series = Readonly<Record<string, string>>;

export interface AlertCase {
  readonly alert: string;
  readonly fires: Series;
  /** Minutes from the start at which it does; not at the start, unless `at` is 0. */
  readonly at: number;
  /** Beside `alertname` and `severity`. */
  readonly labels: Readonly<Record<string, string>>;
  readonly quiet: readonly Series[];
}

const LEAF = 'job="heddle",instance="leaf1"';
const PEER = `${LEAF},neighbor="fe80::1%to-spine1",interface="to-spine1"`;
const LINK = `${LEAF},interface="to-spine1",colour="1"`;
const leaf = { job: 'heddle', instance: 'leaf1' };
const peer = { ...leaf, neighbor: 'fe80::1%to-spine1', interface: 'to-spine1' };
const link = { ...leaf, interface: 'to-spine1', colour: '1' };
const build = { [`heddle_build_info{${LEAF},name="leaf1"}`]: '1x100' };

export const ALERT_CASES: readonly AlertCase[] = [
  {
    ...{ alert: 'HeddleDown', at: 4, labels: leaf },
    fires: { [`up{${LEAF}}`]: '1 1 0x8', ...build },
    quiet: [
      { [`up{${LEAF}}`]: '1x10', ...build },
      { 'up{job="node",instance="leaf1"}': '0x10', ...build },
    ],
  },
  {
    ...{ alert: 'HeddleNumbersMissing', at: 12, labels: leaf },
    fires: { [`heddle_build_info{${LEAF}}`]: '1x3 stale', [`up{${LEAF}}`]: '1x20' },
    quiet: [
      { ...build, [`up{${LEAF}}`]: '1x20' },
      { [`heddle_build_info{${LEAF}}`]: '1x3 stale', [`up{${LEAF}}`]: '1x3 0x20' },
    ],
  },
  {
    ...{ alert: 'HeddleNumbersStale', at: 8, labels: { instance: 'leaf1', file: '/var/lib/heddle.prom' } },
    fires: { 'node_textfile_mtime_seconds{instance="leaf1",file="/var/lib/heddle.prom"}': '0x20', ...build },
    quiet: [
      { 'node_textfile_mtime_seconds{instance="leaf1",file="/var/lib/heddle.prom"}': '0+60x20', ...build },
      { 'node_textfile_mtime_seconds{instance="leaf1",file="/var/lib/apt.prom"}': '0x20', ...build },
    ],
  },
  {
    ...{ alert: 'HeddleAbsent', at: 12, labels: {} },
    fires: { 'up{job="node",instance="leaf1"}': '1x20' },
    quiet: [build],
  },
  {
    ...{ alert: 'HeddleRestartLoop', at: 8, labels: leaf },
    fires: { [`heddle_uptime_seconds{${LEAF}}`]: '9000 20 80 10 70 5 65 125 185' },
    quiet: [{ [`heddle_uptime_seconds{${LEAF}}`]: '9000 9060 20 80 140 200 260 20 80' }],
  },
  {
    ...{ alert: 'HeddleReloadFailed', at: 8, labels: leaf },
    fires: { [`heddle_config_last_reload_successful{${LEAF}}`]: '1 0x20' },
    quiet: [{ [`heddle_config_last_reload_successful{${LEAF}}`]: '1 0 0 1x20' }],
  },
  {
    ...{ alert: 'HeddleKeepaliveLate', at: 4, labels: leaf },
    fires: {
      [`heddle_bgp_keepalive_lateness_seconds_bucket{${LEAF},le="0.5"}`]: '10+20x2 70x9',
      [`heddle_bgp_keepalive_lateness_seconds_count{${LEAF}}`]: '10+20x2 71x9',
    },
    quiet: [
      {
        [`heddle_bgp_keepalive_lateness_seconds_bucket{${LEAF},le="0.5"}`]: '10+20x9',
        [`heddle_bgp_keepalive_lateness_seconds_count{${LEAF}}`]: '13+20x9',
      },
    ],
  },
  {
    ...{ alert: 'HeddleLoopLate', at: 7, labels: leaf },
    fires: { [`nodejs_eventloop_lag_max_seconds{${LEAF}}`]: '0 2x20', ...build },
    quiet: [
      { [`nodejs_eventloop_lag_max_seconds{${LEAF}}`]: '2 2 0.1 2 2 2 0.1 2 2', ...build },
      { 'nodejs_eventloop_lag_max_seconds{job="web",instance="shop"}': '2x20', ...build },
    ],
  },
  {
    ...{ alert: 'HeddleDescriptorsNear', at: 7, labels: leaf },
    fires: { [`process_open_fds{${LEAF}}`]: '10 900x20', [`process_max_fds{${LEAF}}`]: '1024x20', ...build },
    quiet: [
      { [`process_open_fds{${LEAF}}`]: '700x20', [`process_max_fds{${LEAF}}`]: '1024x20', ...build },
      {
        [`process_open_fds{${LEAF}}`]: '900x20',
        [`process_max_fds{${LEAF}}`]: '1024x20',
        [`node_textfile_mtime_seconds{${LEAF},file="heddle.prom"}`]: '0+60x20',
        ...build,
      },
      { 'process_open_fds{job="web"}': '900x20', 'process_max_fds{job="web"}': '1024x20', ...build },
    ],
  },
  {
    ...{ alert: 'HeddleUplinkLost', at: 3, labels: { ...link, reason: 'no-carrier' } },
    fires: { [`heddle_fabric_link_down_info{${LINK},reason="no-carrier"}`]: '_ 1x9' },
    quiet: [
      {
        [`heddle_fabric_link_down_info{${LINK},reason="connect-failed"}`]: '1x9',
        [`heddle_bgp_peer_up{${PEER}}`]: '0x9',
      },
      { [`heddle_fabric_link_up{${LINK}}`]: '1x9' },
    ],
  },
  {
    ...{ alert: 'HeddleHalfOfUplinksLost', at: 3, labels: leaf },
    fires: {
      [`heddle_fabric_link_up{${LEAF},interface="to-spine1"}`]: '1 0x9',
      [`heddle_fabric_link_up{${LEAF},interface="to-spine2"}`]: '1x9',
    },
    quiet: [
      {
        [`heddle_fabric_link_up{${LEAF},interface="to-spine1"}`]: '0x9',
        [`heddle_fabric_link_up{${LEAF},interface="to-spine2"}`]: '1x9',
        [`heddle_fabric_link_up{${LEAF},interface="to-spine3"}`]: '1x9',
      },
    ],
  },
  {
    ...{ alert: 'HeddleIsolated', at: 3, labels: leaf },
    fires: { [`heddle_bgp_peers{${LEAF}}`]: '4x9', [`heddle_bgp_peers_established{${LEAF}}`]: '4 0x9' },
    quiet: [
      { [`heddle_bgp_peers{${LEAF}}`]: '4x9', [`heddle_bgp_peers_established{${LEAF}}`]: '1x9' },
      { [`heddle_bgp_peers{${LEAF}}`]: '0x9', [`heddle_bgp_peers_established{${LEAF}}`]: '0x9' },
    ],
  },
  {
    ...{ alert: 'HeddleSessionDown', at: 3, labels: { ...peer, reason: 'hold-timer-expired' } },
    fires: { [`heddle_bgp_peer_down_info{${PEER},reason="hold-timer-expired"}`]: '_ 1x9' },
    quiet: [
      { [`heddle_bgp_peer_down_info{${PEER},reason="shutdown"}`]: '1x9' },
      { [`heddle_bgp_peer_down_info{${PEER},reason="hold-timer-expired"}`]: '_ 1 stale' },
    ],
  },
  {
    ...{ alert: 'HeddleSessionShutDown', at: 1500, labels: { ...peer, reason: 'shutdown' } },
    fires: { [`heddle_bgp_peer_down_info{${PEER},reason="shutdown"}`]: '1x1600' },
    quiet: [{ [`heddle_bgp_peer_down_info{${PEER},reason="shutdown"}`]: '1x100 stale' }],
  },
  {
    ...{ alert: 'HeddleSessionFlaps', at: 9, labels: peer },
    fires: { [`heddle_bgp_peer_established_total{${PEER}}`]: '1 1 2 2 3 3 4 4 4 4' },
    quiet: [{ [`heddle_bgp_peer_established_total{${PEER}}`]: '1 1 2 2 3 3 3 3 3 3' }],
  },
  {
    ...{ alert: 'HeddleNeighbourSilent', at: 3, labels: { ...leaf, reason: 'hold-timer-expired' } },
    fires: { [`heddle_bgp_session_drops_total{${LEAF},reason="hold-timer-expired"}`]: '0 0 1x9' },
    quiet: [
      { [`heddle_bgp_session_drops_total{${LEAF},reason="hold-timer-expired"}`]: '4x9' },
      { [`heddle_bgp_session_drops_total{${LEAF},reason="link-down"}`]: '0 0 1x9' },
    ],
  },
  {
    ...{ alert: 'HeddleBfdDown', at: 5, labels: peer },
    fires: { [`heddle_bfd_session_up{${PEER}}`]: '1 0x9', [`heddle_bgp_peer_up{${PEER}}`]: '1x9' },
    quiet: [{ [`heddle_bfd_session_up{${PEER}}`]: '0x9', [`heddle_bgp_peer_up{${PEER}}`]: '0x9' }],
  },
  {
    ...{ alert: 'HeddlePrefixLimitNear', at: 7, labels: { ...peer, family: 'ipv6-unicast' } },
    fires: {
      [`heddle_bgp_peer_prefix_limit{${PEER},family="ipv6-unicast"}`]: '100x9',
      [`heddle_bgp_peer_prefix_limit_used{${PEER},family="ipv6-unicast"}`]: '10 95x9',
    },
    quiet: [
      {
        [`heddle_bgp_peer_prefix_limit{${PEER},family="ipv6-unicast"}`]: '100x9',
        [`heddle_bgp_peer_prefix_limit_used{${PEER},family="ipv6-unicast"}`]: '90x9',
      },
    ],
  },
  {
    ...{ alert: 'HeddlePrefixLimitExceeded', at: 2, labels: { ...peer, reason: 'prefix-limit' } },
    fires: { [`heddle_bgp_peer_down_info{${PEER},reason="prefix-limit"}`]: '_ 1x9' },
    quiet: [{ [`heddle_bgp_peer_down_info{${PEER},reason="connect-failed"}`]: '1x9' }],
  },
  {
    ...{ alert: 'HeddleMalformedUpdates', at: 3, labels: peer },
    fires: { [`heddle_bgp_peer_malformed_updates_total{${PEER}}`]: '0 0 1x9' },
    quiet: [{ [`heddle_bgp_peer_malformed_updates_total{${PEER}}`]: '7x9' }],
  },
  {
    ...{ alert: 'HeddleStalePaths', at: 7, labels: peer },
    fires: { [`heddle_bgp_peer_stale_paths{${PEER}}`]: '0 9x9' },
    quiet: [{ [`heddle_bgp_peer_stale_paths{${PEER}}`]: '0 9x3 0x9' }],
  },
  {
    ...{ alert: 'HeddleStillRestarting', at: 7, labels: leaf },
    fires: { [`heddle_bgp_restarting{${LEAF}}`]: '0 1x9' },
    quiet: [{ [`heddle_bgp_restarting{${LEAF}}`]: '1 1 0x9' }],
  },
  {
    ...{ alert: 'HeddlePrefixOnFallback', at: 7, labels: { ...leaf, colour: '1' } },
    fires: { [`heddle_dpf_fallback_prefixes{${LEAF},colour="1"}`]: '0 8x9' },
    quiet: [{ [`heddle_dpf_fallback_prefixes{${LEAF},colour="1"}`]: '0 8x3 0x9' }],
  },
  {
    ...{ alert: 'HeddleFibFailed', at: 4, labels: { ...leaf, state: 'failed' } },
    fires: { [`heddle_fib_prefixes{${LEAF},state="failed"}`]: '0 1x9' },
    quiet: [
      { [`heddle_fib_prefixes{${LEAF},state="failed"}`]: '0 1 0x9' },
      { [`heddle_fib_prefixes{${LEAF},state="installed"}`]: '9x9' },
    ],
  },
  {
    ...{ alert: 'HeddleFibPending', at: 7, labels: { ...leaf, state: 'pending' } },
    fires: { [`heddle_fib_prefixes{${LEAF},state="pending"}`]: '0 1x9' },
    quiet: [{ [`heddle_fib_prefixes{${LEAF},state="pending"}`]: '0 500 300 0x9' }],
  },
  {
    ...{ alert: 'HeddleFibChangedByOthers', at: 3, labels: { ...leaf, change: 'route-deleted' } },
    fires: { [`heddle_fib_outside_changes_total{${LEAF},change="route-deleted"}`]: '0 0 2x9' },
    quiet: [{ [`heddle_fib_outside_changes_total{${LEAF},change="route-deleted"}`]: '2x9' }],
  },
  {
    ...{ alert: 'HeddleFibForeignObjects', at: 12, labels: leaf },
    fires: { [`heddle_fib_foreign_objects{${LEAF}}`]: '0 1x20' },
    quiet: [{ [`heddle_fib_foreign_objects{${LEAF}}`]: '0 1x5 0x20' }],
  },
  {
    ...{ alert: 'HeddleEbpfPlaneRefused', at: 3, labels: { ...leaf, mode: 'flowlet' } },
    fires: { [`heddle_ebpf_up{${LEAF},mode="flowlet"}`]: '1 0x9' },
    quiet: [{ [`heddle_ebpf_up{${LEAF},mode="flowlet"}`]: '1x9' }],
  },
  {
    ...{ alert: 'HeddleBmpStationLost', at: 7, labels: { ...leaf, collector: '192.0.2.9', port: '11019' } },
    fires: { [`heddle_bmp_station_up{${LEAF},collector="192.0.2.9",port="11019"}`]: '1 0x9' },
    quiet: [{ [`heddle_bmp_station_up{${LEAF},collector="192.0.2.9",port="11019"}`]: '0 0 1 0 0 0 1x9' }],
  },
  {
    ...{ alert: 'HeddleMrtRecordsLost', at: 3, labels: leaf },
    fires: { [`heddle_mrt_records_dropped_total{${LEAF}}`]: '0 0 40x9' },
    quiet: [{ [`heddle_mrt_records_dropped_total{${LEAF}}`]: '40x9' }],
  },
];
