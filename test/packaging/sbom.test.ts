/** The bill of materials: everything that is shipped, with licences that Apache-2.0 can be shipped with. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

interface Component {
  readonly 'bom-ref': string;
  readonly name: string;
  readonly version: string;
  readonly scope: string;
  readonly licenses: readonly { readonly license: { readonly id: string } }[];
  readonly hashes: readonly { readonly alg: string; readonly content: string }[];
}

/** Permissive: what they ask for is their notice. */
const COMPATIBLE = ['0BSD', 'Apache-2.0', 'BlueOak-1.0.0', 'BSD-2-Clause', 'BSD-3-Clause', 'ISC', 'MIT'];

const text = execFileSync(process.execPath, ['scripts/sbom.mjs'], { encoding: 'utf8' });
const bill = JSON.parse(text);
const components: readonly Component[] = bill.components;
const own = JSON.parse(readFileSync('package.json', 'utf8'));
const locked: Record<string, { dev?: boolean; version: string; license?: string }> = JSON.parse(
  readFileSync('package-lock.json', 'utf8'),
).packages;

describe('the bill of materials', () => {
  it('is of this version, in CycloneDX', () => {
    expect(bill).toMatchObject({ bomFormat: 'CycloneDX', specVersion: '1.5', version: 1 });
    expect(bill.metadata.component).toMatchObject({ name: own.name, version: own.version });
    expect(bill.metadata.component.licenses).toEqual([{ license: { id: 'Apache-2.0' } }]);
  });

  it('has all dependencies that run, direct and not, at the locked version', () => {
    const references = components.map((component) => component['bom-ref']);
    const running = Object.entries(locked).filter(([path, { dev }]) => path !== '' && !dev);
    for (const [path, { version }] of running) {
      const name = path.slice(path.lastIndexOf('node_modules/') + 13).replace('@', '%40');
      expect(references).toContain(`pkg:npm/${name}@${version}`);
    }
    for (const name of Object.keys({ ...own.dependencies, ...own.optionalDependencies }))
      expect(components.map((component) => component.name)).toContain(name);
    expect(new Set(references).size).toBe(references.length);
  });

  it('has what is bundled into the page, and says no more of development', () => {
    const notices = readFileSync('dist/ui/.licenses/bundled.md', 'utf8');
    const bundled = [...notices.matchAll(/^## (\S+) - (\S+) \((.+)\)$/gm)];
    expect(bundled.length).toBeGreaterThan(0);
    for (const [, name, version, licence] of bundled)
      expect(components).toContainEqual(
        expect.objectContaining({ name, version, licenses: [{ license: { id: licence } }] }),
      );
    const ofDevelopment = components.filter(({ name, version }) => {
      const top = locked[`node_modules/${name}`];
      return top?.dev && top.version === version;
    });
    expect(ofDevelopment.map(({ name }) => name)).toEqual(bundled.map(([, name]) => name));
  });

  it('names for each a licence that goes with Apache-2.0, and its hash', () => {
    for (const { name, licenses, hashes } of components) {
      expect(COMPATIBLE, name).toContain(licenses[0]?.license.id);
      expect(hashes[0]?.alg, name).toBe('SHA-512');
      expect(hashes[0]?.content, name).toMatch(/^[0-9a-f]{128}$/);
    }
  });

  it('knows the licence of the package that names none by its licence file', () => {
    const unnamed = components.filter(({ name }) => locked[`node_modules/${name}`]?.license === undefined);
    expect(unnamed.map(({ name }) => name).filter((name) => locked[`node_modules/${name}`])).toEqual(['bufferpack']);
    const file = readFileSync('node_modules/bufferpack/LICENSE', 'utf8').replaceAll(/\s+/g, ' ');
    for (const clause of ['Redistributions of source code', 'Redistributions in binary form', 'Neither the name'])
      expect(file).toContain(clause);
  });

  it('lets every dependency be followed', () => {
    const known = new Set([...components.map((one) => one['bom-ref']), bill.metadata.component['bom-ref']]);
    for (const { ref, dependsOn } of bill.dependencies)
      for (const reference of [ref, ...dependsOn]) expect(known).toContain(reference);
  });
});
