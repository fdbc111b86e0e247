/** An archive of a daemon that runs, that does not answer, and that is gone; searched octet by octet for the secrets of its configuration. */
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, openSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createNamespace, deleteNamespace, ip, namespacesUnusable } from '../../../../test/harness/netns.js';

const NAMESPACE = `support-${process.pid}`;
const HEDDLE = fileURLToPath(new URL('../../../../bin/heddle', import.meta.url));
const SECRETS = ['warp-and-weft-1', 'reed "and" comb', 'shuttle-of-the-loom', 'tok-0123456789'];
const unusable = namespacesUnusable();
if (unusable) console.log(`skipped: ${unusable}`);

describe.skipIf(unusable)('heddle tech-support', () => {
  let directory: string;
  let daemon: ChildProcess;
  let socket: string;

  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), 'heddle-support-'));
    socket = join(directory, 'leaf1.sock');
    createNamespace(NAMESPACE);
    ip('-n', NAMESPACE, 'link', 'add', 'up1', 'type', 'veth', 'peer', 'name', 'down1');
    for (const name of ['up1', 'down1']) ip('-n', NAMESPACE, 'link', 'set', name, 'up');
    const [first, second, third, token] = SECRETS.map((secret) => JSON.stringify(secret));
    writeFileSync(
      join(directory, 'leaf1.yaml'),
      `# token: ${token}\nname: leaf1\nrole: leaf\nas: 65101\ncontrol-socket: ${socket}\nrehearsal: false\nfabric:\n` +
        `  up1: { password: ${first} }\n  up2: { password: ${second} }\nneighbors:\n` +
        `  2001:db8::1: { remote-as: 65001, description: ${third}, password: ${third} }\nadvertise: [{ prefix: "fc00:1::/64" }]\n`,
    );
    const log = join(directory, 'leaf1.log');
    writeFileSync(log, `a line that says ${SECRETS[0]}, and Authorization: Bearer ${SECRETS[3]}\n`);
    const command = ['netns', 'exec', NAMESPACE, process.execPath, HEDDLE, 'run', 'leaf1.yaml'];
    daemon = spawn('ip', command, { cwd: directory, stdio: ['ignore', 'ignore', openSync(log, 'a')] });
    const hasStarted = () => existsSync(socket) && readFileSync(log, 'utf8').includes('leaf1 runs as leaf');
    await vi.waitFor(() => expect(hasStarted()).toBe(true), { timeout: 120_000, interval: 50 });
  });
  afterAll(() => {
    daemon.kill('SIGKILL');
    deleteNamespace(NAMESPACE);
    rmSync(directory, { recursive: true });
  });

  interface Taken {
    readonly folder: string;
    readonly manifest: { readonly files: string[]; readonly missing: { name: string; why: string }[] };
    readonly stderr: string;
  }

  function take(name: string, ...options: string[]): Taken {
    const file = join(directory, `${name}.tar.gz`);
    const command = [
      'netns',
      'exec',
      NAMESPACE,
      process.execPath,
      HEDDLE,
      'tech-support',
      '--output',
      file,
      ...options,
    ];
    const { status, stderr } = spawnSync('ip', command, { encoding: 'utf8', cwd: directory });
    expect([stderr, status]).toEqual([expect.any(String), 0]);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const octets = gunzipSync(readFileSync(file));
    for (const secret of SECRETS)
      for (const spelling of [secret, JSON.stringify(secret).slice(1, -1)])
        expect(octets.includes(spelling)).toBe(false);
    execFileSync('tar', ['-xzf', file, '-C', directory]);
    const [root] = readdirSync(directory).filter((entry) => entry.startsWith('heddle-tech-support'));
    const folder = join(directory, name);
    execFileSync('mv', [join(directory, root!), folder]);
    return { folder, manifest: JSON.parse(readFileSync(join(folder, 'MANIFEST.json'), 'utf8')), stderr };
  }

  const text = (folder: string, name: string) => readFileSync(join(folder, name), 'utf8');

  it('has everything of a daemon that runs, but no secret', () => {
    const { folder, manifest, stderr } = take('whole', '--socket', socket);
    expect(manifest.missing.map(({ name }) => name)).toEqual([]);
    expect(stderr).toBe('');
    expect(JSON.parse(text(folder, 'show/summary.json'))).toMatchObject({ name: 'leaf1', as: 65101 });
    expect(text(folder, 'show/summary.txt')).toContain('leaf1  leaf  AS 65101');
    expect(JSON.parse(text(folder, 'show/routes.json'))).toMatchObject([{ prefix: 'fc00:1::/64' }]);
    expect(text(folder, 'config/leaf1.yaml')).toContain('up1: { password: <removed> }');
    expect(text(folder, 'metrics.txt')).toContain('heddle_');
    expect(text(folder, 'kernel/ip-addr.txt')).toContain('up1');
    expect(text(folder, 'log.txt')).toMatch(
      /a line that says <removed>, and Authorization: Bearer <removed>\n[\s\S]*leaf1 runs as leaf/,
    );
    expect(JSON.parse(text(folder, 'doctor.json')).findings).toContainEqual(
      expect.objectContaining({ check: 'link.state', subject: 'up2', status: 'problem' }),
    );
    expect(manifest.files).toEqual(
      expect.arrayContaining(['show/fib-diff.json', 'show/fabric.txt', 'process/limits.txt']),
    );
  });

  it('says what is missing when the daemon does not answer, and when it is gone', () => {
    process.kill(daemon.pid!, 'SIGSTOP');
    const config = join(directory, 'leaf1.yaml');
    const stuck = take('stuck', '--socket', socket, '--config', config);
    process.kill(daemon.pid!, 'SIGCONT');
    expect(stuck.manifest.missing.map(({ name }) => name)).toEqual(['show, metrics, process', 'log.txt']);
    expect(stuck.manifest.missing[0]!.why).toContain('does not answer');
    expect(stuck.manifest.files).toEqual(
      expect.arrayContaining(['config/leaf1.yaml', 'kernel/ip-addr.txt', 'doctor.txt']),
    );

    const gone = take('gone', '--socket', '/nowhere.sock', '--log', join(directory, 'leaf1.log'));
    expect(gone.manifest.missing.map(({ name }) => name)).toEqual(['show, metrics, process', 'config', 'log.txt']);
    const later = take('later', '--socket', '/nowhere.sock', '--config', config, '--log', join(directory, 'leaf1.log'));
    expect(later.manifest.missing.map(({ name }) => name)).toEqual(['show, metrics, process']);
    expect(gone.stderr).toContain('not in it: show, metrics, process: no daemon at /nowhere.sock');
  });

  it('leaves a configuration out whose secrets it cannot find', () => {
    const config = join(directory, 'broken.yaml');
    writeFileSync(config, `password: "${SECRETS[2]}\nfabric: [`);
    const { manifest } = take('broken', '--socket', '/nowhere.sock', '--config', config);
    expect(manifest.missing.map(({ name }) => name)).toContain('config/broken.yaml');
  });

  it('says why it cannot write', () => {
    const command = ['tech-support', '--socket', '/nowhere.sock', '--output', '/nowhere/x.tar.gz'];
    const { status, stderr } = spawnSync(process.execPath, [HEDDLE, ...command], { encoding: 'utf8' });
    expect(status).toBe(1);
    expect(stderr).toContain('heddle: /nowhere/x.tar.gz: cannot be written (ENOENT)');
  });
});
