import { describe, expect, it } from 'vitest';
import { formatAddress, parseAddress } from '../net/address.js';
import type { PathView } from '../rib/types.js';
import { fibNextHops } from './fib-next-hops.js';

/** `GATEWAY@INDEX...`, looked up; `link GATEWAY@INDEX`, of a session's link; `hidden`, nowhere. */
function path(text: string): PathView {
  const isLink = text.startsWith('link ');
  const reaches = text
    .replace('link ', '')
    .split(' ')
    .filter((way) => way !== 'hidden')
    .map((way) => {
      const [gateway, index] = way.split('@');
      return { gateway: parseAddress(gateway!)!, interfaceIndex: Number(index), interfaceName: `eth${index}` };
    });
  const resolution = isLink || reaches.length === 0 ? undefined : { onLink: false, cost: 1, reaches };
  const first = { interfaceIndex: reaches[0]?.interfaceIndex ?? 0, interfaceName: '', gateway: reaches[0]?.gateway };
  const attributes = { origin: 0 as const, asPath: [] };
  return {
    peer: 1,
    peerName: '',
    local: false,
    pathId: 0,
    changedAt: 0,
    stale: false,
    attributes,
    resolution,
    ...first,
  };
}

describe('the next hops of paths', () => {
  it.each<[string, string[], number[] | undefined, string]>([
    ['those of links', ['link fe80::1@1', 'link fe80::2@2'], undefined, 'fe80::1@1 fe80::2@2'],
    ['with their shares', ['link fe80::1@1', 'link fe80::2@2'], [3, 1], 'fe80::1@1*3 fe80::2@2*1'],
    ['all ways of one that was looked up', ['10.0.1.7@1 10.0.2.7@2'], undefined, '10.0.1.7@1 10.0.2.7@2'],
    ['each once', ['10.0.1.7@1', '10.0.1.7@1 10.0.2.7@2'], undefined, '10.0.1.7@1*2 10.0.2.7@2*1'],
    [
      'a path’s share spread over its ways',
      ['10.0.1.7@1', '10.0.2.7@2 10.0.3.7@3'],
      undefined,
      '10.0.1.7@1*2 10.0.2.7@2*1 10.0.3.7@3*1',
    ],
    [
      'shares of thirds',
      ['10.0.1.7@1', '10.0.2.7@2 10.0.3.7@3 10.0.4.7@4'],
      [2, 1],
      '10.0.1.7@1*6 10.0.2.7@2*1 10.0.3.7@3*1 10.0.4.7@4*1',
    ],
    [
      'equal where that comes out',
      ['10.0.1.7@1 10.0.4.7@4', '10.0.2.7@2 10.0.3.7@3'],
      undefined,
      '10.0.1.7@1 10.0.4.7@4 10.0.2.7@2 10.0.3.7@3',
    ],
    [
      'weights that the kernel takes',
      ['10.0.1.7@1', '10.0.2.7@2 10.0.3.7@3'],
      [256, 1],
      '10.0.1.7@1*256 10.0.2.7@2*1 10.0.3.7@3*1',
    ],
    ['none of a path that leads nowhere', ['hidden', 'link fe80::2@2'], undefined, 'fe80::2@2'],
  ])('are %s', (_name, texts, shares, expected) => {
    const nextHops = fibNextHops(texts.map(path), shares);
    const shown = nextHops.map(({ gateway, interfaceIndex, weight }) => {
      return `${formatAddress(gateway)}@${interfaceIndex}${weight === undefined ? '' : `*${weight}`}`;
    });
    expect(shown.join(' ')).toBe(expected);
  });
});
