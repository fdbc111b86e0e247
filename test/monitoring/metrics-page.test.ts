/** docs/metrics.md lists every number of `/metrics` with its type, labels and reasons, and nothing else. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { DROP_WORDS } from '../../src/app/daemon/measurements/down-words.js';
import { documentedMetrics, everyMetric } from './metric-names.js';

describe('docs/metrics.md', () => {
  it('lists what is exported', () => {
    const exported = [...everyMetric()].map(([name, { type, labels }]) => [name, { type, labels: [...labels].sort() }]);
    expect(Object.fromEntries(documentedMetrics())).toEqual(Object.fromEntries(exported));
  });

  it('lists why sessions end', () => {
    const page = readFileSync('docs/metrics.md', 'utf8');
    const words = /^\| `heddle_bgp_session_drops_total` \| (`administrative`.*) \|$/m.exec(page)?.[1];
    expect(words).toBe(DROP_WORDS.map((word) => `\`${word}\``).join(', '));
  });
});
