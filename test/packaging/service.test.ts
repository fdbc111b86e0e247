/** The systemd unit: what systemd itself says of it, and that it gives a daemon what it needs and no more. */
import { execFileSync } from 'node:child_process';
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EXIT_USAGE } from '../../src/app/cli/exit-codes.js';
import { neededCapabilities } from '../../src/app/doctor/capabilities.js';

const UNIT = 'packaging/heddle@.service';
const INSTANCE = 'heddle@leaf1.service';
const TARGETS = ['basic', 'multi-user', 'network', 'shutdown', 'sysinit'];

function settings(file: string, key: string): string[] {
  const lines = readFileSync(file, 'utf8').split('\n');
  return lines.filter((line) => line.startsWith(`${key}=`)).map((line) => line.slice(key.length + 1));
}

function capabilities(plane: boolean): string[] {
  return neededCapabilities({ port: 179, firstFreePort: 1024, plane }).map(({ name }) => name);
}

describe('the systemd unit', () => {
  it('gives the capabilities that a daemon cannot do without, and can have no other', () => {
    for (const key of ['AmbientCapabilities', 'CapabilityBoundingSet'])
      expect(
        settings(UNIT, key)
          .flatMap((line) => line.split(' '))
          .sort(),
      ).toEqual(capabilities(false).sort());
  });

  it('gives those of the eBPF plane where that is asked for', () => {
    const file = 'packaging/ebpf-plane.conf';
    for (const key of ['AmbientCapabilities', 'CapabilityBoundingSet']) {
      const both = [UNIT, file].flatMap((one) => settings(one, key)).flatMap((line) => line.split(' '));
      expect(both.sort()).toEqual(capabilities(true).sort());
    }
  });

  it('runs as the user that its sysusers file makes', () => {
    const [user] = settings(UNIT, 'User');
    expect(readFileSync('packaging/sysusers.conf', 'utf8')).toMatch(new RegExp(`^u ${user} `, 'm'));
  });

  it('does not start again what no restart mends', () => {
    expect(settings(UNIT, 'Restart')).toEqual(['on-failure']);
    expect(settings(UNIT, 'RestartPreventExitStatus')).toEqual([String(EXIT_USAGE)]);
  });

  describe('to systemd', () => {
    let root: string;
    const analyze = (...parameters: string[]) =>
      execFileSync('systemd-analyze', [...parameters, `--root=${root}`, INSTANCE], { encoding: 'utf8' });

    /** A root with nothing but the unit, what it starts, and the targets that it names. */
    beforeAll(() => {
      root = mkdtempSync(join(tmpdir(), 'heddle-unit-'));
      for (const folder of ['etc/systemd/system', 'usr/lib/systemd/system', 'usr/local/bin', 'usr/bin'])
        mkdirSync(join(root, folder), { recursive: true });
      copyFileSync(UNIT, join(root, 'etc/systemd/system/heddle@.service'));
      for (const name of TARGETS)
        writeFileSync(join(root, `usr/lib/systemd/system/${name}.target`), `[Unit]\nDescription=${name}\n`);
      for (const program of ['usr/local/bin/heddle', 'usr/bin/kill']) {
        writeFileSync(join(root, program), '#!/bin/sh\n');
        chmodSync(join(root, program), 0o755);
      }
    });
    afterAll(() => rmSync(root, { recursive: true }));

    it('is without a mistake', () => {
      expect(analyze('verify')).toBe('');
      writeFileSync(
        join(root, 'etc/systemd/system/wrong@.service'),
        readFileSync(UNIT, 'utf8').replace('/usr/local/bin/heddle run', '/usr/local/bin/hedle run'),
      );
      expect(() =>
        execFileSync('systemd-analyze', ['verify', `--root=${root}`, 'wrong@x.service'], { stdio: 'pipe' }),
      ).toThrow('hedle is not executable');
    });

    it('exposes little', () => {
      const text = analyze('security', '--offline=true', '--no-pager');
      expect(Number(/exposure level for \S+: ([\d.]+)/.exec(text)?.[1])).toBeLessThanOrEqual(2.5);
    });
  });
});
