/** AS numbers as two halves (RFC 5396 section 2), wherever a configuration file has one. */
import { describe, expect, it } from 'vitest';
import { parseConfig } from './parse-config.js';

describe('asdot', () => {
  it('is taken wherever there is an AS number, and is not a fraction', () => {
    const text =
      'name: a\nrole: spine\nas: 1.10\nfabric: { up: { accept-remote-as: [65101.1, 1.0-1.20], local-as: 2.1 } }\n' +
      'neighbors: { 192.0.2.1: { remote-as: 1.1, local-as: { as: 3.0 }, import: p, export: p } }\n' +
      'policies: { p: [{ set: { prepend: [1.100, 65001] }, action: accept }] }\ntimers: { router-advertisement: 1.5 }\n';
    const parsed = parseConfig(text);
    expect(parsed.config?.speaker).toMatchObject({
      asn: 65546,
      timers: { routerAdvertisement: 1500 },
      fabric: [
        {
          acceptRemoteAs: [
            { first: 4266459137, last: 4266459137 },
            { first: 65536, last: 65556 },
          ],
          options: { localAs: { asn: 131073 } },
        },
      ],
      neighbours: [{ acceptRemoteAs: [{ first: 65537 }], options: { localAs: { asn: 196608 } } }],
    });
    expect(parsed.config?.policies[0]?.terms[0]?.set.prepend).toEqual({ asns: [65636, 65001] });
  });

  it.each(['1.65536', '65536.1', '0.0', '1.5.2', '0.23456', '-1.5'])('is not %s', (as) => {
    const { problems = [] } = { problems: [], ...parseConfig(`name: a\nrole: leaf\nas: ${as}\nfabric: { up: {} }\n`) };
    expect(problems.map(({ message }) => message).join()).toMatch(/^as: /);
  });
});
