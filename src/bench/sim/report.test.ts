import { describe, expect, it } from 'vitest';
import { OptionError } from '../../app/option-values.js';
import { parseOptions } from './options.js';
import { reportLines } from './report.js';
import type { SimMeasurement } from './run-protocol.js';
import { WORKLOADS } from './workloads.js';

const [storage] = WORKLOADS;
const round = (cpu: number, memory: number, finished = 19_355): SimMeasurement => {
  return { events: 9_500_000, dataPackets: 790_277, finished, flows: 19_355, wall: cpu, cpu: cpu + 0.5, memory };
};

describe('the report of bench:sim', () => {
  it('has medians beside the anchor, and says which targets are met', () => {
    const text = reportLines([{ workload: storage!, rounds: [round(4, 100), round(2.5, 120), round(3, 110)] }]).join(
      '\n',
    );
    expect(text).toContain('| storage-ecmp, heddle | 3 [2.50-4] | 3.50 [3-4.50] ');
    expect(text).toContain('| storage-ecmp, ns-3   | 31.9 ');
    expect(text).toContain("data packets a second, 10 x ns-3's: met (10.4 x)");
    expect(text).toContain('memory, at most 0.5 x: met (0.36 x)');
    expect(text).not.toContain('did not end');
  });

  it('says what is not met, and what did not end', () => {
    const text = reportLines([{ workload: storage!, rounds: [round(6, 200, 19_000)] }]).join('\n');
    expect(text).toContain('**not met** (5.18 x)');
    expect(text).toContain('memory, at most 0.5 x: **not met** (0.65 x)');
    expect(text).toContain('**storage-ecmp: flows did not end in 1 rounds**');
  });

  it('takes workloads by name, and refuses others', () => {
    expect(parseOptions(['--workloads', 'permutation-1024', '--rounds', '1'])).toMatchObject({
      rounds: 1,
      workloads: [{ name: 'permutation-1024' }],
    });
    expect(() => parseOptions(['--workloads', 'nothing'])).toThrow(OptionError);
  });
});
