import { describe, expect, it } from 'vitest';
import { birdConfig } from './bird.js';
import { frrConfig } from './frr.js';
import { nodeConfig } from './node-config.js';
import { planLab } from './plan.js';
import { parseTopology } from './read-topology.js';

const HEAD = 'name: demo\nspines: 2\nleaves: 1\nimplementations: {spine1: frr, spine2: bird}\n';

function planned(text: string) {
  const { topology } = parseTopology(`${HEAD}${text}`);
  const plan = planLab(topology!);
  const [frr, bird, heddle] = plan.routers;
  return [frrConfig(plan, frr!), birdConfig(plan, bird!), nodeConfig(plan, heddle!, '/run/x.sock').text];
}

describe('BFD in a topology', () => {
  it('is configured nowhere unless it is asked for', () => {
    for (const config of planned('')) expect(config).not.toMatch(/bfd/i);
  });

  it('has the same times everywhere', () => {
    const [frr, bird, heddle] = planned('bfd: {interval: 100}\n');
    expect(frr).toMatch(/detect-multiplier 3\n {2}transmit-interval 100\n {2}receive-interval 100/);
    expect(frr).toContain(' neighbor to-leaf1 bfd profile fabric');
    expect(bird).toContain('protocol bfd fabric_bfd { interface "to-leaf1" { interval 100 ms; multiplier 3; }; }');
    expect(bird).toContain(' bfd on;');
    expect(heddle).toContain('bfd:\n  interval: 100\n  multiplier: 3\n');
  });

  it('has its limits', () => {
    const parsed = parseTopology(`${HEAD}bfd: {interval: 1}\n`);
    const problems = parsed.topology === undefined ? parsed.problems.map(({ message }) => message) : [];
    expect(problems).toEqual([expect.stringMatching(/bfd\.interval: expected milliseconds, 10 to 60000, found 1/)]);
  });
});
