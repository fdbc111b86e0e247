import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { neededCapabilities } from '../../src/app/doctor/capabilities.js';
import { argumentsOf, execForm, launcherCapabilities, readDockerfile } from './dockerfile.js';

const stages = readDockerfile(readFileSync('Dockerfile', 'utf8'));
const [build, image] = stages;

describe('the Dockerfile', () => {
  it('builds in one stage and runs in another, on the same slim image of Node', () => {
    expect(stages.map(({ name }) => name)).toEqual(['build', undefined]);
    expect(build?.image).toMatch(/^node:\d+-bookworm-slim$/);
    expect(image?.image).toBe(build?.image);
  });

  it('takes into the image what was assembled, and no toolchain', () => {
    const assembled = /node scripts\/assemble\.mjs (\S+)/.exec(argumentsOf(build!, 'RUN').join('\n'))?.[1];
    expect(argumentsOf(image!, 'COPY')).toEqual([`--from=build ${assembled} ${assembled}`]);
    const packages = /apt-get install -y --no-install-recommends (.*?) &&/.exec(argumentsOf(image!, 'RUN')[0]!)?.[1];
    expect(packages).toBe('iproute2');
  });

  it('copies nothing into the build that stays outside of the context', () => {
    const ignored = readFileSync('.dockerignore', 'utf8').split('\n');
    for (const needed of ['package.json', 'package-lock.json', 'scripts', 'src', 'bin', 'packaging', 'schema']) {
      expect(existsSync(needed)).toBe(true);
      expect(ignored).not.toContain(needed);
    }
    for (const unwanted of ['.git', 'node_modules', 'dist', 'test']) expect(ignored).toContain(unwanted);
  });

  it('runs as a user with a number of its own, in a folder that is its own', () => {
    expect(argumentsOf(image!, 'USER')).toEqual(['heddle']);
    const making = argumentsOf(image!, 'RUN')[1]!;
    expect(making).toContain('useradd --uid 10179 ');
    expect(making).toContain('install -d -o heddle -g heddle /run/heddle');
    // What sets capabilities and owners is root's work: before the user changes.
    const words = image!.instructions.map(({ word }) => word);
    expect(words.lastIndexOf('RUN')).toBeLessThan(words.indexOf('USER'));
  });

  it('lets signals reach the daemon: exec form, SIGTERM, a launcher that only ever replaces itself', () => {
    expect(argumentsOf(image!, 'STOPSIGNAL')).toEqual(['SIGTERM']);
    const [launcher] = execForm(argumentsOf(image!, 'ENTRYPOINT')[0]!);
    expect(execForm(argumentsOf(image!, 'CMD')[0]!)).toEqual(['run', '/etc/heddle/heddle.yaml']);
    expect(launcher).toBe('/opt/heddle/packaging/container-start');
    const file = 'packaging/container-start';
    expect(statSync(file).mode & 0o111).toBe(0o111);
    execFileSync('sh', ['-n', file]);
    const starts = readFileSync(file, 'utf8')
      .split('\n')
      .filter((line) => line.includes('"$heddle"'));
    expect(starts).toHaveLength(3);
    for (const line of starts) expect(line).toMatch(/\bexec "/);
  });

  it('asks for its health without a session', () => {
    const [health] = argumentsOf(image!, 'HEALTHCHECK');
    expect(health).toMatch(/CMD heddle show summary > \/dev\/null \|\| exit 1$/);
  });

  it('permits the capabilities that a daemon can use, and no other', () => {
    const usable = neededCapabilities({ port: 179, firstFreePort: 1024, plane: true });
    expect(launcherCapabilities(image!).sort()).toEqual(usable.map(({ name }) => name.toLowerCase()).sort());
    const handedOn = [...readFileSync('packaging/container-start', 'utf8').matchAll(/\b(\d+):([a-z_]+)/g)];
    expect(handedOn.map(([, bit, name]) => [`CAP_${name?.toUpperCase()}`, BigInt(bit ?? '')]).sort()).toEqual(
      usable.map(({ name, bit }) => [name, bit]).sort(),
    );
  });
});

describe('reading a Dockerfile', () => {
  it('joins lines that go on, and leaves comments out', () => {
    expect(readDockerfile('# a\nFROM x AS y\nRUN a \\\n    && b\nUSER z\n')).toEqual([
      {
        image: 'x',
        name: 'y',
        instructions: [
          { word: 'RUN', argument: 'a && b' },
          { word: 'USER', argument: 'z' },
        ],
      },
    ]);
  });

  it('refuses what is no instruction', () => {
    expect(() => readDockerfile('FROM x\n&& b\n')).toThrow('no instruction: && b');
    expect(() => readDockerfile('RUN x\n')).toThrow('before any stage: RUN x');
    expect(() => execForm('heddle run')).toThrow();
  });
});
