import { describe, expect, it } from 'vitest';
import type { FabricInterfaceConfig } from '../../core/speaker/config.js';
import { parseConfig } from './parse-config.js';

const parsed = (options: string) =>
  parseConfig(`name: leaf1\nrole: leaf\nas: 65101\nfabric:\n  up: { colour: 1, ${options} }\n`);

function uplink(options: string): FabricInterfaceConfig {
  const { config, ...rest } = parsed(options);
  if (!config) throw new Error(JSON.stringify(rest));
  return config.speaker.fabric[0]!;
}

function problems(options: string): string {
  const result = parsed(options);
  return result.config ? '' : result.problems.map(({ message }) => message).join();
}

describe('tcp-ao', () => {
  it('is a key with an id, an algorithm and a password', () => {
    expect(uplink('tcp-ao: { id: 7, password: abc }').authenticationKey).toEqual({
      sendId: 7,
      receiveId: 7,
      algorithm: 'hmac-sha-1-96',
      password: 'abc',
    });
    const full = 'tcp-ao: { id: 0, receive-id: 255, algorithm: aes-128-cmac-96, password: abc }';
    expect(uplink(full).authenticationKey).toMatchObject({
      sendId: 0,
      receiveId: 255,
      algorithm: 'aes-128-cmac-96',
    });
    expect(uplink('aigp: true')).not.toHaveProperty('authenticationKey');
  });

  it('is not there beside a password (TCP MD5)', () => {
    expect(problems('password: abc, tcp-ao: { id: 7, password: abc }')).toMatch(/exclude each other/);
  });

  it.each([
    ['tcp-ao: { password: abc }', /id/],
    ['tcp-ao: { id: 256, password: abc }', /a key id, 0 to 255/],
    ['tcp-ao: { id: 1 }', /password/],
    [`tcp-ao: { id: 1, password: ${'x'.repeat(81)} }`, /at most 80 octets/],
    ['tcp-ao: { id: 1, password: abc, algorithm: md5 }', /expected hmac-sha-1-96 or aes-128-cmac-96/],
  ])('refuses %s', (options, message) => {
    expect(problems(options)).toMatch(message);
  });
});
