import { describe, expect, it } from 'vitest';
import { parseConfig } from './parse-config.js';

const HEAD = 'name: leaf1\nrole: leaf\nas: 65101\nfabric: {up1: }\n';

function plane(text: string) {
  const parsed = parseConfig(`${HEAD}${text}`);
  return parsed.config ? parsed.config.plane : parsed.problems.map((one) => one.message);
}

const SAMPLED = { minimum: 20, maximum: 80, sampling: 16_000 };

describe('the plane in a configuration', () => {
  it('is the kernel unless another is asked for', () => {
    expect(plane('')).toBeUndefined();
    expect(plane('plane: kernel\nebpf: {mode: per-packet}')).toBeUndefined();
  });

  it('of eBPF balances flowlets of 128 us, and takes the quality from load balancing', () => {
    expect(plane('plane: ebpf')).toEqual({
      sizes: { prefixes: 16384, classes: 4096, flowsets: 2048 },
      choice: { ...SAMPLED, mode: 'flowlet', inactivity: 128_000 },
      attach: 'auto',
      loadWeight: 50,
    });
    const quality = 'load-balancing: {quantization: {min: 10, max: 60, rate-weightage: 70}}';
    expect(plane(`plane: ebpf\nebpf: {mode: per-packet, sampling: 0.000001}\n${quality}`)).toMatchObject({
      choice: { minimum: 10, maximum: 60, sampling: 1000, mode: 'per-packet' },
      loadWeight: 70,
    });
  });

  it('takes what Junos has knobs for', () => {
    const settings = 'inactivity: 0.016, flowsets: 256, reactive: {quality-delta: 2}, opcodes: [6, 7, 8], attach: tc';
    expect(plane(`plane: ebpf\nebpf: {${settings}}`)).toMatchObject({
      sizes: { flowsets: 256 },
      choice: { inactivity: 16_000_000, reactive: { qualityDelta: 2, probability: 3 } },
      opcodes: [6, 7, 8],
      attach: 'tc',
    });
  });

  it.each([
    ['plane: asic', 'plane: expected kernel or ebpf, found "asic"'],
    ['ebpf: {mode: random}', 'ebpf.mode: expected flowlet, per-packet or assigned-flow, found "random"'],
    ['ebpf: {inactivity: 1}', 'ebpf.inactivity: expected seconds, 0.000016 to 0.032, found 1'],
    ['ebpf: {flowsets: 128}', 'ebpf.flowsets: expected a whole number, 256 to 32768, found 128'],
    ['ebpf: {opcodes: [256]}', 'ebpf.opcodes[0]: expected a whole number, 0 to 255, found 256'],
    ['ebpf: {opcodes: []}', 'ebpf.opcodes: expected at least one operation code, found an empty list'],
    ['ebpf: {mode: per-packet, reactive: {}}', 'ebpf: reactive is for mode: flowlet'],
    [
      'ebpf: {reactive: {prob-threshold: 0}}',
      'ebpf.reactive.prob-threshold: expected a whole number, 1 to 255, found 0',
    ],
  ])('%s is refused', (text, message) => expect(plane(text)).toEqual([message]));
});
