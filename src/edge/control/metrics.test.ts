import { describe, expect, it } from 'vitest';
import { metricLines } from './metrics.js';
import { DLB, HANDLERS, NEIGHBOR } from './samples.fixture.js';

const textOf = (prefixes: boolean, handlers = HANDLERS) => [...metricLines(handlers, prefixes)].join('');

/** As the format is defined: HELP and TYPE before the samples of a name, which stand together. */
function parsed(text: string): Map<string, { type: string; samples: Map<string, number> }> {
  const metrics = new Map<string, { type: string; samples: Map<string, number> }>();
  expect(text.endsWith('\n')).toBe(true);
  let current = '';
  for (const line of text.trimEnd().split('\n')) {
    const type = /^# TYPE (heddle_[a-z0-9_]+) (gauge|counter)$/.exec(line);
    if (type) {
      current = type[1]!;
      expect(metrics.has(current)).toBe(false);
      metrics.set(current, { type: type[2]!, samples: new Map() });
      continue;
    }
    if (/^# HELP heddle_[a-z0-9_]+ \S/.test(line)) continue;
    const sample = /^(heddle_[a-z0-9_]+)(\{(?:[a-z]+="(?:[^"\\\n]|\\["\\n])*",?)+\})? (\d+(?:\.\d+)?)$/.exec(line);
    expect(sample, line).not.toBeNull();
    expect(sample![1]).toBe(current);
    expect(metrics.get(current)!.samples.has(sample![2] ?? '')).toBe(false);
    metrics.get(current)!.samples.set(sample![2] ?? '', Number(sample![3]));
  }
  return metrics;
}

describe('metricLines', () => {
  it('are well-formed, and say what show says', () => {
    const metrics = parsed(textOf(true));
    const of = (name: string) => Object.fromEntries(metrics.get(`heddle_${name}`)!.samples);
    expect(of('build_info')).toEqual({ '{name="leaf1",version="0.1.0",role="leaf",as="65101"}': 1 });
    expect(of('uptime_seconds')).toEqual({ '': 65 });
    expect(of('fib_prefixes')).toEqual({ '{state="installed"}': 4, '{state="pending"}': 0, '{state="failed"}': 1 });
    expect(of('bgp_peer_up')).toEqual({ [`{neighbor="${NEIGHBOR.name}",interface="to-spine1"}`]: 1 });
    expect(of('bgp_peer_prefixes_received')).toEqual({ [`{neighbor="${NEIGHBOR.name}",interface="to-spine1"}`]: 5 });
    expect(of('dlb_link_load_ratio')).toEqual({ '{interface="to-spine1"}': 0.35 });
    const port = '{interface="to-spine1",gateway="fe80::1"}';
    expect(of('ebpf_port_packets_total')).toEqual({ [port]: 5 });
    expect(of('ebpf_port_bytes_total')).toEqual({ [port]: 640 });
    expect(of('ebpf_port_moves_total')).toEqual({ [port]: 2 });
    expect(of('ebpf_port_reorder_risks_total')).toEqual({ [port]: 1 });
    expect(of('ebpf_left_to_kernel_packets_total')).toEqual({ '{reason="protocol"}': 3 });
    expect(of('ebpf_prefix_fallback_packets_total')).toEqual({ '{prefix="fc00:2:1:1::/64"}': 2 });
    for (const [name, { type }] of metrics) expect(type === 'counter', name).toBe(name.endsWith('_total'));
  });

  it('leave out what is not there, and prefixes when they are not wanted', () => {
    expect(textOf(false)).not.toContain('ebpf_prefix_');
    expect(textOf(true, { ...HANDLERS, dlb: () => ({ ...DLB, plane: null }) })).not.toContain('ebpf');
  });

  it('take names with quotes and line ends', () => {
    const odd = { ...NEIGHBOR, name: 'a"b\\c\nd' };
    expect([
      ...parsed(textOf(true, { ...HANDLERS, neighbors: () => [odd] }))
        .get('heddle_bgp_peer_up')!
        .samples.keys(),
    ]).toEqual(['{neighbor="a\\"b\\\\c\\nd",interface="to-spine1"}']);
  });
});
