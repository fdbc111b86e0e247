/** The page as it was built (src/ui, into dist/ui): a few small files, read when somebody asks for the first time. */
import { readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The same from the sources and from what is built of them. */
const FOLDER = fileURLToPath(new URL('../../../../dist/ui/', import.meta.url));

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

export interface Asset {
  readonly type: string;
  readonly octets: Buffer;
  /** Its name changes with what is in it. */
  readonly named: boolean;
}

let assets: ReadonlyMap<string, Asset> | undefined;

/** By path: `/`, `/assets/page-B7x.js`. Empty where the page was not built. */
export function pageAssets(): ReadonlyMap<string, Asset> {
  assets ??= new Map([...filesIn(FOLDER, ''), ...filesIn(join(FOLDER, 'assets'), 'assets/')]);
  return assets;
}

function filesIn(folder: string, below: string): [string, Asset][] {
  try {
    return readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isFile() && extname(entry.name) in TYPES)
      .map(({ name }) => {
        const octets = readFileSync(join(folder, name));
        const asset = { type: TYPES[extname(name)]!, octets, named: below !== '' };
        return [name === 'index.html' ? '/' : `/${below}${name}`, asset];
      });
  } catch {
    return [];
  }
}
