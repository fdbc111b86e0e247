import { describe, expect, it } from 'vitest';
import { parseExposition } from './metrics/exposition.fixture.js';
import { metricLines } from './metrics.js';
import { DLB, HANDLERS, MEASUREMENTS, MONITORING, NEIGHBOR, SUMMARY } from './samples.fixture.js';

const ALL = { prefixes: true, process: true };
const textOf = (wanted = ALL, handlers = HANDLERS) => [...metricLines(handlers, wanted)].join('');
const all = (handlers = HANDLERS) => {
  const metrics = parseExposition(textOf(ALL, handlers));
  return (name: string) => Object.fromEntries(metrics.get(name)!.samples);
};

describe('metricLines', () => {
  it('are well-formed, and say what show says', () => {
    const of = all();
    expect(of('heddle_build_info')).toEqual({ '{name="leaf1",version="0.1.0",role="leaf",as="65101"}': 1 });
    expect(of('heddle_uptime_seconds')).toEqual({ '': 65 });
    expect(of('heddle_fib_prefixes')).toEqual({
      '{state="installed"}': 4,
      '{state="pending"}': 0,
      '{state="failed"}': 1,
    });
    expect(of('heddle_dlb_link_load_ratio')).toEqual({ '{interface="to-spine1"}': 0.35 });
    const port = '{interface="to-spine1",gateway="fe80::1"}';
    expect(of('heddle_ebpf_port_packets_total')).toEqual({ [port]: 5 });
    expect(of('heddle_ebpf_port_bytes_total')).toEqual({ [port]: 640 });
    expect(of('heddle_ebpf_port_moves_total')).toEqual({ [port]: 2 });
    expect(of('heddle_ebpf_port_reorder_risks_total')).toEqual({ [port]: 1 });
    expect(of('heddle_ebpf_left_to_kernel_packets_total')).toEqual({ '{reason="protocol"}': 3 });
    expect(of('heddle_ebpf_prefix_fallback_packets_total')).toEqual({ '{prefix="fc00:2:1:1::/64"}': 2 });
  });

  it('say what is alerted on', () => {
    const of = all({ ...HANDLERS, summary: () => ({ ...SUMMARY, monitoring: MONITORING }) });
    const [up, down] = [`neighbor="${NEIGHBOR.name}",interface="to-spine1"`, 'neighbor="2001:db8::1",interface=""'];
    expect(of('heddle_bgp_peer_up')).toEqual({ [`{${up}}`]: 1, [`{${down}}`]: 0 });
    expect(of('heddle_bgp_peer_down_info')).toEqual({ [`{${down},reason="hold-timer-expired"}`]: 1 });
    expect(of('heddle_bgp_peer_prefixes_received')).toEqual({ [`{${up}}`]: 5, [`{${down}}`]: 0 });
    expect(of('heddle_bgp_peer_prefix_limit')).toEqual({ [`{${up},family="ipv6-unicast"}`]: 10 });
    expect(of('heddle_bgp_peer_prefix_limit_used')).toEqual({ [`{${up},family="ipv6-unicast"}`]: 5 });
    expect(of('heddle_bgp_peer_withdrawals_received_total')).toEqual({ [`{${up}}`]: 2, [`{${down}}`]: 0 });
    expect(of('heddle_bgp_peer_malformed_updates_total')).toEqual({ [`{${up}}`]: 1, [`{${down}}`]: 0 });
    expect(of('heddle_bfd_session_up')).toEqual({ [`{${up}}`]: 1 });
    expect(of('heddle_fabric_link_down_info')).toEqual({
      '{interface="to-spine2",colour="",reason="no-carrier"}': 1,
    });
    expect(of('heddle_fabric_link_up')).toEqual({
      '{interface="to-spine1",colour="1"}': 1,
      '{interface="to-spine2",colour=""}': 0,
    });
    expect(of('heddle_bgp_session_drops_total')).toEqual({
      '{reason="hold-timer-expired"}': 1,
      '{reason="link-down"}': 0,
    });
    expect(of('heddle_dpf_fallback_prefixes')).toEqual({ '{colour="1"}': 1 });
    expect(of('heddle_config_last_reload_successful')).toEqual({ '': 0 });
    expect(of('heddle_bmp_station_up')).toEqual({ '{collector="192.0.2.9",port="11019"}': 1 });
    expect(of('heddle_mrt_records_dropped_total')).toEqual({ '': 6 });
    expect(of('process_cpu_seconds_total')).toEqual({ '': 2 });
  });

  it('have buckets that count all that is not above them', () => {
    expect(all()('heddle_bgp_keepalive_lateness_seconds')).toEqual({
      '_bucket{le="0.01"}': 5,
      '_bucket{le="1"}': 7,
      '_bucket{le="+Inf"}': 8,
      _sum: 3.5,
      _count: 8,
    });
  });

  it('leave out what is not there, and what is not wanted', () => {
    expect(textOf({ ...ALL, prefixes: false })).not.toContain('ebpf_prefix_');
    expect(textOf({ ...ALL, process: false })).not.toMatch(/^process_/m);
    expect(textOf({ ...ALL, process: false })).toMatch(/^nodejs_eventloop_lag_max_seconds /m);
    expect(textOf(ALL, { ...HANDLERS, dlb: () => ({ ...DLB, plane: null }) })).not.toContain('ebpf');
    expect(textOf()).not.toMatch(/bmp_|mrt_/);
  });

  it('take names with quotes and line ends', () => {
    const odd = { ...MEASUREMENTS.neighbors[0]!, name: 'a"b\\c\nd' };
    const handlers = { ...HANDLERS, measurements: () => ({ ...MEASUREMENTS, neighbors: [odd] }) };
    expect(Object.keys(all(handlers)('heddle_bgp_peer_up'))).toEqual([
      '{neighbor="a\\"b\\\\c\\nd",interface="to-spine1"}',
    ]);
  });
});
