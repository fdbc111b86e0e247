/** What `heddle check` says of names that are wrong, and of what is inside and beside them. */
import { describe, expect, it } from 'vitest';
import { parseConfig } from './parse-config.js';

const HEAD = 'name: leaf1\nrole: leaf\nas: 65101\n';

function said(text: string): string[] {
  const parsed = parseConfig(text);
  return (parsed.config ? parsed.warnings : parsed.problems).map(({ line, message }) => `${line}: ${message}`);
}

describe('a misspelt section', () => {
  it('hides nothing that is wrong inside it', () => {
    const text = `${HEAD}fabrics:\n  to-a: { colour: purple, password: "" }\n  to-b: { bdf: { interval: 3 } }\n`;
    expect(said(text)).toEqual([
      '4: fabrics: unknown key; did you mean fabric?',
      expect.stringMatching(/^5: fabrics.to-a.colour: expected a colour.*found "purple"/),
      '5: fabrics.to-a.password: a password is not empty',
      '6: fabrics.to-b.bdf: unknown key; did you mean bfd?',
      expect.stringMatching(/^6: fabrics.to-b.bdf.interval: expected milliseconds/),
    ]);
  });

  it('is judged with the others, across sections', () => {
    const text = `${HEAD}fabric: { to-a: { colour: 1 } }\nhots:\n  to-a: { prefixes: [{ prefix: "fc00:1::/64", colour: 1 }] }\n`;
    expect(said(text)).toEqual([
      '5: hots: unknown key; did you mean hosts?',
      expect.stringMatching(/^6: hots.to-a: this interface is also under fabric/),
    ]);
  });

  it('is none beside the right one', () => {
    const text = `${HEAD}fabric: { to-a: {} }\nfabrics: { to-b: { colour: purple } }\n`;
    expect(said(text)).toEqual(['5: fabrics: unknown key; did you mean fabric?']);
  });
});

describe('a key in the wrong place', () => {
  it.each([
    ['next-next-hop: true', 'next-next-hop: unknown key here; it belongs at the top of the file'],
    [
      'hold: 30',
      'hold: unknown key here; it belongs in neighbors.NAME.timers, or in peer-groups.NAME.timers, or in timers',
    ],
    ['gateway: "fc00::1"', 'gateway: unknown key here; it belongs in hosts.NAME.prefixes[]'],
    ['ospf: true', 'ospf: unknown key; none of those known here is like it'],
  ])('%s under an interface', (entry, message) => {
    expect(said(`${HEAD}fabric:\n  a: { ${entry} }\n`)).toEqual([`5: fabric.a.${message}`]);
  });

  it('says so at the top too', () => {
    expect(said(`${HEAD}fabric: { a: {} }\nsend-hold: 300\n`)).toEqual([
      '5: send-hold: unknown key here; it belongs in timers',
    ]);
  });
});

describe('a word of other routers', () => {
  it.each([
    ['permit', 'accept'],
    ['deny', 'reject'],
    ['continue', 'next'],
    ['acept', 'accept'],
  ])('action: %s is %s', (word, meant) => {
    const text = `${HEAD}fabric: { a: { import: p } }\npolicies: { p: [{ action: ${word} }] }\n`;
    expect(said(text)).toEqual([
      `5: policies.p[0].action: expected accept, reject or next, found "${word}"; did you mean ${meant}?`,
    ]);
  });
});
