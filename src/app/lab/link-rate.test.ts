import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { containerlabFiles, DEFAULT_IMAGES } from './containerlab.js';
import { formatRate, parseRate, rateCommand, rateOf } from './link-rate.js';
import { planLab } from './plan.js';
import { parseTopology } from './read-topology.js';

const head = 'name: x\nspines: 1\nleaves: 1\n';

function planOf(extra: string) {
  const parsed = parseTopology(head + extra);
  if (!parsed.topology) throw new Error(parsed.problems.map(({ message }) => message).join());
  return planLab(parsed.topology);
}

describe('the rate of a link', () => {
  it('is read as tc writes it', () => {
    expect(['100kbit', '50mbit', '2gbit'].map(parseRate)).toEqual([100_000, 50_000_000, 2_000_000_000]);
    expect(['50', '50 mbit', '50Mbit', '0mbit', '50mbps', '-1mbit', '99kbit', ''].map(parseRate)).toEqual(
      new Array(8).fill(undefined),
    );
    expect([100_000, 50_000_000, 2_000_000_000, 1_500_000_000].map(formatRate)).toEqual([
      '100kbit',
      '50mbit',
      '2gbit',
      '1500mbit',
    ]);
  });

  it('lets bursts of 4 ms pass and queues 250 ms, and never less than a few packets', () => {
    const end = { node: 'leaf1', interface: 'to-spine1' };
    expect(rateCommand(end, 50e6)).toBe(
      'qdisc replace dev to-spine1 root handle 1: tbf rate 50000000bit burst 25000 limit 1562500',
    );
    expect(rateCommand(end, 1e6)).toMatch(/burst 10000 limit 256000$/);
  });

  it('is that of fabric links or of host links, and none by default', () => {
    const rates = (extra: string) => {
      const plan = planOf(extra);
      return plan.links.map((link) => [link.b.node, rateOf(plan, link)]);
    };
    expect(rates('')).toEqual([
      ['spine1', undefined],
      ['host1', undefined],
    ]);
    expect(rates('link-rate: 50mbit\nhost-rate: 1gbit\n')).toEqual([
      ['spine1', 50_000_000],
      ['host1', 1_000_000_000],
    ]);
  });

  it('is refused with a line that says what one looks like', () => {
    const parsed = parseTopology(`${head}link-rate: 50\n`);
    expect('problems' in parsed && parsed.problems.map(({ line, message }) => `${line}: ${message}`)).toEqual([
      '4: link-rate: expected a rate such as 50mbit (kbit, mbit, gbit), found 50',
    ]);
  });

  it('goes into a containerlab topology as the commands that set it', () => {
    const [file] = containerlabFiles(planOf('link-rate: 50mbit\nhost-rate: 100mbit\n'), DEFAULT_IMAGES);
    expect(file?.text.split('\n').filter((line) => line.includes('netem'))).toEqual([
      '# containerlab tools netem set -n clab-x-leaf1 -i to-spine1 --rate 50000',
      '# containerlab tools netem set -n clab-x-spine1 -i to-leaf1 --rate 50000',
      '# containerlab tools netem set -n clab-x-leaf1 -i to-host1 --rate 100000',
      '# containerlab tools netem set -n clab-x-host1 -i eth1 --rate 100000',
    ]);
    expect(parse(file?.text ?? '')).toHaveProperty('name', 'x');
  });
});
