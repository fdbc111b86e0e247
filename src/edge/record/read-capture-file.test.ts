import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readCaptureFile } from './read-capture-file.js';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'heddle-capture-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

function fileWith(content: string | Uint8Array): string {
  const file = join(folder, 'file');
  writeFileSync(file, content);
  return file;
}

describe('files that are no captures', () => {
  it.each<[string, () => string, string]>([
    ['missing', () => join(folder, 'none'), 'no such file'],
    ['a folder', () => folder, 'is a folder, not a capture'],
    ['empty', () => fileWith(''), 'is empty'],
    ['text', () => fileWith('hello\n'), 'is a text file, not a pcap or pcapng capture'],
    ['compressed', () => fileWith(gzipSync('x')), 'is compressed with gzip; unpack it first (gunzip)'],
  ])('%s', (_name, make, reason) => {
    const file = make();
    expect(readCaptureFile(file)).toBe(`${file}: ${reason}`);
  });
});

it('reads a capture', () => {
  const header = Uint8Array.of(
    0xa1,
    0xb2,
    0xc3,
    0xd4,
    0,
    2,
    0,
    4,
    0,
    0,
    0,
    0,
    0,
    0,
    0,
    0,
    0,
    0,
    0xff,
    0xff,
    0,
    0,
    0,
    1,
  );
  expect(readCaptureFile(fileWith(header))).toEqual({ format: 'pcap', packets: [], problems: [] });
});
