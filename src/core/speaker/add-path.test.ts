import { describe, expect, it } from 'vitest';
import { addPathCapability, identifiedPaths } from './add-path.js';

const BOTH = ['ipv6-unicast', 'ipv4-unicast'] as const;

describe('the ADD-PATH capability', () => {
  it('says for each family in which directions identifiers may go', () => {
    const config = { 'ipv6-unicast': { receive: true, send: 'all' }, 'ipv4-unicast': { receive: true } } as const;
    expect(addPathCapability(BOTH, config)).toEqual([
      {
        kind: 'add-path',
        families: [
          { afi: 2, safi: 1, mode: 3 },
          { afi: 1, safi: 1, mode: 1 },
        ],
      },
    ]);
    expect(addPathCapability(['ipv4-unicast'], { 'ipv4-unicast': { receive: false, send: { best: 2 } } })).toEqual([
      { kind: 'add-path', families: [{ afi: 1, safi: 1, mode: 2 }] },
    ]);
  });

  it('is not offered unless it is configured, nor for a family that is not carried', () => {
    expect(addPathCapability(BOTH)).toEqual([]);
    expect(addPathCapability(BOTH, { 'ipv6-unicast': { receive: false } })).toEqual([]);
    expect(addPathCapability(['ipv4-unicast'], { 'ipv6-unicast': { receive: true } })).toEqual([]);
  });
});

describe('the paths sent with identifiers', () => {
  const config = { 'ipv6-unicast': { receive: false, send: { best: 3 } }, 'ipv4-unicast': { receive: true } } as const;

  it('are those of the families that were agreed on', () => {
    expect(identifiedPaths({ addPathSend: ['ipv6-unicast'] }, config)).toEqual({ 'ipv6-unicast': { best: 3 } });
  });

  it('are none where nothing was', () => {
    expect(identifiedPaths({ addPathSend: [] }, config)).toBeUndefined();
  });
});
