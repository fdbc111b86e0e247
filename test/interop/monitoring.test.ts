/** A heddle leaf under a BIRD spine, watched by a station, recorded, and dumped: all three tell of BIRD's route. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PACKAGE_ROOT } from '../../src/app/lab/lab.js';
import { updateContents } from '../../src/app/replay/update-contents.js';
import { formatPrefix } from '../../src/core/net/prefix.js';
import { HEADER_OCTETS } from '../../src/core/wire/bgp/message.js';
import { readMrt } from '../../src/core/wire/mrt/read-mrt.js';
import { type BmpRecord, readBmpSoFar } from '../harness/bmp-reader.js';
import { labUnusable } from '../harness/lab.js';
import { createNamespace, deleteNamespace, ip, whileInNamespace } from '../harness/netns.js';

const LEAF = 'bm-leaf';
const SPINE = 'bm-spine';
const PREFIX = 'fc00:2:1:1::/64';
const STATION_PORT = 11019;

const BIRD = `router id 10.0.0.1;
protocol device {}
protocol static { ipv6; route ${PREFIX} blackhole; }
protocol radv { interface "bms" { max ra interval 4; min ra interval 3; }; }
protocol bgp {
  local as 65001; neighbor range fe80::/10 external; interface "bms"; dynamic name "leaf_";
  ipv6 { import all; export all; next hop self; };
}
`;

const heddleConfig = (folder: string): string => `name: leaf1
role: leaf
as: 65101
router-id: 10.1.0.1
families: [ipv6]
fabric: { bml: { colour: 1 } }
advertise: [{ prefix: "fc00:1:1:1::/64", colour: 1 }]
bmp: [{ collector: "::1", port: ${STATION_PORT} }]
mrt: { updates: ${join(folder, 'updates.mrt')} }
control-socket: ${join(folder, 'leaf1.sock')}
`;

const unusable = labUnusable({ peers: true });
if (unusable) console.log(`skipped: ${unusable}`);

describe.skipIf(unusable)('monitoring of a session with BIRD', () => {
  let folder: string;
  let station: Server;
  const received: Buffer[] = [];
  const processes: ChildProcess[] = [];

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'heddle-bm-'));
    for (const namespace of [LEAF, SPINE]) createNamespace(namespace);
    ip('link', 'add', 'bml', 'netns', LEAF, 'type', 'veth', 'peer', 'name', 'bms', 'netns', SPINE);
    ip('-n', LEAF, 'link', 'set', 'bml', 'up');
    ip('-n', SPINE, 'link', 'set', 'bms', 'up');
    station = createServer((socket) => socket.on('data', (chunk) => received.push(chunk)));
    await whileInNamespace(LEAF, () => new Promise<void>((resolve) => station.listen(STATION_PORT, '::1', resolve)));
    writeFileSync(join(folder, 'bird.conf'), BIRD);
    writeFileSync(join(folder, 'leaf1.yaml'), heddleConfig(folder));
    const bird = ['bird', '-f', '-c', '/lab/bird.conf', '-s', '/lab/bird.ctl'];
    start(join(PACKAGE_ROOT, 'scripts', 'peer-run'), [SPINE, ...bird]);
    start('ip', ['netns', 'exec', LEAF, join(PACKAGE_ROOT, 'bin', 'heddle'), 'run', join(folder, 'leaf1.yaml')]);
  });

  afterAll(async () => {
    for (const process of processes) process.kill('SIGTERM');
    await Promise.all(processes.map(ended));
    station?.close();
    for (const namespace of [LEAF, SPINE]) deleteNamespace(namespace);
    if (folder) rmSync(folder, { recursive: true });
  });

  function start(command: string, parameters: readonly string[]): void {
    processes.push(spawn(command, parameters, { stdio: 'ignore', env: { ...process.env, HEDDLE_PEER_DIR: folder } }));
  }

  function records(): BmpRecord[] {
    return readBmpSoFar(Buffer.concat(received));
  }

  it('tells the station of the session and of the route, as received and as chosen', async () => {
    const told = () => records().flatMap((record) => (announces(record) ? [record.peerType] : []));
    await expect.poll(() => told().sort()).toEqual([0, 3]);
    expect(
      records()
        .filter(({ type }) => type === 'up')
        .map(({ peerAs }) => peerAs),
    ).toEqual([65101, 65001]);
  });

  it('records the UPDATE that brought it', async () => {
    const file = join(folder, 'updates.mrt');
    const updates = () => {
      const items = existsSync(file) ? readMrt(readFileSync(file)).items : [];
      return items.flatMap(({ content }) =>
        content.kind === 'message' && content.message[18] === 2 ? prefixesOf(content.message) : [],
      );
    };
    await expect.poll(updates).toContain(PREFIX);
  });

  it('dumps a table that holds it', () => {
    const file = join(folder, 'table.mrt');
    const heddle = join(PACKAGE_ROOT, 'bin', 'heddle');
    execFileSync(heddle, ['dump', 'mrt', file, '--socket', join(folder, 'leaf1.sock')]);
    const prefixes = readMrt(readFileSync(file)).items.flatMap(({ content }) =>
      content.kind === 'rib' ? [formatPrefix(content.rib.prefix)] : [],
    );
    expect(prefixes.sort()).toEqual(['fc00:1:1:1::/64', PREFIX]);
  });

  it('tells the station why it ends', async () => {
    const [, heddle] = processes;
    heddle!.kill('SIGTERM');
    await ended(heddle!);
    await expect.poll(() => records().at(-1)?.type).toBe('termination');
    const down = records().find(({ type }) => type === 'down');
    expect([down?.peerAs, down?.payload[0]]).toEqual([65001, 1]);
  });
});

function announces({ type, payload }: BmpRecord): boolean {
  return type === 'routes' && prefixesOf(payload).includes(PREFIX);
}

function prefixesOf(message: Uint8Array): string[] {
  const context = { fourOctetAs: true, addPath: [], externalPeer: true, aigp: true };
  const contents = updateContents(message.subarray(HEADER_OCTETS), context);
  if (contents.kind === 'error') return [];
  return contents.announced.flatMap(({ routes }) => routes.map(({ prefix }) => formatPrefix(prefix)));
}

function ended(process: ChildProcess): Promise<void> {
  if (process.exitCode !== null || process.signalCode !== null) return Promise.resolve();
  return new Promise((resolve) => process.once('exit', () => resolve()));
}
