/**
 * Puts what runs into a folder that does not exist yet: the files of the npm package, its dependencies at the locked versions, and
 * what these are (sbom.cdx.json).
 * The container image is made of that folder: node scripts/assemble.mjs FOLDER, after the build.
 */
import { execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

function main([folder]) {
  if (folder === undefined) return fail('which folder? node scripts/assemble.mjs FOLDER');
  if (existsSync(folder)) return fail(`${folder} exists already`);
  if (!existsSync(join(root, 'dist', 'app', 'cli', 'main.js'))) return fail('not built yet: run npm run setup first');
  const target = resolve(folder);
  mkdirSync(target, { recursive: true });
  unpackPackage(target);
  copyFileSync(join(root, 'package-lock.json'), join(target, 'package-lock.json'));
  const options = ['--omit=dev', '--no-audit', '--no-fund', '--prefer-offline', '--loglevel=error'];
  execFileSync('npm', ['ci', ...options], { cwd: target, stdio: ['ignore', 2, 2] });
  rmSync(join(target, 'package-lock.json'));
  const bill = execFileSync(process.execPath, [join(root, 'scripts', 'sbom.mjs')]);
  writeFileSync(join(target, 'sbom.cdx.json'), bill);
}

function unpackPackage(target) {
  const made = mkdtempSync(join(tmpdir(), 'heddle-package-'));
  try {
    const options = ['--json', '--ignore-scripts', '--pack-destination', made];
    const [{ filename }] = JSON.parse(execFileSync('npm', ['pack', ...options], { cwd: root, encoding: 'utf8' }));
    execFileSync('tar', ['-xzf', join(made, filename), '-C', target, '--strip-components=1']);
  } finally {
    rmSync(made, { recursive: true });
  }
}

function fail(message) {
  console.error(`assemble: ${message}`);
  process.exitCode = 2;
}

main(process.argv.slice(2));
