/** Neighbours given by their addresses, and peer groups, in a file. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { formatAddress } from '../../core/net/address.js';
import type { NeighbourConfig } from '../../core/speaker/config.js';
import { parseConfig } from './parse-config.js';
import { formatProblem } from './problem.js';

const HEAD =
  'name: border\nrole: spine\nas: 65100\npolicies: { all: [{ action: accept }] }\nimport: all\nexport: all\n';

function neighbours(text: string): readonly NeighbourConfig[] {
  const parsed = parseConfig(HEAD + text);
  if (!parsed.config) throw new Error(said(text).join('\n'));
  return parsed.config.speaker.neighbours ?? [];
}

/** Errors, or the warnings of a file without. */
function said(text: string, head = HEAD): string[] {
  const parsed = parseConfig(head + text);
  return (parsed.config ? parsed.warnings : parsed.problems).map((problem) => formatProblem('f', problem));
}

/** Everything that is said of one neighbour with these keys. */
const ofOne = (address: string, keys: string) =>
  said(`neighbors: { "${address}": { ${keys} } }\n`).map((line) => line.replace(/^f:\d+:\d+: /, ''));

describe('neighbours in a file', () => {
  it('are known by their addresses, written in one way', () => {
    const found = neighbours(
      'neighbours:\n  2001:DB8:0::1: { remote-as: 65200 }\n  192.0.2.1: { remote-as: internal }\n  fe80::0001%eth0: { remote-as: [65001-65004, 65010] }\n',
    );
    expect(found.map(({ name, address, interfaceName }) => [name, formatAddress(address), interfaceName])).toEqual([
      ['2001:db8::1', '2001:db8::1', undefined],
      ['192.0.2.1', '192.0.2.1', undefined],
      ['fe80::1%eth0', 'fe80::1', 'eth0'],
    ]);
    expect(found[1]!.acceptRemoteAs).toEqual([{ kind: 'internal' }]);
    expect(found[2]!.acceptRemoteAs).toHaveLength(2);
  });

  it('take the keys of their group, key by key, unless they have their own', () => {
    const [plain, own] = neighbours(
      'peer-groups:\n  up: { remote-as: 65200, password: warp, color: 3, timers: { hold: 30 }, multihop: 2, families: [ipv4] }\n' +
        'neighbors:\n  192.0.2.1: { peer-group: up }\n' +
        '  192.0.2.2: { peer-group: up, colour: 4, timers: { connect-retry: 5 }, description: the other one }\n',
    );
    expect(plain).toMatchObject({
      group: 'up',
      password: 'warp',
      colour: 3,
      multihop: 2,
      timers: { hold: 30 },
      families: ['ipv4-unicast'],
    });
    expect(own).toMatchObject({ password: 'warp', colour: 4, description: 'the other one' });
    expect(own!.timers).toEqual({ connectRetry: 5 });
  });

  it('have the policies and BFD that hold for all sessions; there is no BFD over several hops', () => {
    const [near, far] = neighbours(
      'bfd: true\nneighbors:\n  2001:db8::1: { remote-as: 65200 }\n  198.51.100.1: { remote-as: 65200, multihop: 3 }\n',
    );
    expect(near!.importPolicy).toHaveLength(1);
    expect(near!.bfd).toMatchObject({ interval: 300 });
    expect(far!.bfd).toBeUndefined();
  });

  it.each([
    [
      'eth0',
      'remote-as: 1',
      'neighbors.eth0: a neighbor is given by its address, such as 2001:db8::1, 192.0.2.1 or fe80::1%eth0',
    ],
    ['fe80::1', 'remote-as: 1', 'neighbors.fe80::1: a link-local address needs its interface: fe80::1%eth0'],
    [
      '2001:db8::1%eth0',
      'remote-as: 1',
      'neighbors.2001:db8::1%eth0: only a link-local address has an interface behind %: use interface: eth0',
    ],
    [
      '2001:db8::1',
      '',
      'neighbors.2001:db8::1.remote-as: missing; expected an AS number, a range, internal or external',
    ],
    [
      '2001:db8::1',
      'remote-as: 1, peer-group: up',
      'neighbors.2001:db8::1.peer-group: no peer group up; there is none',
    ],
    [
      '2001:db8::1',
      'remote-as: 1, ebgp-multihop: 2',
      'neighbors.2001:db8::1.ebgp-multihop: unknown key; did you mean multihop?',
    ],
    [
      '2001:db8::1',
      'accept-remote-as: 1',
      'neighbors.2001:db8::1.accept-remote-as: unknown key; did you mean remote-as?',
    ],
    [
      'fe80::1%eth0',
      'remote-as: 1, multihop: 2',
      'neighbors.fe80::1%eth0.multihop: a link-local address is on the link: no hops away',
    ],
    [
      'fe80::1%eth0',
      'remote-as: 1, interface: eth1',
      'neighbors.fe80::1%eth0.interface: the address says it is on eth0',
    ],
    [
      '192.0.2.1',
      'remote-as: 1, source: "2001:db8::2"',
      'neighbors.192.0.2.1.source: 2001:db8::2 is IPv6, the neighbor IPv4: a session has one family of addresses',
    ],
    ['192.0.2.1', 'remote-as: 1, source: 192.0.2.1', 'neighbors.192.0.2.1: 192.0.2.1 is our own address'],
    ['224.0.0.1', 'remote-as: 1', 'neighbors.224.0.0.1: 224.0.0.1 is a multicast address, not the address of a router'],
    [
      '192.0.2.1',
      'remote-as: 1, multihop: 2, bfd: true',
      'neighbors.192.0.2.1: BFD over several hops (RFC 5883) is not supported: bfd: false, or no multihop',
    ],
    [
      '192.0.2.1',
      'remote-as: 1, bfd: {}',
      'neighbors.192.0.2.1: BFD over IPv4 is not supported: bfd: false, or the IPv6 address of the neighbor',
    ],
    [
      '192.0.2.1',
      'remote-as: 1, timers: { hold: 600 }',
      'neighbors.192.0.2.1.timers: hold 600 must be shorter than send-hold 480 (RFC 9687)',
    ],
    [
      '192.0.2.1',
      'remote-as: 1, multihop: 2, interface: eth0',
      'neighbors.192.0.2.1.interface: a neighbor that is some hops away is on no interface of ours',
    ],
    [
      '192.0.2.1',
      'remote-as: 1, colour: 1, color: 2',
      'neighbors.192.0.2.1: colour is given in both spellings: keep one',
    ],
  ])('%s with %s is refused', (address, keys, message) => {
    expect(ofOne(address, keys)).toEqual([message]);
  });

  it('are each given once, under one spelling, and where the fabric does not find them', () => {
    expect(said('neighbors:\n  2001:db8::1: { remote-as: 1 }\n  2001:db8:0::1: { remote-as: 1 }\n')).toEqual([
      'f:9:3: neighbors.2001:db8:0::1: 2001:db8::1 is given twice: an address is one neighbor',
    ]);
    expect(said('neighbors: { 192.0.2.1: { remote-as: 1 } }\nneighbours: { 192.0.2.2: { remote-as: 1 } }\n')).toEqual([
      'f:8:1: neighbours: neighbors is given in both spellings: keep one',
    ]);
    expect(said('fabric: { eth0: }\nneighbors: { fe80::1%eth0: { remote-as: 1 } }\n')).toEqual([
      'f:8:14: neighbors.fe80::1%eth0: eth0 is a fabric interface: neighbors are found there',
    ]);
  });

  it('say which policy is missing between two ASs, and nothing inside one', () => {
    const head = 'name: border\nrole: spine\nas: 65100\n';
    const text = 'neighbors:\n  192.0.2.1: { remote-as: 65200 }\n  192.0.2.2: { remote-as: 65100 }\n';
    expect(said(text, head)).toEqual([
      'f:5:3: warning: neighbors.192.0.2.1: no import and no export policy: nothing is accepted, nothing is sent (RFC 8212)',
    ]);
  });

  it('find policies and groups that are misspelt or unused', () => {
    const text =
      'peer-groups: { up: { remote-as: 1, import: al }, down: { remote-as: 2 } }\nneighbors: { 192.0.2.1: { peer-group: pu } }\n';
    expect(said(text)).toEqual([
      'f:7:36: peer-groups.up.import[0]: no policy al; did you mean all?',
      'f:8:39: neighbors.192.0.2.1.peer-group: no peer group pu; did you mean up?',
    ]);
    expect(said('peer-groups: { up: { remote-as: 1 } }\nfabric: { eth0: }\n')).toEqual([
      'f:7:16: warning: peer-groups.up: this peer group is used nowhere',
    ]);
  });

  it('make the border of the examples, without a warning', () => {
    const text = readFileSync(new URL('../../../examples/border.yaml', import.meta.url), 'utf8');
    expect(said(text, '')).toEqual([]);
    const { speaker } = parseConfig(text).config!;
    expect(speaker.neighbours!.map(({ name, group, multihop }) => [name, group, multihop])).toEqual([
      ['2001:db8:1::1', 'upstream', undefined],
      ['192.0.2.1', 'upstream', undefined],
      ['2001:db8:ff::2', undefined, 3],
    ]);
  });

  it('or interfaces there must be', () => {
    expect(said('')).toEqual([
      'f:1:1: fabric: missing; expected interfaces, each with its settings (or none), or neighbors',
    ]);
  });
});
