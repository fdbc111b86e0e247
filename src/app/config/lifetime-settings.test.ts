import { describe, expect, it } from 'vitest';
import { parseConfig } from './parse-config.js';

/** Of leaf1, with one host prefix; `extra` goes into it, `more` to the end of the file. */
function parsed(extra: string, more = '') {
  return parseConfig(
    `name: leaf1\nrole: leaf\nas: 65101\nfabric: { to-spine1: { colour: 1, accept-remote-as: 65001 } }\nhosts:\n  to-gpu1:\n    prefixes:\n      - { prefix: "fc00:1:1:1::/64", colour: 1${extra} }\n${more}`,
  );
}

function lifetimes(extra: string) {
  return parsed(extra).config?.speaker.hosts[0]?.prefixes[0]?.lifetimes;
}

function said(extra: string, more = ''): string[] {
  const result = parsed(extra, more);
  const found = result.config ? result.warnings : result.problems;
  return found.map(({ severity, message }) => `${severity}: ${message}`);
}

describe('lifetimes of a host prefix', () => {
  it('are seconds or infinite, and by default those of RFC 4861', () => {
    expect(lifetimes('')).toBeUndefined();
    expect(lifetimes(', valid-lifetime: 7200, preferred-lifetime: 3600')).toEqual({ valid: 7200, preferred: 3600 });
    expect(lifetimes(', valid-lifetime: infinite, preferred-lifetime: infinite')).toEqual({
      valid: 0xffffffff,
      preferred: 0xffffffff,
    });
    expect(lifetimes(', valid-lifetime: 7200')).toEqual({ valid: 7200, preferred: 7200 });
    expect(lifetimes(', preferred-lifetime: 0')).toEqual({ valid: 2592000, preferred: 0 });
  });

  it('are refused where hosts would ignore them', () => {
    expect(said(', valid-lifetime: 60, preferred-lifetime: 61')).toEqual([
      expect.stringMatching(/^error: .*preferred for 61 s and valid for 60 s: hosts ignore such a prefix \(RFC 4862/),
    ]);
    expect(said(', valid-lifetime: 0')).toEqual([
      expect.stringContaining('expected infinite, or seconds, 1 to 4294967294'),
    ]);
    expect(said(', preferred-lifetime: never')).toEqual([expect.stringContaining('expected infinite, or seconds')]);
  });

  it('are complained of when they can end between two advertisements', () => {
    expect(said(', valid-lifetime: 3600, preferred-lifetime: 25')).toEqual([
      'warning: hosts.to-gpu1.prefixes[0].preferred-lifetime: 25 s can end between advertisements, which are up to 10 s apart and may be lost: at least 30 s',
    ]);
    expect(said(', valid-lifetime: 3600, preferred-lifetime: 25', 'timers: { router-advertisement: 5 }\n')).toEqual([]);
    expect(said(', valid-lifetime: 20')).toEqual([expect.stringContaining('valid-lifetime: 20 s can end')]);
    expect(said(', preferred-lifetime: 0')).toEqual([]);
  });
});
