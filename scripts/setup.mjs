/**
 * Set-up for a fresh clone: installs the dependencies and builds, each only when something changed.
 * Uses nothing but Node itself, because it runs before anything is installed.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const at = (...parts) => join(root, ...parts);
const MINIMUM_NODE = [20, 19];

function fail(message) {
  console.error(`setup: ${message}`);
  process.exit(1);
}

function checkNode() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major < MINIMUM_NODE[0] || (major === MINIMUM_NODE[0] && minor < MINIMUM_NODE[1])) {
    fail(`Node.js ${MINIMUM_NODE.join('.')} or newer is needed, this is ${process.versions.node}`);
  }
}

/** Runs a command with its output in a log file; says what it does and how long it took. */
function run(what, command, args) {
  const started = Date.now();
  process.stderr.write(`setup: ${what} ...`);
  const result = spawnSync(command, args, { cwd: root, encoding: 'utf8', maxBuffer: 64 << 20 });
  const seconds = ((Date.now() - started) / 1000).toFixed(1);
  if (result.status === 0) return void process.stderr.write(` done in ${seconds} s\n`);
  process.stderr.write(' failed\n');
  const log = at('setup.log');
  writeFileSync(log, `${result.stdout ?? ''}${result.stderr ?? ''}${result.error ?? ''}`);
  fail(`"${command} ${args.join(' ')}" failed: ${firstComplaint(result)} (all of it: ${log})`);
}

function firstComplaint({ stdout, stderr, error }) {
  const lines = `${stderr ?? ''}\n${stdout ?? ''}`.split('\n').filter((line) => /error/i.test(line));
  return error?.message ?? lines[0]?.trim() ?? 'no reason given';
}

const digest = (file) => createHash('sha256').update(readFileSync(file)).digest('hex');

function install() {
  const stamp = at('node_modules', '.heddle-setup');
  const want = `${digest(at('package-lock.json'))} ${process.versions.modules}`;
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === want) return;
  run('installing the dependencies', 'npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error']);
  writeFileSync(stamp, want);
}

/** The native packages are optional: without them heddle simulates, decodes and checks, but touches no kernel. */
function checkNative() {
  if (process.platform !== 'linux') return;
  const require = createRequire(at('package.json'));
  for (const name of ['raw-socket', 'netlink', 'koffi']) {
    try {
      require(name);
    } catch {
      const cure =
        name === 'raw-socket'
          ? 'a C++ compiler, make and python3 are needed to build it'
          : 'it has no build for this machine';
      console.error(
        `setup: the native package ${name} is not usable: ${cure}; then: npm rebuild ${name}. Until then heddle runs simulated.`,
      );
    }
  }
}

function newest(directory) {
  let time = 0;
  for (const entry of readdirSync(directory, { withFileTypes: true })) {
    const path = join(directory, entry.name);
    time = Math.max(time, entry.isDirectory() ? newest(path) : statSync(path).mtimeMs);
  }
  return time;
}

function build() {
  const stamp = at('dist', '.built');
  const sources = Math.max(
    newest(at('src')),
    statSync(at('tsconfig.build.json')).mtimeMs,
    statSync(at('package-lock.json')).mtimeMs,
    statSync(at('scripts', 'page-build.mjs')).mtimeMs,
  );
  if (existsSync(stamp) && statSync(stamp).mtimeMs > sources) return;
  rmSync(at('dist'), { recursive: true, force: true });
  run('building', process.execPath, [at('node_modules', 'typescript', 'bin', 'tsc'), '-p', 'tsconfig.build.json']);
  run('building the page', process.execPath, [at('scripts', 'page-build.mjs')]);
  writeFileSync(stamp, '');
}

checkNode();
install();
checkNative();
build();
