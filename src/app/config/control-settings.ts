/** The `control` section of a configuration file: the control API over TCP, beside its socket. */
import { z } from 'zod';
import { type Address, formatAddress, parseAddress } from '../../core/net/address.js';

export interface ControlListenerConfig {
  /** As text, without brackets. */
  readonly address: string;
  readonly port: number;
  readonly tokenFile: string;
  readonly tls?: { readonly certificate: string; readonly key: string };
  readonly readOnly: boolean;
}

const LISTEN_EXPECTED = 'expected ADDRESS:PORT such as 127.0.0.1:8443 or [::1]:8443';

const listen = z.string(LISTEN_EXPECTED).transform((text, context) => {
  const [, six, four, digits] = /^(?:\[([0-9A-Fa-f:.]+)\]|([\d.]+)):(\d{1,5})$/.exec(text) ?? [];
  const address = parseAddress(six ?? four ?? '');
  const port = Number(digits);
  if (address?.length === (six === undefined ? 4 : 16) && port > 0 && port < 65_536) return { address, port };
  context.addIssue({ code: 'custom', message: LISTEN_EXPECTED });
  return z.NEVER;
});

const file = (about: string) =>
  z.string('expected an absolute path').regex(/^\//, 'expected an absolute path').describe(about);

export const controlSettings = z
  .strictObject({
    listen: listen.describe(
      'TCP address and port of the control API: 127.0.0.1:8443, [::1]:8443; without tls on loopback alone.',
    ),
    'token-file': file('File with the token that clients show; its owner alone may read it (mode 0600).'),
    tls: z
      .strictObject({
        certificate: file('PEM file with the certificate, and those between it and its root.'),
        key: file('PEM file with its private key.'),
      })
      .optional()
      .describe('TLS 1.2 or newer. Default: none, on loopback alone.'),
    access: z
      .enum(['full', 'read-only'], 'expected full or read-only')
      .optional()
      .describe('read-only refuses commands at this address. Default: full.'),
  })
  .transform((given, context): ControlListenerConfig => {
    const { address, port } = given.listen;
    if (!given.tls && !isLoopback(address)) {
      const message = `${formatAddress(address)} is no loopback address, and without tls the token could be read on its way: give control.tls, or listen at 127.0.0.1 or [::1]`;
      context.addIssue({ code: 'custom', path: ['listen'], message });
    }
    return {
      address: formatAddress(address),
      port,
      tokenFile: given['token-file'],
      ...(given.tls && { tls: given.tls }),
      readOnly: given.access === 'read-only',
    };
  });

function isLoopback(address: Address): boolean {
  return address.length === 4 ? address[0] === 127 : formatAddress(address) === '::1';
}
