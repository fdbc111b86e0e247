/** The settings of a fabric interface that most files leave out. */
import { describe, expect, it } from 'vitest';
import type { FabricInterfaceConfig } from '../../core/speaker/config.js';
import { parseConfig } from './parse-config.js';

const withOptions = (options: string) =>
  parseConfig(`name: leaf1\nrole: leaf\nas: 65101\nfabric:\n  up: { colour: 1, ${options} }\n`);

function uplink(options: string): FabricInterfaceConfig {
  const { config, ...rest } = withOptions(options);
  if (!config) throw new Error(JSON.stringify(rest));
  return config.speaker.fabric[0]!;
}

function problems(options: string): string[] {
  const parsed = withOptions(options);
  return parsed.config ? [] : parsed.problems.map(({ message }) => message);
}

describe('capabilities', () => {
  it('are switched off one by one', () => {
    expect(uplink('capabilities: { fqdn: false, extended-message: true }').capabilitiesOff).toEqual(['fqdn']);
  });

  it('are those that there are', () => {
    expect(problems('capabilities: { fqdm: false }').join()).toMatch(/fqdm.*fqdn/);
    expect(problems('capabilities: { fqdn: 3 }').join()).toMatch(/capabilities\.fqdn: expected true or false/);
  });
});

describe('extended-next-hop', () => {
  const warnings = (rest: string) => {
    const text = `name: leaf1\nrole: leaf\nas: 65101\n${rest}fabric:\n  up: { capabilities: { extended-next-hop: false } }\n`;
    const parsed = parseConfig(text);
    return parsed.config ? parsed.warnings.map(({ message }) => message) : ['refused'];
  };

  it('off leaves IPv4 without a next hop, which is told', () => {
    expect(warnings('')).toEqual([expect.stringMatching(/extended-next-hop: no IPv4 route flows on this interface/)]);
    expect(warnings('families: [ipv6]\n')).toEqual([]);
  });
});

describe('add-path', () => {
  it('is off, and for each family and direction what is said', () => {
    expect(uplink('aigp: true')).not.toHaveProperty('addPath');
    expect(uplink('add-path: { receive: true }').addPath).toEqual({
      'ipv6-unicast': { receive: true },
      'ipv4-unicast': { receive: true },
    });
    expect(
      uplink('add-path: { send: all, ipv4: { send: off, receive: true }, ipv6: { send: { best: 2 } } }').addPath,
    ).toEqual({
      'ipv6-unicast': { receive: false, send: { best: 2 } },
      'ipv4-unicast': { receive: true },
    });
    expect(uplink('add-path: { ipv6: { send: multipath } }').addPath).toEqual({
      'ipv6-unicast': { receive: false, send: 'multipath' },
      'ipv4-unicast': { receive: false },
    });
  });

  it('says what is wrong with it', () => {
    expect(problems('add-path: { send: most }').join()).toMatch(/add-path\.send: expected off, all, multipath, or/);
    expect(problems('add-path: { send: { best: 0 } }').join()).toMatch(/expected/);
    expect(problems('add-path: { recieve: true }').join()).toMatch(/recieve.*receive/);
  });
});

describe('security', () => {
  it('is a password and how hop limits are judged', () => {
    expect(uplink('password: let me in, gtsm: require')).toMatchObject({ password: 'let me in', gtsm: 'require' });
    expect(uplink('gtsm: off')).toMatchObject({ gtsm: 'off' });
    expect(uplink('aigp: true')).not.toHaveProperty('password');
  });

  it('has no password that the kernel would not take', () => {
    expect(problems('password: ""').join()).toMatch(/a password is not empty/);
    expect(problems(`password: ${'x'.repeat(81)}`).join()).toMatch(/at most 80 octets/);
    expect(problems('gtsm: on').join()).toMatch(/expected auto, require or off/);
  });
});

describe('prefix limits', () => {
  it('need a number only', () => {
    expect(uplink('max-prefixes: { ipv6: { limit: 1000 } }').prefixLimits).toEqual({
      'ipv6-unicast': { limit: 1000, warn: 80, action: 'restart', restartAfter: 60 },
    });
  });

  it('say what is wrong with them', () => {
    expect(problems('max-prefixes: { ipv4: { limit: 0 } }').join()).toMatch(/expected a number of prefixes/);
    expect(problems('max-prefixes: { ipv4: { limit: 9, action: shutdown, restart-after: 5 } }').join()).toMatch(
      /restart-after goes with action restart, not with shutdown/,
    );
  });
});
