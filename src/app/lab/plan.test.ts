import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { birdConfig } from './bird.js';
import { frrConfig } from './frr.js';
import { nodeConfig } from './node-config.js';
import { type LabPlan, MAX_INTERFACE_NAME, type PlannedRouter, planLab, prefixText } from './plan.js';
import { parseTopology } from './read-topology.js';

function plan(extra = '', head = 'spines: 4\nleaves: 2\n'): LabPlan {
  const parsed = parseTopology(`name: demo\n${head}${extra}`);
  if (parsed.topology === undefined) throw new Error(parsed.problems.map((problem) => problem.message).join('\n'));
  return planLab(parsed.topology);
}

function router(lab: LabPlan, name: string): PlannedRouter {
  return lab.routers.find((candidate) => candidate.name === name)!;
}

describe('a lab plan', () => {
  it('gives each leaf one uplink and one colour per spine, and its hosts one prefix of each', () => {
    const leaf = router(plan(), 'leaf2');
    expect(leaf.fabric.map((port) => `${port.interface} ${port.peerInterface} ${port.colour}`)).toEqual([
      'to-spine1 to-leaf2 1',
      'to-spine2 to-leaf2 2',
      'to-spine3 to-leaf2 3',
      'to-spine4 to-leaf2 4',
    ]);
    expect(leaf.hosts.map((port) => [port.interface, port.host, port.prefixes.map(prefixText)])).toEqual([
      ['to-host2', 'host2', ['fc00:2:1:1::/64', 'fc00:2:1:2::/64', 'fc00:2:1:3::/64', 'fc00:2:1:4::/64']],
    ]);
  });

  it('numbers uplinks spine by spine when there are several links per pair', () => {
    const lab = plan('links-per-pair: 2\nhosts-per-leaf: 2\n');
    expect(router(lab, 'leaf1').fabric.map((port) => `${port.interface} ${port.uplink}`)).toEqual([
      'to-spine1-1 1',
      'to-spine1-2 2',
      'to-spine2-1 3',
      'to-spine2-2 4',
      'to-spine3-1 5',
      'to-spine3-2 6',
      'to-spine4-1 7',
      'to-spine4-2 8',
    ]);
    expect(
      router(lab, 'spine2').fabric.map((port) => `${port.interface} ${port.peerInterface} ${port.uplink}`),
    ).toEqual([
      'to-leaf1-1 to-spine2-1 3',
      'to-leaf1-2 to-spine2-2 4',
      'to-leaf2-1 to-spine2-1 3',
      'to-leaf2-2 to-spine2-2 4',
    ]);
    expect(lab.hosts.map((host) => host.name)).toEqual(['host1-1', 'host1-2', 'host2-1', 'host2-2']);
    expect(lab.links).toHaveLength(2 * 8 + 4);
    const names = lab.links.flatMap((link) => [link.a.interface, link.b.interface]);
    expect(Math.max(...names.map((name) => name.length))).toBeLessThanOrEqual(MAX_INTERFACE_NAME);
  });

  it('adds IPv4 prefixes with a gateway and a host address where the pattern is given', () => {
    const [host] = plan('addressing: {ipv4: "10.{leaf}.{host}{uplink}.0/24"}\n').hosts;
    expect(
      host?.prefixes.slice(3, 6).map((planned) => [prefixText(planned), planned.gateway, planned.hostAddress]),
    ).toEqual([
      ['fc00:1:1:4::/64', 'fc00:1:1:4::1/64', undefined],
      ['10.1.11.0/24', '10.1.11.1/24', '10.1.11.2/24'],
      ['10.1.12.0/24', '10.1.12.1/24', '10.1.12.2/24'],
    ]);
  });
});

describe('the configuration of a node', () => {
  it('for heddle leaves names the colours of uplinks and prefixes, and sends none to FRR', () => {
    const lab = plan('implementations: {spine2: frr}\n');
    const config = parse(nodeConfig(lab, router(lab, 'leaf1'), '/run/x.sock').text);
    expect(config.fabric).toEqual({
      'to-spine1': { colour: 1, 'accept-remote-as': 65001 },
      'to-spine2': { colour: 2, 'accept-remote-as': 65002, 'send-colour': false },
      'to-spine3': { colour: 3, 'accept-remote-as': 65003 },
      'to-spine4': { colour: 4, 'accept-remote-as': 65004 },
    });
    expect(config.hosts['to-host1'].prefixes[2]).toEqual({ prefix: 'fc00:1:1:3::/64', colour: 3 });
  });

  it('for heddle spines has no colours of its own', () => {
    const lab = plan('implementations: {leaf2: frr}\n');
    const config = parse(nodeConfig(lab, router(lab, 'spine3'), '/run/x.sock').text);
    expect(config).toMatchObject({ role: 'spine', as: 65003, 'router-id': '10.0.0.3' });
    expect(config.fabric).toEqual({
      'to-leaf1': { 'accept-remote-as': 65101 },
      'to-leaf2': { 'accept-remote-as': 65102, 'send-colour': false },
    });
  });

  it('for an FRR spine takes AIGP from its neighbours and sets it for the prefixes of its colour only', () => {
    const lab = plan('implementations: {spines: frr}\n');
    const text = frrConfig(lab, router(lab, 'spine2'));
    expect(text).toContain(' neighbor to-leaf1 oad\n');
    expect(text).toContain('route-map IN-2 permit 10\n match ipv6 address prefix-list COLOUR-2\n set aigp-metric 1\n');
    expect(text).not.toContain('set extcommunity');
  });

  it('for an FRR leaf sends colours to all but FRR, AIGP on the uplink of the colour, and prefers by it', () => {
    const lab = plan('implementations: {leaf2: frr, spine1: frr}\n');
    const text = frrConfig(lab, router(lab, 'leaf2'));
    const clause = (name: string, colour: number) =>
      new RegExp(
        `route-map ${name} permit \\d+\\n(?: match as-path OWN\\n)? match ipv6 address prefix-list COLOUR-${colour}\\n((?: set .*\\n)*)`,
      ).exec(text)?.[1];
    expect(clause('OUT-1', 1)).toBe(' set aigp-metric 0\n');
    expect(clause('OUT-2', 1)).toBe(' set extcommunity color 00:1\n');
    expect(clause('OUT-2', 2)).toBe(' set extcommunity color 00:2\n set aigp-metric 0\n');
    expect(clause('IN-2', 2)).toBe(' set local-preference 200\n');
    expect(text).not.toContain(' oad');
  });

  it('for BIRD waits on every fabric interface and keeps colours from FRR', () => {
    const lab = plan('implementations: {spine1: bird, leaf2: frr}\n');
    const text = birdConfig(lab, router(lab, 'spine1'));
    expect(text).toContain('neighbor range fe80::/10 external; interface "to-leaf2"; dynamic name "link2_";');
    expect(text).toMatch(/link1_[^}]*ipv6 \{ import all; export all; aigp on;/s);
    expect(text).toMatch(/link2_[^}]*bgp_ext_community.delete/s);
  });
});
