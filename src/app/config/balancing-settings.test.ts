import { describe, expect, it } from 'vitest';
import { parseConfig } from './parse-config.js';

const HEAD = 'name: leaf1\nrole: leaf\nas: 65101\nfabric: {up1: }\n';

function balancing(text: string) {
  const parsed = parseConfig(`${HEAD}${text}`);
  return parsed.config ? parsed.config.speaker.balancing : parsed.problems.map((one) => one.message);
}

describe('load balancing in a configuration', () => {
  it('follows link quality unless something else is asked for', () => {
    expect(balancing('')).toMatchObject({
      mode: 'flowlet',
      interval: 100,
      quality: { minimum: 20, maximum: 80, loadWeight: 50, smoothing: 0.3, queueReference: 0.02 },
      flowlet: { qualityDelta: 2 },
      adaptive: { tolerance: 20, scanInterval: 30_000 },
    });
  });

  it('takes what is given', () => {
    const text =
      'load-balancing: {mode: adaptive, scan-interval: 1.5, tolerance: 5, quantization: {rate-weightage: 100}}';
    expect(balancing(text)).toMatchObject({
      mode: 'adaptive',
      quality: { minimum: 20, loadWeight: 100 },
      adaptive: { tolerance: 5, scanInterval: 1500 },
    });
  });

  it.each([
    ['{mode: random}', 'load-balancing.mode: expected flowlet, adaptive, assigned-flow or off, found "random"'],
    ['{scan-interval: 151}', 'load-balancing.scan-interval: expected seconds, 1 to 150, found 151'],
    ['{quality-delta: 8}', 'load-balancing.quality-delta: expected a whole number, 1 to 7, found 8'],
    ['{quantization: {min: 80, max: 20}}', 'load-balancing.quantization: min must be less than max'],
    ['{tolerence: 5}', 'load-balancing.tolerence: unknown key; did you mean tolerance?'],
  ])('%s is refused', (text, message) => {
    expect(balancing(`load-balancing: ${text}`)).toEqual([message]);
  });
});
