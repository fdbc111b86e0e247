import { describe, expect, it } from 'vitest';
import { LinkSpeeds } from './link-speeds.js';

const LINK = {
  index: 3,
  name: 'to-spine1',
  adminUp: true,
  carrier: true,
  mac: new Uint8Array(6),
  mtu: 1500,
  addresses: [],
};

describe('link speeds', () => {
  it('are read when a link changes, not when they are asked for', () => {
    let reads = 0;
    const speeds = new LinkSpeeds({ readSpeed: () => ++reads * 1000 });
    speeds.changed(LINK);
    expect([speeds.of(3), speeds.of(3), speeds.of(4)]).toEqual([1000, 1000, undefined]);
    speeds.changed(LINK);
    expect(speeds.of(3)).toBe(2000);
  });

  it('are unknown for a link without carrier, and without limit where the driver does not say', () => {
    const speeds = new LinkSpeeds({ readSpeed: () => undefined });
    speeds.changed(LINK);
    expect(speeds.of(3)).toBe(Number.POSITIVE_INFINITY);
    speeds.changed({ ...LINK, carrier: false });
    expect(speeds.of(3)).toBeUndefined();
    speeds.changed(LINK);
    speeds.gone(3);
    expect(speeds.of(3)).toBeUndefined();
  });
});
