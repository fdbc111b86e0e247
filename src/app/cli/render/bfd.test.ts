import { describe, expect, it } from 'vitest';
import type { Bfd, BfdEntry } from '../../../edge/control/schema.js';
import { bfdText, renderBfd } from './bfd.js';
import { plainPaint } from './paint.js';

const UP: Bfd = {
  state: 'Up',
  remoteState: 'Up',
  reason: null,
  sinceMs: 61_000,
  intervalMs: 300,
  multiplier: 3,
  strict: false,
  transmitIntervalMs: 300,
  detectionTimeMs: 900,
  localDiscriminator: 17,
  remoteDiscriminator: 18,
  ups: 2,
  failures: 1,
  packets: { sent: 200, received: 199, discarded: 0 },
};
const SILENT: Bfd = {
  ...UP,
  state: 'Down',
  remoteState: 'Down',
  reason: 'the neighbour sends no BFD packets',
  strict: true,
  detectionTimeMs: null,
  remoteDiscriminator: null,
  ups: 0,
  failures: 0,
  packets: { sent: 10, received: 0, discarded: 0 },
};
const entry = (link: string, bfd: Bfd): BfdEntry => ({ interface: link, address: 'fe80::1', ...bfd });

describe('show bfd', () => {
  it('has a line for each session, and says why one is down', () => {
    expect(renderBfd([entry('to-spine1', UP), entry('to-spine2', SILENT)], plainPaint)).toEqual([
      'INTERFACE  NEIGHBOR  STATE     REMOTE    SEND  DETECT  UPS  FAILURES  RECEIVED',
      'to-spine1  fe80::1   Up 1m01s  Up      300 ms  900 ms    2         1       199',
      'to-spine2  fe80::1   Down      Down    300 ms       -    0         0         0',
      '    the neighbour sends no BFD packets',
    ]);
  });

  it('says that there is none', () => {
    expect(renderBfd([], plainPaint)).toEqual(['no neighbour has BFD']);
  });

  it('is one line of a neighbour', () => {
    expect(bfdText(UP)).toBe('Up for 1m01s; 3 x 300 ms; 1 failure');
    expect(bfdText(SILENT)).toBe('Down (the neighbour sends no BFD packets); 3 x 300 ms, strict; 0 failures');
    expect(bfdText({ ...SILENT, state: null, reason: 'no UDP socket' })).toMatch(/^not running \(no UDP socket\)/);
  });
});
