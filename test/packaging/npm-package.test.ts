/** What `npm pack` puts into the package: all that runs, and nothing else. It reads the build. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';

interface Packed {
  readonly files: readonly { readonly path: string; readonly mode: number }[];
  readonly unpackedSize: number;
}

/** Of import and export statements, `import()` and workers. */
const MENTIONS = /(?:from |import |import\(|new URL\()'(\.\.?\/[^']+\.js)'/g;
const LARGEST = 12_000_000;

describe('the npm package', () => {
  let packed: Packed;
  let paths: Set<string>;

  beforeAll(() => {
    const options = ['pack', '--dry-run', '--json', '--ignore-scripts'];
    const text = execFileSync('npm', options, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
    [packed] = JSON.parse(text);
    paths = new Set(packed.files.map(({ path }) => path));
  });

  it('has no tests, fixtures, sources, maps or build state, nor what measures and fuzzes', () => {
    const unwanted = [
      /^(?!dist|schema|studies|examples|labs|packaging|monitoring|bin|scripts\/peer(s-install|-run)$|LICENSE$|README\.md$|package\.json$)/,
      /\.(test|fixture|contract)\./,
      /\.(ts|tsx|map|tsbuildinfo|log|pcap)$/,
      /^dist\/(bench|fuzz|scale|dst)\//,
      /^(src|test|docs|pcaps|node_modules|\.ci)\//,
    ];
    for (const pattern of unwanted) expect([...paths].filter((path) => pattern.test(path))).toEqual([]);
    expect(packed.unpackedSize).toBeLessThan(LARGEST);
  });

  it('has every module that one of its modules names', () => {
    const scripts = [...paths].filter((path) => /^(dist\/(?!ui).*\.js|bin\/heddle)$/.test(path));
    expect(scripts.length).toBeGreaterThan(500);
    const missing = scripts.flatMap((path) =>
      [...readFileSync(path, 'utf8').matchAll(MENTIONS)]
        .map(([, mention]) => normalize(join(dirname(path), mention!)))
        .filter((named) => !paths.has(named))
        .map((named) => `${path}: ${named}`),
    );
    expect(missing).toEqual([]);
  });

  it('has what commands read beside their modules', () => {
    for (const path of [
      'bin/heddle',
      'dist/ui/index.html',
      'dist/ui/.licenses/bundled.md',
      'examples/leaf1.yaml',
      'labs/demo.yaml',
      'monitoring/heddle.rules.yml',
      'packaging/container-start',
      'packaging/heddle@.service',
      'schema/heddle-config.schema.json',
      'scripts/peer-run',
      'studies/permutation.yaml',
    ])
      expect([...paths]).toContain(path);
  });

  it('starts: programs are executable, and no script runs at its own installation', () => {
    const modes = new Map(packed.files.map(({ path, mode }) => [path, mode]));
    for (const program of ['bin/heddle', 'packaging/container-start', 'scripts/peer-run', 'scripts/peers-install'])
      expect(modes.get(program)! & 0o111, program).toBe(0o111);
    const { scripts } = JSON.parse(readFileSync('package.json', 'utf8'));
    for (const name of ['preinstall', 'install', 'postinstall', 'prepare']) expect(scripts).not.toHaveProperty(name);
  });
});
