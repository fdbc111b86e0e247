/**
 * The software bill of materials of the npm package and the container image, as CycloneDX 1.5 JSON on standard output: npm run sbom.
 * From package-lock.json alone, so it is the same on every machine: `npm sbom` leaves out dependencies that development tools use, too,
 * and knows nothing of what is bundled into the page.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const read = (file) => JSON.parse(readFileSync(join(root, file), 'utf8'));

/** Compiled into dist/ui; its notice is in dist/ui/.licenses. */
const BUNDLED = ['node_modules/preact'];
/** Packages whose package.json names no licence, by what their LICENSE file is. */
const LICENCES = { bufferpack: 'BSD-3-Clause' };

const nameOf = (path) => path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
const referenceOf = (path, { version }) => `pkg:npm/${nameOf(path).replace('@', '%40')}@${version}`;

function main() {
  const { packages } = read('package-lock.json');
  const kept = Object.entries(packages).filter(([path, { dev }]) => path !== '' && (!dev || BUNDLED.includes(path)));
  const own = read('package.json');
  const ownReference = `pkg:npm/${own.name}@${own.version}`;
  const document = {
    $schema: 'http://cyclonedx.org/schema/bom-1.5.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.5',
    version: 1,
    metadata: {
      component: {
        type: 'application',
        'bom-ref': ownReference,
        name: own.name,
        version: own.version,
        description: own.description,
        purl: ownReference,
        licenses: [{ license: { id: own.license } }],
      },
    },
    components: kept.map(([path, entry]) => component(path, entry)),
    dependencies: [
      {
        ref: ownReference,
        dependsOn: [
          ...neededBy('', packages[''], packages),
          ...BUNDLED.map((path) => referenceOf(path, packages[path])),
        ],
      },
      ...kept.map(([path, entry]) => ({ ref: referenceOf(path, entry), dependsOn: neededBy(path, entry, packages) })),
    ],
  };
  process.stdout.write(`${JSON.stringify(document, null, 2)}\n`);
}

function component(path, entry) {
  const name = nameOf(path);
  const licence = entry.license ?? LICENCES[name];
  if (licence === undefined) throw new Error(`${name} names no licence: look at it, and add it to LICENCES`);
  return {
    type: 'library',
    'bom-ref': referenceOf(path, entry),
    name,
    version: entry.version,
    scope: entry.optional ? 'optional' : 'required',
    purl: referenceOf(path, entry),
    licenses: [{ license: { id: licence } }],
    ...(entry.integrity && { hashes: [hashOf(entry.integrity)] }),
  };
}

/** Of a line of Subresource Integrity: `sha512-BASE64`. */
function hashOf(integrity) {
  const [algorithm, base64] = integrity.split(/-(.*)/s);
  return { alg: algorithm.replace('sha', 'SHA-'), content: Buffer.from(base64, 'base64').toString('hex') };
}

/** References of the direct dependencies, each found as Node finds it: the nearest node_modules upwards. */
function neededBy(path, { dependencies, optionalDependencies }, packages) {
  const names = Object.keys({ ...dependencies, ...optionalDependencies });
  return names.flatMap((name) => {
    for (let at = path; ; at = at.slice(0, Math.max(0, at.lastIndexOf('/node_modules/')))) {
      const candidate = at === '' ? `node_modules/${name}` : `${at}/node_modules/${name}`;
      if (packages[candidate]) return [referenceOf(candidate, packages[candidate])];
      if (at === '') return [];
    }
  });
}

main();
