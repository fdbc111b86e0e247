/** MRT files that BIRD and FRR wrote, read back: held to bgpdump's reading of the same files (test/fixtures/mrt). */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { replayReceivers } from '../../src/app/replay/receivers.js';
import type { ReplayEvent } from '../../src/app/replay/replay-event.js';
import { replayFiles } from '../../src/app/replay/replay-files.js';
import { formatAddress } from '../../src/core/net/address.js';
import { formatPrefix } from '../../src/core/net/prefix.js';
import { formatAsPath } from '../../src/core/wire/bgp/attributes/as-path.js';
import { MRT_STATES } from '../../src/core/wire/mrt/bgp4mp.js';
import { isMrt, readMrt } from '../../src/core/wire/mrt/read-mrt.js';

function fixture(name: string): Uint8Array {
  return readFileSync(fileURLToPath(new URL(`../fixtures/mrt/${name}`, import.meta.url)));
}

function events(name: string): ReplayEvent[] {
  return replayFiles([readMrt(fixture(`${name}.mrt`))], { port: 179 });
}

/** `peer prefix path-id as-path next-hop` of the lines that bgpdump prints for routes of other routers. */
function bgpdumpRoutes(name: string): string[] {
  const lines = fixture(`${name}.txt`).toString().trim().split('\n');
  return lines
    .map((line) => line.split('|'))
    .filter(([, , kind, peer]) => (kind === 'A' || kind === 'B') && peer !== '0.0.0.0' && peer !== '::')
    .map((fields) => {
      const withId = fields[0]!.endsWith('_AP');
      const [pathId, asPath, , nextHop] = withId ? fields.slice(6) : ['-', ...fields.slice(6)];
      return [fields[3], fields[5], pathId, asPath, nextHop].join(' ');
    });
}

/** bgpdump leaves out what BIRD sent itself; the sender of the other messages is the peer. */
function routes(name: string, router: string): string[] {
  return events(name).flatMap(({ content, source }) => {
    if (content.kind !== 'bgp' || content.own || content.message.kind !== 'update') return [];
    if (formatAddress(source) === router) return [];
    return content.message.announced.flatMap(({ routes: list, attributes }) =>
      list.map(({ prefix, pathId }) =>
        [
          formatAddress(source),
          formatPrefix(prefix),
          pathId ?? '-',
          formatAsPath(attributes!.asPath),
          formatAddress((attributes!.nextHop!.global ?? attributes!.nextHop!.linkLocal)!),
        ].join(' '),
      ),
    );
  });
}

describe('an MRT file of', () => {
  it.each([
    ['bird-table', '10.9.0.1'],
    ['bird-updates', '10.9.0.1'],
    ['frr-table', '10.9.0.2'],
    ['frr-updates', '10.9.0.2'],
  ])('%s holds the routes that bgpdump sees', (name, router) => {
    expect(bgpdumpRoutes(name).length).toBeGreaterThan(0);
    expect(routes(name, router)).toEqual(bgpdumpRoutes(name));
    // FRR begins a record for a session whose addresses it does not know any more.
    expect(readMrt(fixture(`${name}.mrt`)).problems).toHaveLength(name === 'frr-updates' ? 1 : 0);
  });

  it.each(['bird-updates', 'frr-updates'])('%s holds the changes of state that bgpdump sees', (name) => {
    const expected = fixture(`${name}.txt`)
      .toString()
      .split('\n')
      .map((line) => line.split('|'))
      .filter(([, , kind]) => kind === 'STATE')
      .map((fields) => fields.slice(-2).map((number) => MRT_STATES[Number(number) - 1] ?? 'idle'));
    const seen = events(name).flatMap(({ content }) => (content.kind === 'state' ? [[content.from, content.to]] : []));
    expect(seen.length).toBeGreaterThan(3);
    expect(seen).toEqual(expected);
  });
});

describe('a table dump', () => {
  it('gives the router that wrote it its own RIB back, routes of its own included', () => {
    const [receiver, ...others] = replayReceivers(events('frr-table'));
    expect(others).toEqual([]);
    expect(receiver!.host.name).toBe('10.9.0.2');
    expect(receiver!.sessions).toBe(2);
    const chosen = receiver!.outcomes.map(({ selection }) => [
      formatPrefix(selection.prefix),
      selection.best?.peerName,
      selection.best?.pathId,
    ]);
    expect(chosen).toEqual([
      ['192.0.2.0/24', '10.9.0.1', 2],
      ['198.51.100.0/24', 'local', 0],
      ['2001:db8:1::/48', '10.9.0.1', 0],
      ['2001:db8:2::/48', 'local', 0],
    ]);
  });

  it('of BIRD has routes that are not from BGP, and says so', () => {
    const notes = events('bird-table').flatMap(({ content }) => (content.kind === 'note' ? [content.text] : []));
    expect(notes).toEqual([
      "192.0.2.0/24: of the router's own, not from BGP",
      "2001:db8:1::/48: of the router's own, not from BGP",
    ]);
  });
});

describe('recorded sessions', () => {
  it('name the peer by the identifier in its OPEN, and end with the state', () => {
    const [receiver] = replayReceivers(events('bird-updates'));
    expect(receiver!.host).toMatchObject({ asn: 4200000001 });
    const chosen = receiver!.outcomes.flatMap(({ selection }) =>
      selection.best ? [formatPrefix(selection.prefix)] : [],
    );
    expect(chosen).toEqual(['198.51.100.0/24', '2001:db8:2::/48']);
  });

  it('are merged with other files by time', () => {
    const files = ['bird-updates', 'frr-updates'].map((name) => readMrt(fixture(`${name}.mrt`)));
    const merged = replayFiles(files, { port: 179 });
    const times = merged.map(({ time }) => time!);
    expect(merged).toHaveLength(events('bird-updates').length + events('frr-updates').length);
    expect(times).toEqual([...times].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0)));
  });
});

describe('a damaged MRT file', () => {
  const whole = fixture('frr-table.mrt');

  it('gives what is whole, wherever it is cut', () => {
    const count = readMrt(whole).items.length;
    for (let length = 0; length < whole.length; length++) {
      const { items, problems } = readMrt(whole.subarray(0, length));
      expect(items.length).toBeLessThan(count);
      expect(problems.length).toBeLessThanOrEqual(1);
    }
  });

  it('throws nothing, whatever octet is changed', () => {
    const bytes = Uint8Array.from(whole);
    for (let at = 0; at < bytes.length; at++) {
      const before = bytes[at]!;
      for (const value of [0xff, before ^ 1]) {
        bytes[at] = value;
        const file = readMrt(bytes);
        expect(file.items.length + file.problems.length).toBeGreaterThan(0);
        replayReceivers(replayFiles([file], { port: 179 }));
      }
      bytes[at] = before;
    }
  });

  it('is told from other files by its first header', () => {
    expect(isMrt(whole)).toBe(true);
    expect(isMrt(Uint8Array.from(Buffer.from('name: leaf1\nrole: leaf\n')))).toBe(false);
    expect(isMrt(new Uint8Array(64))).toBe(false);
  });
});
