import { describe, expect, it } from 'vitest';
import { bmpSettings, mrtSettings } from './monitoring-settings.js';

describe('monitoring stations', () => {
  it('are told of both tables, on the usual port, unless the file says otherwise', () => {
    const both = { routes: ['adj-rib-in', 'loc-rib'], statistics: 60 };
    expect(bmpSettings.parse([{ collector: 'station.example.net' }, { collector: '2001:db8::1', port: 5000 }])).toEqual(
      [
        { host: 'station.example.net', port: 11019, ...both },
        { host: '2001:db8::1', port: 5000, ...both },
      ],
    );
    const out = { collector: '::1', routes: ['adj-rib-out-pre-policy', 'adj-rib-out'] };
    expect(bmpSettings.parse([out])[0]).toMatchObject({ routes: out.routes });
    const some = { collector: '::1', routes: ['loc-rib'], statistics: 0 };
    expect(bmpSettings.parse([some])).toEqual([{ host: '::1', port: 11019, routes: ['loc-rib'], statistics: 0 }]);
  });

  it.each([
    [{ collector: 'two words' }, 'expected a host name or an address'],
    [{ collector: 'a', port: 0 }, 'expected a TCP port, 1 to 65535'],
    [{ collector: 'a', routes: [] }, 'expected adj-rib-in, adj-rib-out-pre-policy, adj-rib-out or loc-rib'],
    [{ collector: 'a', routes: ['rib'] }, 'expected adj-rib-in, adj-rib-out-pre-policy, adj-rib-out or loc-rib'],
  ])('%j is refused', (given, message) => {
    const parsed = bmpSettings.safeParse([given]);
    expect(parsed.error?.issues.map((issue) => issue.message)).toEqual([message]);
  });
});

describe('recording', () => {
  it('keeps 64 MiB in a file, or as much as it is told', () => {
    expect(mrtSettings.parse({ updates: '/var/log/leaf1.mrt' })).toEqual({
      updates: '/var/log/leaf1.mrt',
      maximum: 64 * 1024 * 1024,
    });
    expect(mrtSettings.parse({ updates: '/x', 'max-size': 0 }).maximum).toBe(0);
    expect(mrtSettings.safeParse({ updates: 'x' }).error?.issues[0]?.message).toBe('expected an absolute path');
  });
});
