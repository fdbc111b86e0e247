/** What `heddle check` says of the two modes of deterministic path forwarding. */
import { describe, expect, it } from 'vitest';
import { parseConfig } from './parse-config.js';

const HEAD = 'name: leaf1\nrole: leaf\nas: 65101\n';
const SPINE = 'name: spine1\nrole: spine\nas: 65001\n';
const TWO_COLOURS = 'fabric: { to-a: { colour: 1 }, to-b: { colour: 2 } }\n';
const SESSION = 'dpf: { mode: session }\n';

function said(text: string): string[] {
  const parsed = parseConfig(text);
  const problems = parsed.config === undefined ? parsed.problems : parsed.warnings;
  return problems.map(({ severity, message }) => `${severity}: ${message}`);
}

describe('session mode', () => {
  it('takes colours at both ends and backup colours per prefix', () => {
    const text = `${HEAD}${TWO_COLOURS}${SESSION}advertise: [{ prefix: "fc00::/64", colour: green, backup-colours: [blue, 2] }]\n`;
    const parsed = parseConfig(text);
    expect(said(text)).toEqual([]);
    expect(parsed.config?.speaker.dpf.mode).toBe('session');
    expect(parsed.config?.speaker.advertise).toMatchObject([{ colour: 1, backupColours: [2] }]);
    expect(said(`${SPINE}${TWO_COLOURS}${SESSION}`)).toEqual([]);
  });

  it('warns of an interface without a colour among coloured ones: everything goes over it', () => {
    const mixed = `${HEAD}fabric: { to-a: { colour: 1 }, to-b: {} }\n${SESSION}`;
    expect(said(mixed)).toEqual([
      'warning: fabric.to-b: no colour here, while others have one: in session mode routes of every colour go over this interface',
    ]);
    expect(said(`${HEAD}fabric: { to-a: {} }\n${SESSION}`)).toEqual([expect.stringContaining('restricts nothing')]);
  });

  it('knows backup colours that make no sense', () => {
    const backup = (entry: string) =>
      said(`${HEAD}${TWO_COLOURS}${SESSION}advertise: [{ prefix: "fc00::/64", ${entry} }]\n`);
    expect(backup('colour: 1, backup-colours: [1]')).toEqual([expect.stringMatching(/^error: .*of the prefix itself/)]);
    expect(backup('backup-colours: [2]')).toEqual([expect.stringMatching(/^error: .*need a colour/)]);
    expect(backup('colour: 1, backup-colours: [9]')).toEqual([
      expect.stringMatching(/^warning: .*no fabric interface has colour 9$/),
    ]);
    expect(backup('colour: 3')).toEqual([expect.stringContaining('goes over no coloured session')]);
  });
});

describe('policy mode', () => {
  it('says that backup colours do nothing', () => {
    expect(said(`${HEAD}${TWO_COLOURS}advertise: [{ prefix: "fc00::/64", colour: 1, backup-colours: [2] }]\n`)).toEqual(
      [expect.stringMatching(/^warning: .*backup-colours have no effect in policy mode/)],
    );
  });

  it('names the prefixes that tie on two links to one spine, and why', () => {
    const fabric =
      'fabric:\n  a1: { colour: 1, accept-remote-as: 65001 }\n  a2: { colour: 2, accept-remote-as: 65001 }\n' +
      '  b1: { colour: 3, accept-remote-as: 65002 }\n';
    const prefixes =
      'advertise: [{ prefix: "fc00:1::/64", colour: 1 }, { prefix: "fc00:2::/64", colour: 2 }, { prefix: "fc00:3::/64", colour: 3 }]\n';
    const [warning, ...rest] = said(HEAD + fabric + prefixes);
    expect(rest).toEqual([]);
    expect(warning).toContain('a1 and a2 lead to one neighbour, AS 65001');
    expect(warning).toContain('colours 1 (green), 2 (blue) (fc00:1::/64, fc00:2::/64) tie');
    expect(said(HEAD + fabric + prefixes + SESSION)).toEqual([]);
  });

  it('names them where every interface takes one AS, and says that its routers may be several', () => {
    const fabric =
      'fabric:\n  a1: { colour: 1, accept-remote-as: 65002 }\n  a2: { colour: 2, accept-remote-as: 65002 }\n';
    const prefixes = 'advertise: [{ prefix: "fc00:1::/64", colour: 1 }, { prefix: "fc00:2::/64", colour: 2 }]\n';
    const [warning, ...rest] = said(HEAD + fabric + prefixes);
    expect(rest).toEqual([]);
    expect(warning).toMatch(/^warning: fabric.a2.colour: a1 and a2 all take AS 65002: if they lead to one neighbour, /);
    expect(warning).toContain('colours 1 (green), 2 (blue) (fc00:1::/64, fc00:2::/64) tie');
    expect(warning).toMatch(/With a neighbour each, all is well$/);
    expect(said(HEAD + fabric + prefixes + SESSION)).toEqual([]);
    expect(said(`${HEAD}fabric: { a1: { colour: 1, accept-remote-as: 65002 }, a2: { colour: 2 } }\n`)).toEqual([]);
  });

  it('names the prefixes of a colour that two uplinks share', () => {
    const text = `${HEAD}fabric: { to-a: { colour: 1 }, to-b: { colour: 1 } }\nadvertise: [{ prefix: "fc00:1::/64", colour: 1 }]\n`;
    expect(said(text)).toEqual([expect.stringContaining('its prefixes (fc00:1::/64) use both by ECMP')]);
  });
});
