import { readFileSync } from 'node:fs';
import { Ajv } from 'ajv';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { parseConfig } from '../config/parse-config.js';
import { containerlabFiles, DEFAULT_IMAGES } from './containerlab.js';
import { planLab } from './plan.js';
import { readTopology } from './read-topology.js';

const schema = JSON.parse(readFileSync('test/fixtures/clab.schema.json', 'utf8'));
const validate = new Ajv({ strict: false, allErrors: true }).compile(schema);

function exported(file: string) {
  return containerlabFiles(planLab(readTopology(`labs/${file}.yaml`)), DEFAULT_IMAGES);
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
      .flatMap(exported)
      .filter((file) => /configs\/.*\.yaml$/.test(file.path));
    expect(configs.length).toBeGreaterThan(10);
    for (const { text } of configs) expect(parseConfig(text)).toHaveProperty('config');
  });
});
