import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { LargePages } from './large-pages.js';
import { loadKoffi } from './native.js';

const MAPPING = /^([0-9a-f]+)-([0-9a-f]+) .*$/;

/** What the kernel was told of the memory at an address (proc_pid_smaps(5)). */
function flagsAt(address: bigint): string[] {
  let isHere = false;
  for (const line of readFileSync('/proc/self/smaps', 'latin1').split('\n')) {
    const [, from, to] = MAPPING.exec(line) ?? [];
    if (from && to) isHere = BigInt(`0x${from}`) <= address && address < BigInt(`0x${to}`);
    else if (isHere && line.startsWith('VmFlags:')) return line.split(/\s+/).slice(1);
  }
  return [];
}

const koffi = (() => {
  try {
    return loadKoffi();
  } catch {
    return undefined;
  }
})();
const hasLargePages = existsSync('/sys/kernel/mm/transparent_hugepage/enabled');

describe.skipIf(!koffi || !hasLargePages)('large pages', () => {
  const addressOf = (column: Int32Array<ArrayBuffer>) =>
    koffi!.address(new Uint8Array(column.buffer)) + BigInt(column.byteOffset);
  const LARGE_PAGE = 2 * 1024 * 1024;

  it('are asked for where a column is large, from its first 64 KiB on', () => {
    const column = new LargePages().words(4 * 1024 * 1024);
    const begin = addressOf(column);
    expect(column.length).toBe(4 * 1024 * 1024);
    expect(begin % BigInt(LARGE_PAGE)).toBe(BigInt(LARGE_PAGE - 65_536));
    expect(flagsAt(begin)).not.toContain('hg');
    expect(flagsAt(begin + 65_536n)).toContain('hg');
    expect(flagsAt(begin + BigInt(column.byteLength - 1))).toContain('hg');
    column[0] = column[column.length - 1] = 7;
    expect(column.indexOf(7, 1)).toBe(column.length - 1);
  });

  it('are nothing for a small column', () => {
    const column = new LargePages().words(LARGE_PAGE / 4 - 1);
    expect(column.length).toBe(LARGE_PAGE / 4 - 1);
    expect(flagsAt(addressOf(column))).not.toContain('hg');
  });

  it('have room for a million and the rest of a page', () => {
    expect(new LargePages().capacity * 16 - 2 ** 20 * 16).toBeGreaterThanOrEqual(LARGE_PAGE);
  });
});
