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

describe('security in a topology', () => {
  it('is nowhere unless it is asked for', () => {
    for (const config of planned('')) expect(config).not.toMatch(/password|gtsm|ttl.security/);
  });

  it('is the same password and hop limit 255 everywhere', () => {
    const [frr, bird, heddle] = planned('password: warp-1\ngtsm: true\n');
    expect(frr).toContain(' neighbor to-leaf1 password warp-1\n neighbor to-leaf1 ttl-security hops 1\n');
    expect(bird).toContain('  password "warp-1";\n  ttl security on;\n');
    expect(heddle).toMatch(/to-spine1:[^:]*colour: 1\n {4}.*\n(?:.*\n)? {4}password: warp-1\n {4}gtsm: require\n/);
  });

  it('has no password that would mean something else in one of the languages', () => {
    const parsed = parseTopology(`${HEAD}password: 'a"; b'\n`);
    const problems = parsed.topology === undefined ? parsed.problems.map(({ message }) => message) : [];
    expect(problems).toEqual([expect.stringMatching(/password: expected 1 to 80 letters, digits/)]);
  });
});
