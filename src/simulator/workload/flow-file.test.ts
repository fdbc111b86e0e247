import { describe, expect, it } from 'vitest';
import { SeededRandom } from '../seeded-random.js';
import { clos } from '../topology/clos.js';
import { poissonFlows } from './arrivals.js';
import { parseFlows, writeFlows, writeNs3Flows } from './flow-file.js';
import type { Flow } from './flow-list.js';
import { FLOW_SIZES } from './flow-sizes.js';

const FABRIC = clos({
  leaves: 2,
  spines: 2,
  hostsPerLeaf: 8,
  parallelLinks: 1,
  hostRate: 100e9,
  uplinkRate: 400e9,
  delay: 1e6,
});

describe('flows in our own form', () => {
  it('are read with names, remarks and marks', () => {
    const text = `# a test\n\n53.125 host1 host16 1785  # small\n60 host2 host3 9000 dscp=0\n61 host2 host3 9000 pcp=3\n`;
    expect(parseFlows(text, FABRIC)).toEqual([
      { source: 0, destination: 15, octets: 1785, start: 53125 },
      { source: 1, destination: 2, octets: 9000, start: 60000, dscp: 0 },
      { source: 1, destination: 2, octets: 9000, start: 61000, pcp: 3 },
    ]);
  });

  it('are the same when they were written and read', () => {
    const random = new SeededRandom(5);
    const settings = { sizes: FLOW_SIZES[1]!, load: 0.3, duration: 1e9 };
    const flows: Flow[] = poissonFlows(FABRIC, settings, () => random.next());
    flows.push({ source: 0, destination: 1, octets: 1, start: 1, dscp: 10 });
    flows.push({ source: 0, destination: 1, octets: 1, start: 987654321987, pcp: 1 });
    expect(flows.length).toBeGreaterThan(100);
    expect(parseFlows(writeFlows(flows, FABRIC), FABRIC)).toEqual(flows);
  });

  it.each([
    ['', 'no flow in the flow file'],
    ['# nothing\n', 'no flow in the flow file'],
    ['1 host1 host2 5\n2 host1 host2\n', 'flow file line 2: 3 words, expected START'],
    ['1 host1 host2 5 dscp=26 more\n', 'flow file line 1: 6 words, expected START'],
    ['1 host1 host17 5\n', 'flow file line 1: host17 is no host of this fabric'],
    ['1 leaf1 host2 5\n', 'flow file line 1: leaf1 is no host'],
    ['\n1 host1 host1 5\n', 'flow file line 2: a host that sends to itself'],
    ['1 host1 host2 0\n', 'flow file line 1: 0 octets: 1 to 1099511627776'],
    ['1 host1 host2 -5\n', 'flow file line 1: octets -5: not a whole number'],
    ['1 host1 host2 1e3\n', 'flow file line 1: octets 1e3: not a whole number'],
    ['-1 host1 host2 5\n', 'flow file line 1: start -1: not a number'],
    ['1.0001 host1 host2 5\n', 'flow file line 1: start 1.0001: not a number with at most 3 decimals'],
    ['1 host1 host2 5 dscp=64\n', 'flow file line 1: dscp=64: expected dscp=0 to dscp=63'],
    ['1 host1 host2 5 fast\n', 'flow file line 1: fast: expected dscp=0'],
    ['1 host1 host2 5 dscp=48\n', 'flow file line 1: its mark leads into the class of congestion notifications'],
  ])('%j is refused: %s', (text, reason) => {
    expect(() => parseFlows(text, FABRIC)).toThrow(reason);
  });
});

describe('flows in the form of the ns-3 models', () => {
  it('are read', () => {
    const text = '2\n15 13 3 1785 2.000000053\n7 2 1 90960 2.000000298\n';
    expect(parseFlows(text, FABRIC)).toEqual([
      { source: 15, destination: 13, octets: 1785, start: 53000 },
      { source: 7, destination: 2, octets: 90960, start: 298000, pcp: 1 },
    ]);
  });

  it('are the same when they were written and read', () => {
    const flows = parseFlows('2\n15 13 3 1785 2.000000053\n7 2 1 90960 2.123456789\n', FABRIC);
    expect(parseFlows(writeNs3Flows(flows), FABRIC)).toEqual(flows);
  });

  it.each([
    ['0\n', 'no flow in the flow file'],
    ['2\n1 2 3 5 2.0\n', 'flow file line 1: 2 flows are announced and 1 follow'],
    ['1\n1 16 3 5 2.0\n', 'flow file line 2: host 16: this fabric has hosts 0 to 15'],
    ['1\n1 2 3 5\n', 'flow file line 2: 4 words, expected SOURCE'],
    ['1\n1 2 8 5 2.0\n', 'flow file line 2: priority 8: 0 to 7'],
    ['1\n1 2 3 5 1.9\n', 'flow file line 2: start 1.9: flows of this form begin at 2 seconds'],
    ['x\n', 'flow file line 1: number of flows x: not a whole number'],
  ])('%j is refused: %s', (text, reason) => {
    expect(() => parseFlows(text, FABRIC)).toThrow(reason);
  });
});
