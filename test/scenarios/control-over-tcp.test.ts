/** The control API of a daemon over TCP, as an operator has it: a certificate, a token, commands from elsewhere, a reload that renews both. */
import { type ChildProcess, spawn } from 'node:child_process';
import { copyFileSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { tryRun } from '../../src/app/lab/command.js';
import { PACKAGE_ROOT } from '../../src/app/lab/lab.js';
import { poll } from '../../src/app/lab/poll.js';
import { makeCertificate } from '../harness/certificate.js';
import { labUnusable } from '../harness/lab.js';
import { createNamespace, deleteNamespace } from '../harness/netns.js';

const NAMESPACE = 'capi-tcp';
const API = 'https://[::1]:8443';
const TOKEN = 'correct-horse-battery-staple';

describe.skipIf(labUnusable({ peers: false }))('the control API over TCP', () => {
  const folder = mkdtempSync(join(tmpdir(), 'heddle-capi-'));
  const at = (name: string) => join(folder, name);
  let daemon: ChildProcess;
  let log = '';

  const config = (control: string): string => {
    const router = ['name: capi', 'role: leaf', 'as: 65001', 'fabric: { up1: }', `control-socket: ${at('capi.sock')}`];
    writeFileSync(at('capi.yaml'), [...router, control, ''].join('\n'));
    return at('capi.yaml');
  };
  const listener = (access: string) =>
    `control: { listen: "[::1]:8443", token-file: ${at('token')}, access: ${access}, tls: { certificate: ${at('one.pem')}, key: ${at('one.key')} } }`;
  const token = (text: string, mode = 0o600) => {
    rmSync(at('token'), { force: true });
    writeFileSync(at('token'), text, { mode });
  };
  const inNamespace = (...words: string[]) => ['netns', 'exec', NAMESPACE, process.execPath, ...words];
  const program = join(PACKAGE_ROOT, 'bin', 'heddle');
  const heddle = (...words: string[]) => tryRun('ip', inNamespace(program, ...words));
  const overTcp = (...words: string[]) =>
    heddle(...words, '--api', API, '--token-file', at('mine'), '--ca', at('ca.pem'));

  beforeAll(async () => {
    createNamespace(NAMESPACE);
    makeCertificate(folder, 'one');
    copyFileSync(at('one.pem'), at('ca.pem'));
    token(TOKEN);
    writeFileSync(at('mine'), TOKEN, { mode: 0o600 });
    daemon = spawn('ip', inNamespace(program, 'run', config(listener('full'))), {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    daemon.stderr!.setEncoding('utf8').on('data', (text) => (log += text));
    expect(await poll(() => log.includes('runs as'), { timeout: 120_000, interval: 50 })).toBe(true);
  });

  afterAll(() => {
    daemon?.kill('SIGKILL');
    deleteNamespace(NAMESPACE);
    rmSync(folder, { recursive: true });
  });

  it('shows and commands as over the socket', async () => {
    expect(log).toContain(`control: listens at ${API}`);
    const summary = await overTcp('show', 'summary', '--json');
    expect(JSON.parse(summary.stdout)).toMatchObject({ name: 'capi', as: 65001 });
    expect((await overTcp('show', 'routes', '--json')).stdout).toBe('[]\n');
    expect(await overTcp('reload')).toMatchObject({ status: 0, stdout: 'nothing changed\n' });
    expect(await overTcp('neighbor', 'eth9', 'reset')).toMatchObject({
      status: 1,
      stderr: 'heddle: no neighbor eth9\n',
    });
  });

  it('refuses who has another token, and says so to both', async () => {
    writeFileSync(at('mine'), 'another-horse-battery-staple');
    for (let turn = 0; turn < 3; turn++)
      expect(await overTcp('show', 'summary')).toMatchObject({ status: 1, stderr: 'heddle: the token is wrong\n' });
    expect(log.match(/ warn {2}control: a request from ::1 is refused: a wrong token\n/g)).toHaveLength(1);
    const stranger = await heddle('show', 'summary', '--api', API, '--token-file', at('mine'));
    expect(stranger.stderr).toBe(
      `heddle: the certificate of ${API} is not trusted (self-signed certificate): --ca names who signed it\n`,
    );
  });

  it('takes up another token and certificate with a reload, and none that it cannot use', async () => {
    const reload = () => heddle('reload', '--socket', at('capi.sock'));
    token('another-horse-battery-staple', 0o644);
    expect((await reload()).stderr).toContain(
      `control.token-file ${at('token')}: others may read or write it (mode 0644)`,
    );
    expect((await overTcp('show', 'summary')).stderr).toBe('heddle: the token is wrong\n');
    token('another-horse-battery-staple');
    makeCertificate(folder, 'one');
    expect((await reload()).stdout).toBe('control: another token\ncontrol: another certificate\n');
    expect((await overTcp('show', 'summary')).stderr).toContain('is not trusted');
    copyFileSync(at('one.pem'), at('ca.pem'));
    expect((await overTcp('show', 'summary', '--json')).status).toBe(0);
  });

  it('asks for a restart when the address or what it allows changes', async () => {
    config(listener('read-only'));
    const { status, stderr } = await heddle('reload', '--socket', at('capi.sock'));
    expect({ status, stderr }).toEqual({
      status: 2,
      stderr: `${at('capi.yaml')}: control changed: that needs a restart, so nothing was applied\n`,
    });
  });

  it('does not start with a token that others may read, and leaves nothing behind', async () => {
    token(TOKEN, 0o640);
    const file = at('second.yaml');
    const control = `control: { listen: "127.0.0.1:8444", token-file: ${at('token')} }`;
    const router = ['name: second', 'role: leaf', 'as: 65002', 'fabric: { up2: }'];
    writeFileSync(file, [...router, `control-socket: ${at('second.sock')}`, control, ''].join('\n'));
    const { status, stderr } = await heddle('run', file);
    expect({ status, stderr }).toEqual({
      status: 1,
      stderr: `heddle: control.token-file ${at('token')}: others may read or write it (mode 0640): chmod 600 ${at('token')}\n`,
    });
    expect(existsSync(at('second.sock'))).toBe(false);
  });
});
