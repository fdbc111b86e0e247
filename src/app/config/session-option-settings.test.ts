/** Keys about what a neighbour is told and what is taken from it: what they come to, and what is wrong with them. */
import { describe, expect, it } from 'vitest';
import type { FabricInterfaceConfig, NeighbourConfig } from '../../core/speaker/config.js';
import { parseConfig } from './parse-config.js';

const POLICIES = 'policies:\n  tag: [{ set: { med: 3 }, action: accept }]\n';
const CLOSED = 'import: tag\nexport: tag\n';

function onFabric(options: string) {
  return parseConfig(`name: leaf1\nrole: leaf\nas: 65101\n${POLICIES}${CLOSED}fabric:\n  up: { ${options} }\n`);
}

function byAddress(options: string, more = '') {
  const neighbours = `neighbors:\n  192.0.2.1: { ${options} }\n`;
  return parseConfig(`name: leaf1\nrole: leaf\nas: 65101\n${POLICIES}${CLOSED}${more}${neighbours}`);
}

function uplink(options: string): FabricInterfaceConfig {
  const { config, ...rest } = onFabric(options);
  if (!config) throw new Error(JSON.stringify(rest));
  return config.speaker.fabric[0]!;
}

function neighbour(options: string, more = ''): NeighbourConfig {
  const { config, ...rest } = byAddress(options, more);
  if (!config) throw new Error(JSON.stringify(rest));
  return config.speaker.neighbours![0]!;
}

function problems(parsed: ReturnType<typeof parseConfig>): string[] {
  return (parsed.config ? parsed.warnings : parsed.problems).map(({ message }) => message);
}

describe('options of a session', () => {
  it('are absent where nothing is said, or what holds anyway', () => {
    expect(uplink('colour: 1')).not.toHaveProperty('options');
    const off =
      'allow-as-in: 0, enforce-first-as: true, as-override: false, remove-private-as: false, next-hop-self: false, default-originate: false';
    expect(uplink(off)).not.toHaveProperty('options');
    expect(uplink(off)).not.toHaveProperty('defaultOriginate');
  });

  it.each([
    ['allow-as-in: 3', { allowAsIn: 3 }],
    ['enforce-first-as: false', { enforceFirstAs: false }],
    ['as-override: true', { asOverride: true }],
    ['remove-private-as: true', { removePrivateAs: 'private-paths' }],
    ['remove-private-as: replace', { removePrivateAs: 'replace' }],
    ['local-as: 65009', { localAs: { asn: 65009, prependReceived: true, replaceAs: false } }],
    [
      'local-as: { as: 65009, no-prepend: true, replace-as: true }',
      { localAs: { asn: 65009, prependReceived: false, replaceAs: true } },
    ],
    ['send-communities: none', { sendCommunities: [] }],
    ['send-communities: all', { sendCommunities: ['standard', 'extended', 'large'] }],
    ['accept-communities: [large, standard, large]', { acceptCommunities: ['large', 'standard'] }],
    ['next-hop-self: true', { nextHop: 'self' }],
    ['next-hop-self: force', { nextHop: 'self-always' }],
    ['next-hop-unchanged: true', { nextHop: 'unchanged' }],
  ])('%s', (written, options) => {
    expect(uplink(written).options).toEqual(options);
    expect(neighbour(`remote-as: 65200, ${written}`).options).toEqual(options);
  });

  it('are those of the group where the neighbor says nothing', () => {
    const group =
      'peer-groups:\n  inside: { remote-as: internal, route-reflector-client: true, next-hop-self: true }\n';
    expect(neighbour('peer-group: inside', group).options).toEqual({ reflectorClient: true, nextHop: 'self' });
    expect(neighbour('peer-group: inside, next-hop-self: false', group).options).toEqual({ reflectorClient: true });
  });

  it('have the default route, as it is or through policies', () => {
    expect(neighbour('remote-as: 65200, default-originate: true').defaultOriginate).toEqual({});
    expect(neighbour('remote-as: 65200, default-originate: { policy: tag }').defaultOriginate).toMatchObject({
      policy: [{ name: 'tag', terms: [{ set: { med: 3 } }] }],
    });
  });
});

describe('cluster-id', () => {
  it('is written as an identifier', () => {
    const text = `name: rr\nrole: spine\nas: 65101\nfabric: { up: {} }\n`;
    expect(parseConfig(text).config?.speaker.clusterId).toBeUndefined();
    expect(parseConfig(`${text}cluster-id: 10.0.0.9\n`).config?.speaker.clusterId).toBe(0x0a000009);
  });
});

describe('what is wrong with options', () => {
  it.each([
    ['allow-as-in: 11', /expected times, 0 to 10/],
    ['remove-private-as: some', /expected true, false, all or replace/],
    ['local-as: { no-prepend: true }', /local-as/],
    ['local-as: 0', /local-as/],
    ['send-communities: [short]', /expected all, none, or a list of standard, extended, large/],
    ['next-hop-self: always', /expected true, false or force/],
    ['default-originate: { policy: tig }', /no policy tig; did you mean tag\?/],
    ['local-as: 65101', /65101 is our own AS already/],
    ['next-hop-self: true, next-hop-unchanged: true', /goes with no next-hop-self/],
  ])('%s', (written, message) => {
    expect(problems(onFabric(written)).join('\n')).toMatch(message);
    expect(problems(byAddress(`remote-as: 65200, ${written}`)).join('\n')).toMatch(message);
  });

  it.each([
    ['remote-as: 65200, route-reflector-client: true', /routes are reflected inside an AS/],
    ['remote-as: external, route-reflector-client: true', /routes are reflected inside an AS/],
    ['remote-as: internal, as-override: true', /has no effect: this neighbour is in our own AS/],
    ['remote-as: 65101, remove-private-as: all', /has no effect: this neighbour is in our own AS/],
    ['remote-as: 65200, next-hop-self: false', /has no effect: this neighbour is in another AS; next-hop-unchanged/],
  ])('%s', (written, message) => {
    expect(problems(byAddress(written)).join('\n')).toMatch(message);
  });

  it('an AS of four octets inside which they are switched off (RFC 6793)', () => {
    const off = (as: number, remoteAs: string) =>
      problems(
        parseConfig(
          `name: a\nrole: leaf\nas: ${as}\nneighbors:\n  192.0.2.1: { remote-as: ${remoteAs}, capabilities: { four-octet-as: false }, import: p, export: p }\n` +
            'policies: { p: [{ action: accept }] }\n',
        ),
      );
    expect(off(4200000001, 'internal').join('\n')).toMatch(
      /four-octet-as cannot be off inside AS 4200000001: .*AS 23456/,
    );
    expect(off(65101, 'internal')).toEqual([]);
    expect(off(4200000001, '65200')).toEqual([]);
  });

  it('nothing, with an AS of ours that the neighbor shares', () => {
    expect(problems(byAddress('remote-as: 65009, local-as: 65009, route-reflector-client: true'))).toEqual([]);
    expect(problems(byAddress('remote-as: internal, next-hop-self: false'))).toEqual([]);
  });
});
