import { readFileSync } from 'node:fs';
import { Ajv } from 'ajv';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { parseConfig } from '../config/parse-config.js';
import { containerlabFiles, DEFAULT_IMAGES } from './containerlab.js';
import { nodeConfig } from './node-config.js';
import { planLab } from './plan.js';
import { readTopology } from './read-topology.js';

const schema = JSON.parse(readFileSync('test/fixtures/clab.schema.json', 'utf8'));
const validate = new Ajv({ strict: false, allErrors: true }).compile(schema);

const planOf = (file: string) => planLab(readTopology(`labs/${file}.yaml`));

function exported(file: string, srLinux: readonly string[] = []) {
  return containerlabFiles(planOf(file), DEFAULT_IMAGES, srLinux);
}

describe('an exported containerlab topology', () => {
  it.each(['demo', 'mixed', 'bird-spines', 'frr-spines', 'frr-leaf', 'two-links', 'rlb', 'hashing'])(
    'of labs/%s.yaml is what the published schema asks for',
    (name) => {
      const [topology] = exported(name);
      expect(topology?.path).toBe(`${name}.clab.yml`);
      validate(parse(topology?.text ?? ''));
      expect(validate.errors).toBeNull();
    },
  );

  it('would be refused by that schema when a node had a key that containerlab does not know', () => {
    const topology = parse(exported('demo')[0]?.text ?? '');
    topology.topology.nodes.leaf1.confgi = 'x';
    expect(validate(topology)).toBe(false);
  });

  it('binds the configuration of every router and links every port once', () => {
    const files = exported('mixed');
    const topology = parse(files[0]?.text ?? '').topology;
    const binds: string[] = Object.values<{ binds?: string[] }>(topology.nodes).flatMap((node) => node.binds ?? []);
    for (const bind of binds) expect(files.map((file) => file.path)).toContain(bind.split(':')[0]);
    expect(binds).toContain('configs/leaf1.yaml:/etc/heddle/heddle.yaml:ro');
    const ends: string[] = topology.links.flatMap((link: { endpoints: string[] }) => link.endpoints);
    expect(ends).toContain('spine1:to-leaf1');
    expect(ends).toContain('host1:eth1');
    expect(new Set(ends).size).toBe(ends.length);
  });

  it('carries configurations that heddle itself accepts', () => {
    const configs = ['demo', 'mixed', 'two-links']
      .flatMap((name) => exported(name))
      .filter((file) => /configs\/.*\.yaml$/.test(file.path));
    expect(configs.length).toBeGreaterThan(10);
    for (const { text } of configs) expect(parseConfig(text)).toHaveProperty('config');
  });

  it.each(['demo', 'frr-spines', 'mixed', 'two-links'])('of labs/%s.yaml is the lab that runs here', (name) => {
    const [plan, [file, ...configs]] = [planOf(name), exported(name)];
    const { nodes, links } = parse(file!.text).topology;
    expect(Object.keys(nodes)).toEqual([...plan.routers, ...plan.hosts].map((node) => node.name));
    const hosts = new Set(plan.hosts.map((host) => host.name));
    const ends = ({ node, interface: port }: { node: string; interface: string }) =>
      `${node}:${hosts.has(node) ? 'eth1' : port}`;
    expect(links).toEqual(plan.links.map(({ a, b }) => ({ endpoints: [ends(a), ends(b)] })));
    const texts = new Map(configs.map(({ path, text }) => [path, text]));
    for (const router of plan.routers) {
      const here = nodeConfig(plan, router, `/run/heddle/${router.name}.sock`);
      expect(texts.get(`configs/${here.file}`)).toBe(here.text);
    }
  });
});

describe('an export with SR Linux spines', () => {
  const spines = ['spine2', 'spine4'];
  const [file, ...configs] = exported('demo', spines);
  const { topology } = parse(file!.text);
  const textOf = (path: string) => configs.find((one) => one.path === path)?.text ?? '';

  it('is what the published schema asks for, with the ports that containerlab knows', () => {
    validate({ name: 'demo', topology });
    expect(validate.errors).toBeNull();
    expect(topology.nodes.spine2).toEqual({
      kind: 'nokia_srlinux',
      image: 'srlinux:latest',
      'startup-config': 'configs/spine2.srl.cli',
    });
    const ends: string[] = topology.links.flatMap((link: { endpoints: string[] }) => link.endpoints);
    expect(ends.filter((end) => end.startsWith('spine2:'))).toEqual(['spine2:ethernet-1/1', 'spine2:ethernet-1/2']);
    expect(ends).toContain('spine1:to-leaf2');
    expect(new Set(ends).size).toBe(ends.length);
  });

  it('has unnumbered sessions, from a listed AS alone, on the ports that are linked', () => {
    const lines = textOf('configs/spine2.srl.cli').trimEnd().split('\n');
    const bgp = 'set / network-instance default protocols bgp';
    for (const [number, asn] of [
      [1, 65101],
      [2, 65102],
    ]) {
      expect(lines).toContain(
        `set / interface ethernet-1/${number} subinterface 0 ipv6 router-advertisement router-role admin-state enable`,
      );
      expect(lines).toContain(`set / network-instance default interface ethernet-1/${number}.0`);
      expect(lines).toContain(`${bgp} dynamic-neighbors interface ethernet-1/${number}.0 allowed-peer-as [ ${asn} ]`);
    }
    expect(lines).toContain(`${bgp} autonomous-system 65002`);
    expect(lines.every((line) => line.startsWith('set / '))).toBe(true);
    expect(lines.join()).not.toContain('ipv4');
  });

  it('carries IPv4 where the fabric has some', () => {
    const plan = planOf('two-links');
    const flat = { ...plan, topology: { ...plan.topology, dpfMode: 'policy' as const } };
    const text = containerlabFiles(flat, DEFAULT_IMAGES, ['spine1']).find(({ path }) =>
      path.endsWith('.srl.cli'),
    )?.text;
    expect(text).toContain('ipv4-unicast receive-ipv6-next-hops true');
    expect(text).toContain('receive-ipv4-check false');
  });

  it('tells the leaves which colour is preferred there, and nobody else', () => {
    const leaf = textOf('configs/leaf1.yaml');
    expect(parseConfig(leaf)).toHaveProperty('config');
    const config = parse(leaf);
    expect(config.fabric['to-spine2']).toMatchObject({ colour: 2, import: 'prefer-2' });
    expect(config.fabric['to-spine1']).not.toHaveProperty('import');
    expect(config.policies['prefer-4']).toEqual([{ match: { colour: 4 }, set: { aigp: 1 }, action: 'accept' }]);
    expect(parse(textOf('configs/spine1.yaml'))).not.toHaveProperty('policies');
  });

  it('is refused where it could not work', () => {
    expect(() => exported('demo', ['spine9'])).toThrow('there is no router spine9 in this topology');
    expect(() => exported('demo', ['leaf1'])).toThrow('leaf1 is a leaf');
    expect(() => exported('two-links', ['spine1'])).toThrow('dpf-mode: session');
    const plan = planOf('demo');
    const secured = { ...plan, topology: { ...plan.topology, password: 'warp', gtsm: true } };
    expect(() => containerlabFiles(secured, DEFAULT_IMAGES, ['spine1'])).toThrow('password, gtsm: not exported');
  });
});
