import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { FAMILIES } from '../net/family.js';
import { formatPrefix } from '../net/prefix.js';
import { concat } from '../wire/bgp/octets.js';
import { type MrtFile, readMrt } from '../wire/mrt/read-mrt.js';
import type { RibRecord } from '../wire/mrt/table-dump.js';
import { attributesFrom, LOCAL_AS, peerInfo, prefix, updateBodies } from './rib.fixture.js';
import { Rib } from './rib.js';
import { type TableDumpOptions, tableDump } from './table-dump.js';

const OPTIONS: TableDumpOptions = {
  name: 'leaf1',
  identifier: 0x0a010001,
  asn: LOCAL_AS,
  families: FAMILIES,
  now: 1_700_000_000_000_000,
  wallTime: (moment) => 1_600_000_000 + Math.floor(moment / 1000),
};

function filledRib(): Rib {
  const rib = new Rib({ localAs: LOCAL_AS, now: () => 5000 });
  const plain = rib.addPeer(peerInfo(1));
  const context = { fourOctetAs: true, addPath: ['ipv6-unicast' as const], externalPeer: true, aigp: true };
  const several = rib.addPeer(peerInfo(7, { asn: 135000, identifier: 70000, context }));
  const announce = ['fc00:2:1:1::/64', '192.0.2.0/25'];
  for (const body of updateBodies({ announce, attributes: attributesFrom(1) })) rib.receiveUpdate(plain, body);
  for (const pathId of [1, 2]) {
    const update = { announce: ['fc00:2:1:1::/64'], attributes: attributesFrom(7), pathId };
    for (const body of updateBodies(update)) rib.receiveUpdate(several, body);
  }
  rib.originate(prefix('fc00:1:1:1::/64'), { origin: 0, asPath: [] });
  rib.originate(prefix('198.51.100.0/24'), { origin: 0, asPath: [] });
  while (rib.decide(() => false));
  return rib;
}

function dumped(rib: Rib, changes: Partial<TableDumpOptions> = {}): MrtFile {
  return readMrt(concat([...tableDump(rib, { ...OPTIONS, ...changes })]));
}

function ribs(file: MrtFile): RibRecord[] {
  return file.items.flatMap(({ content }) => (content.kind === 'rib' ? [content.rib] : []));
}

describe('a dump of the table', () => {
  it('begins with the peers, the router itself first', () => {
    const [first] = dumped(filledRib()).items;
    if (first?.content.kind !== 'peers') throw new Error('no table of peers');
    const { collector, viewName, peers } = first.content.table;
    expect([collector, viewName]).toEqual([0x0a010001, 'leaf1']);
    expect(peers.map(({ asn, identifier }) => [asn, identifier])).toEqual([
      [LOCAL_AS, 0x0a010001],
      [65001, 1],
      [135000, 70000],
    ]);
  });

  it('has every path of every prefix, IPv4 first, with path identifiers only where a session has them', () => {
    const found = ribs(dumped(filledRib())).map(({ prefix: of, addPath, entries }) => [
      formatPrefix(of),
      addPath,
      entries.map(({ peer, pathId }) => (pathId === undefined ? `${peer}` : `${peer}/${pathId}`)).sort(),
    ]);
    expect(found).toEqual([
      ['192.0.2.0/25', false, ['1']],
      ['198.51.100.0/24', false, ['0']],
      ['fc00:2:1:1::/64', true, ['1/0', '2/1', '2/2']],
      ['fc00:1:1:1::/64', false, ['0']],
    ]);
  });

  it('says when a path came, in seconds since 1970, and numbers the prefixes', () => {
    const records = ribs(dumped(filledRib()));
    expect(records.flatMap(({ entries }) => entries.map(({ originated }) => originated))).toEqual(
      new Array(6).fill(1_600_000_005),
    );
    expect(records.map(({ sequence }) => sequence)).toEqual([0, 1, 2, 3]);
  });

  it('has one family when one is asked for', () => {
    const families = ribs(dumped(filledRib(), { families: ['ipv6-unicast'] })).map(({ family }) => family);
    expect(families).toEqual(['ipv6-unicast', 'ipv6-unicast']);
  });

  it('leaves out a peer that takes the place of one that went while it is being made', () => {
    const rib = filledRib();
    const records = tableDump(rib, OPTIONS);
    const pieces = [records.next().value as Uint8Array];
    rib.removePeers([1]);
    while (rib.decide(() => false));
    const late = rib.addPeer(peerInfo(9));
    for (const body of updateBodies({ announce: ['fc00:9::/64'], attributes: attributesFrom(9) }))
      rib.receiveUpdate(late, body);
    for (const piece of records) pieces.push(piece);
    const prefixes = ribs(readMrt(concat(pieces))).map(({ prefix: of }) => formatPrefix(of));
    expect(prefixes).not.toContain('fc00:9::/64');
    expect(prefixes).not.toContain('192.0.2.0/25');
  });
});

const bgpdump = spawnSync('bgpdump', ['-T']).error === undefined;
if (!bgpdump) console.log('skipped: bgpdump is not installed');

it.skipIf(!bgpdump)('bgpdump reads in a dump what the table holds', () => {
  const folder = mkdtempSync(join(tmpdir(), 'heddle-mrt-'));
  try {
    const file = join(folder, 'table.mrt');
    writeFileSync(file, concat([...tableDump(filledRib(), OPTIONS)]));
    const text = execFileSync('bgpdump', ['-m', file], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
    const lines = text.trim().split('\n');
    const fields = lines.map((line) => line.split('|').slice(3, 7).join('|'));
    expect(fields).toContain('fe80::1|65001|192.0.2.0/25|65001 66000');
    expect(fields).toContain(`0.0.0.0|${LOCAL_AS}|fc00:1:1:1::/64|`);
    expect(fields.filter((line) => line.includes('|135000|fc00:2:1:1::/64|'))).toHaveLength(2);
    expect(lines).toHaveLength(6);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
