/** What the container image would hold, in a folder of this machine, and daemons that run from it as the image's user. */
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { chmodSync, chownSync, copyFileSync, mkdirSync, mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { launcherCapabilities, type Stage } from './dockerfile.js';

/** The user of the image. */
export const USER = 10179;
/** What Docker leaves a container, without --cap-add. */
const CONTAINER_CAPABILITIES =
  'chown,dac_override,fowner,fsetid,kill,setgid,setuid,setpcap,net_bind_service,net_raw,sys_chroot,mknod,audit_write,setfcap';

export interface Assembled {
  readonly folder: string;
  /** /opt/heddle of the image. */
  readonly opt: string;
  /** /run/heddle of the image. */
  readonly run: string;
}

export function assembleImage(image: Stage): Assembled {
  const folder = mkdtempSync(join(tmpdir(), 'heddle-image-'));
  chmodSync(folder, 0o755);
  const opt = join(folder, 'opt');
  execFileSync(process.execPath, ['scripts/assemble.mjs', opt], { stdio: ['ignore', 2, 2] });
  const launcher = join(opt, 'packaging', 'with-capabilities');
  copyFileSync('/usr/bin/setpriv', launcher);
  chownSync(launcher, 0, USER);
  chmodSync(launcher, 0o750);
  execFileSync('setcap', [`${launcherCapabilities(image).join(',')}=p`, launcher]);
  const run = join(folder, 'run');
  mkdirSync(run);
  chownSync(run, USER, USER);
  return { folder, opt, run };
}

export interface Container {
  readonly namespace: string;
  /** `['net_admin']` */
  readonly capAdd: readonly string[];
  /** /proc/sys cannot be written, as without --privileged. */
  readonly readOnlySwitches?: boolean;
  readonly noNewPrivileges?: boolean;
}

/** The words before a command that make it run as the image's user in such a container. */
function confinement({ namespace, capAdd, readOnlySwitches, noNewPrivileges }: Container): string[] {
  const bounding = ['-all', ...[...CONTAINER_CAPABILITIES.split(','), ...capAdd].map((name) => `+${name}`)].join(',');
  const mount = 'mount --bind /proc/sys /proc/sys && mount -o remount,bind,ro /proc/sys && exec "$@"';
  return [
    ...['ip', 'netns', 'exec', namespace, 'unshare', '--pid', '--fork', '--kill-child', '--mount-proc'],
    ...(readOnlySwitches ? ['sh', '-c', mount, 'sh'] : []),
    ...['setpriv', '--reuid', `${USER}`, '--regid', `${USER}`, '--clear-groups', '--bounding-set', bounding],
    ...(noNewPrivileges ? ['--no-new-privs'] : []),
  ];
}

/** With the node of this test first among the programs. */
function environment(extra: Readonly<Record<string, string>> = {}) {
  return { ...extra, PATH: `${dirname(process.execPath)}:/usr/sbin:/usr/bin:/sbin:/bin` };
}

export interface Ended {
  readonly status: number | null;
  readonly output: string;
}

/** A command in such a container, to its end. */
export function runInside(
  container: Container,
  command: readonly string[],
  env?: Readonly<Record<string, string>>,
): Ended {
  const [program, ...parameters] = [...confinement(container), ...command];
  const { status, stdout, stderr } = spawnSync(program!, parameters, { encoding: 'utf8', env: environment(env) });
  return { status, output: `${stdout}${stderr}` };
}

export interface Running {
  /** Of the first process in the container; undefined until there is one. */
  readonly pid: () => number | undefined;
  readonly output: () => string;
  readonly ended: Promise<number | null>;
}

/** The image's first process: process 1 of process numbers of its own. */
export function startInside(container: Container, command: readonly string[]): Running {
  const [program, ...parameters] = [...confinement(container), ...command];
  const outer = spawn(program!, parameters, { env: environment(), stdio: ['ignore', 'pipe', 'pipe'] });
  let text = '';
  for (const stream of [outer.stdout, outer.stderr]) stream?.on('data', (piece) => (text += piece));
  return { pid: () => childOf(outer), output: () => text, ended: endOf(outer) };
}

function endOf(child: ChildProcess): Promise<number | null> {
  return new Promise((resolve, reject) => {
    child.once('exit', resolve);
    child.once('error', reject);
  });
}

function childOf({ pid }: ChildProcess): number | undefined {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
  return children === '' ? undefined : Number(children.split(' ')[0]);
}
