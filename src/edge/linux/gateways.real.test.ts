import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createNamespace, deleteNamespace, inNamespace, ip, namespacesUnusable } from '../../../test/harness/netns.js';
import { parseAddress } from '../../core/net/address.js';
import { LinuxGateways } from './gateways.js';

const NAMESPACE = 'b2-gw';
const PEER = 'b2-gw-peer';
const unusable = namespacesUnusable();
if (unusable) console.log(`skipped: ${unusable}`);

describe.skipIf(unusable)('gateways of a namespace', () => {
  let gateways: LinuxGateways;
  const index = () => JSON.parse(ip('-n', NAMESPACE, '-j', 'link', 'show', 'swp1'))[0].ifindex as number;
  const entries = (): { dst: string; state: string[] }[] =>
    JSON.parse(ip('-n', NAMESPACE, '-j', '-6', 'neigh', 'show'));

  beforeAll(() => {
    createNamespace(NAMESPACE);
    createNamespace(PEER);
    ip('-n', NAMESPACE, 'link', 'add', 'swp1', 'type', 'veth', 'peer', 'name', 'swp2', 'netns', PEER);
    for (const [namespace, link, address] of [
      [NAMESPACE, 'swp1', 'fe80::1'],
      [PEER, 'swp2', 'fe80::2'],
    ] as const) {
      ip('-n', namespace, 'link', 'set', link, 'addrgenmode', 'none');
      ip('-n', namespace, 'link', 'set', link, 'up');
      ip('-n', namespace, 'address', 'add', `${address}/64`, 'dev', link, 'nodad');
    }
    gateways = inNamespace(NAMESPACE, () => new LinuxGateways());
  });
  afterAll(() => {
    gateways.close();
    deleteNamespace(NAMESPACE);
    deleteNamespace(PEER);
  });

  it('are solicited for, and known once they answered', async () => {
    expect(entries()).toEqual([]);
    expect(await gateways.resolve(index(), parseAddress('fe80::2')!)).toBe(true);
    expect(entries()).toMatchObject([{ dst: 'fe80::2' }]);
  });

  it('are known at once when the kernel has them, and a permanent entry stays as it is', async () => {
    ip(
      '-n',
      NAMESPACE,
      'neigh',
      'replace',
      'fe80::99',
      'lladdr',
      '02:00:00:00:00:99',
      'dev',
      'swp1',
      'nud',
      'permanent',
    );
    expect(await gateways.resolve(index(), parseAddress('fe80::99')!)).toBe(true);
    expect(entries().find(({ dst }) => dst === 'fe80::99')?.state).toEqual(['PERMANENT']);
  });

  it('are not known where nobody answers, or where there is no such interface', async () => {
    const answers = await Promise.all([
      gateways.resolve(index(), parseAddress('fe80::dead')!),
      gateways.resolve(4711, parseAddress('fe80::2')!),
    ]);
    expect(answers).toEqual([false, false]);
  });
});
