import { describe, expect, it } from 'vitest';
import { controlSettings } from './control-settings.js';

const FILES = { 'token-file': '/etc/heddle/token' };
const TLS = { certificate: '/c.pem', key: '/k.pem' };

function fault(given: object): unknown {
  return controlSettings.safeParse({ ...FILES, ...given }).error?.issues.map(({ path, message }) => [path, message]);
}

describe('control', () => {
  it.each([
    ['127.0.0.1:8443', '127.0.0.1', 8443],
    ['127.1.2.3:1', '127.1.2.3', 1],
    ['[::1]:65535', '::1', 65_535],
    ['[0:0::1]:80', '::1', 80],
  ])('listens at %s without TLS', (listen, address, port) => {
    const expected = { address, port, tokenFile: FILES['token-file'], readOnly: false };
    expect(controlSettings.parse({ ...FILES, listen })).toEqual(expected);
  });

  it('listens anywhere with TLS, and may be for reading alone', () => {
    expect(controlSettings.parse({ ...FILES, listen: '[::]:8443', tls: TLS, access: 'read-only' })).toEqual({
      ...{ address: '::', port: 8443, tokenFile: FILES['token-file'], tls: TLS, readOnly: true },
    });
  });

  it.each(['0.0.0.0:8443', '[::]:8443', '192.0.2.1:8443', '[::ffff:7f00:1]:8443', '128.0.0.1:8443'])(
    'is refused at %s without TLS',
    (listen) => {
      expect(fault({ listen })).toEqual([[['listen'], expect.stringContaining('without tls the token could be read')]]);
    },
  );

  it.each([
    'localhost:8443',
    '::1:8443',
    '[127.0.0.1]:8443',
    '127.0.0.1',
    '127.0.0.1:0',
    '127.0.0.1:65536',
    '[::1%lo]:1',
  ])('takes no %s', (listen) => {
    expect(fault({ listen })).toEqual([[['listen'], 'expected ADDRESS:PORT such as 127.0.0.1:8443 or [::1]:8443']]);
  });

  it('needs a token, and absolute paths', () => {
    expect(controlSettings.safeParse({ listen: '[::1]:1' }).success).toBe(false);
    expect(fault({ listen: '[::1]:1', 'token-file': 'token' })).toEqual([
      [['token-file'], 'expected an absolute path'],
    ]);
  });
});
