import { describe, expect, it } from 'vitest';
import { parseAddress } from '../net/address.js';
import { parsePrefix } from '../net/prefix.js';
import type { SpeakerConfig } from './config.js';
import { configDifference, describeDifference, needsRestart, sameValue } from './config-difference.js';
import { link, router } from './plain-config.js';

const uplink = (name: string, colour?: number) => link(name, colour === undefined ? {} : { colour });
const host = (name: string, ...texts: string[]) => ({
  name,
  prefixes: texts.map((text) => ({ prefix: parsePrefix(text)!, gateway: parseAddress('fc00::1')! })),
});

const CONFIG = router('leaf1', 65101, {
  role: 'leaf',
  identifier: 1,
  fabric: [uplink('a', 1), uplink('b', 2)],
  hosts: [host('h', 'fc00:1::/64')],
  advertise: [{ prefix: parsePrefix('fc00:a::/64')! }],
});
const lines = (part: Partial<SpeakerConfig>) => describeDifference(configDifference(CONFIG, { ...CONFIG, ...part }));

describe('the difference of two configurations', () => {
  it('is none between equal ones, whatever the order of interfaces', () => {
    expect(lines({ fabric: [uplink('b', 2), uplink('a', 1)], hosts: [host('h', 'fc00:1::/64')] })).toEqual([]);
  });

  it('names what was added, removed and changed', () => {
    expect(
      lines({
        fabric: [uplink('a', 3), uplink('c')],
        hosts: [host('h', 'fc00:1::/64', 'fc00:2::/64')],
        advertise: [],
        timers: { ...CONFIG.timers, hold: 30 },
      }),
    ).toEqual([
      'fabric interface c added',
      'fabric interface b removed',
      'fabric interface a changed',
      'host interface h changed',
      'advertised prefixes: 1 removed',
      'timers changed; sessions that are up keep theirs',
    ]);
  });

  it('sees a colour that a prefix gets', () => {
    expect(lines({ advertise: [{ prefix: parsePrefix('fc00:a::/64')!, colour: 1 }] })).toEqual([
      'advertised prefixes: 1 changed',
    ]);
  });
});

describe('what needs a restart', () => {
  it('is named as in the file', () => {
    const after: SpeakerConfig = {
      ...CONFIG,
      asn: 65102,
      identifier: 2,
      port: 1790,
      dpf: { ...CONFIG.dpf, aigpStep: 2n },
      manageSwitches: false,
    };
    expect(needsRestart(CONFIG, after)).toEqual(['as', 'router-id', 'port', 'dpf', 'sysctl']);
  });

  it('is nothing that can change while it runs', () => {
    expect(needsRestart(CONFIG, { ...CONFIG, fabric: [], hosts: [], advertise: [] })).toEqual([]);
  });
});

describe('equal values', () => {
  it('are told from similar ones', () => {
    expect(sameValue(Uint8Array.of(1, 2), Uint8Array.of(1, 2))).toBe(true);
    expect(sameValue(Uint8Array.of(1, 2), Uint8Array.of(1, 2, 0))).toBe(false);
    expect(sameValue([], {})).toBe(false);
    expect(sameValue({ a: undefined }, {})).toBe(true);
    expect(sameValue(null, {})).toBe(false);
    expect(sameValue(1n, 1n)).toBe(true);
  });
});
