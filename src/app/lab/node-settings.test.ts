/** Keys of heddle's configuration file that a topology file gives its nodes. */
import { describe, expect, it } from 'vitest';
import { nodeConfig } from './node-config.js';
import { planLab } from './plan.js';
import { parseTopology } from './read-topology.js';

function configs(settings: string): string[] {
  const { topology } = parseTopology(`name: s\nspines: 1\nleaves: 2\nsettings: ${settings}\n`);
  const plan = planLab(topology!);
  return plan.routers.map((router) => nodeConfig(plan, router, '/nowhere').text);
}

describe('settings of nodes', () => {
  it('stand for what the lab gives them, the own ones before those of its kind', () => {
    const [spine, leaf1, leaf2] = configs('{ leaves: { timers: { hold: 30 } }, leaf2: { timers: { hold: 60 } } }');
    expect(spine).toContain('hold: 9');
    expect(leaf1).toContain('hold: 30');
    expect(leaf2).toContain('hold: 60');
  });

  it('are for nodes that there are', () => {
    const parsed = parseTopology('name: s\nspines: 1\nleaves: 2\nsettings: { leaf9: {} }\n');
    expect(parsed.topology === undefined && parsed.problems[0]?.message).toContain('there is no node leaf9');
  });
});
