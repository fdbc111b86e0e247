import { existsSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { LogEvent } from '../../core/ports/event-log.js';
import { AppendFile, type AppendFileOptions } from './append-file.js';

let directory: string;
let path: string;
let events: LogEvent[];

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'heddle-append-'));
  path = join(directory, 'updates.mrt');
  events = [];
});
afterEach(() => {
  rmSync(directory, { recursive: true });
});

function open(changes: Partial<AppendFileOptions> = {}): AppendFile {
  return new AppendFile({ path, maximum: 0, log: { write: (event) => void events.push(event) }, ...changes });
}

const record = (text: string): Uint8Array => new TextEncoder().encode(text);
const content = (file: string): string => readFileSync(file, 'utf8');

describe('a file that is appended to', () => {
  it('goes on where an earlier run ended', async () => {
    writeFileSync(path, 'old ');
    const file = open();
    file.append(record('new'));
    await file.close();
    expect(content(path)).toBe('old new');
  });

  it('is put aside when it is full, one older one being kept', async () => {
    writeFileSync(path, '1111');
    const file = open({ maximum: 8 });
    for (const text of ['2222', '3333', '4444', '5555']) file.append(record(text));
    await file.close();
    await expect.poll(() => content(path)).toBe('5555');
    expect(content(`${path}.1`)).toBe('33334444');
  });

  it('goes on in a new file when the old one was moved away', async () => {
    const file = open();
    file.append(record('before'));
    await expect.poll(() => existsSync(path) && content(path)).toBe('before');
    renameSync(path, `${path}.old`);
    file.reopen();
    file.append(record('after'));
    await file.close();
    await expect.poll(() => content(path)).toBe('after');
    expect(content(`${path}.old`)).toBe('before');
  });

  it('drops and counts what a slow disk leaves no room for, and says so ever more seldom', async () => {
    const file = open({ held: 10 });
    for (let i = 0; i < 10; i++) file.append(record('12345'));
    await file.close();
    expect(content(path)).toBe('1234512345');
    expect(file.dropped).toBe(8);
    expect(events.map(({ message }) => message.match(/\d+ records?/)![0])).toEqual([
      '1 record',
      '2 records',
      '4 records',
      '8 records',
    ]);
  });

  it('that cannot be written is said once, and keeps nobody from working', async () => {
    const file = open({ path: join(directory, 'missing', 'updates.mrt') });
    await expect.poll(() => events.length).toBe(1);
    for (let i = 0; i < 5; i++) file.append(record('lost'));
    await file.close();
    expect(events.map(({ level }) => level)).toEqual(['error']);
    expect(file.dropped).toBe(5);
  });
});
