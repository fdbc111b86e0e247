/** Files that a study names: they lie beside it. */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { SimulationInputError } from '../../simulator/input-error.js';

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'no such file',
  EACCES: 'permission denied',
  EISDIR: 'is a folder, expected a file',
};

/** The text of a file; packed ones (`.gz`) are unpacked. Throws SimulationInputError. */
export function readBeside(folder: string, name: string): string {
  const path = resolve(folder, name);
  try {
    const octets = readFileSync(path);
    return (path.endsWith('.gz') ? gunzipSync(octets) : octets).toString('utf8');
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    throw new SimulationInputError(`${path}: cannot be read: ${REASONS[code] ?? 'not what it should be'}`);
  }
}

/** What is made of a file's text; what is wrong in it is refused under the file's name. */
export function parseBeside<T>(folder: string, name: string, parse: (text: string) => T): T {
  const text = readBeside(folder, name);
  try {
    return parse(text);
  } catch (error) {
    if (error instanceof SimulationInputError) throw new SimulationInputError(`${name}: ${error.message}`);
    throw error;
  }
}
