import { afterEach, expect, it, vi } from 'vitest';
import { OptionError } from '../../app/option-values.js';
import { runBenchmark } from './command-line.js';

const said: string[] = [];
vi.spyOn(console, 'log').mockImplementation((line: string) => void said.push(line));
vi.spyOn(console, 'error').mockImplementation((line: string) => void said.push(`! ${line}`));
const before = process.exitCode;
afterEach(() => {
  said.length = 0;
  process.exitCode = before;
});

it.each([['--help'], ['-h']])('%s: says how, and measures nothing', async (option) => {
  const main = vi.fn(async () => {});
  await runBenchmark(main, 'usage', ['--rounds', '2', option]);
  expect([said, main.mock.calls, process.exitCode]).toEqual([['usage'], [], before]);
});

it.each([
  [new OptionError('--rounds 0: no'), ['! --rounds 0: no', '! usage'], 2],
  [new Error('no rights'), ['! no rights'], 1],
])('%s', async (error, lines, status) => {
  await runBenchmark(() => Promise.reject(error), 'usage', []);
  expect([said, process.exitCode]).toEqual([lines, status]);
});
