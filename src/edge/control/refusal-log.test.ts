import { expect, it } from 'vitest';
import { RefusalLog } from './refusal-log.js';

it('says once a minute who is refused, and how often', () => {
  const lines: string[] = [];
  let now = 0;
  const log = new RefusalLog({ write: ({ message }) => void lines.push(message) }, () => now);
  for (let turn = 0; turn < 5; turn++) log.tell('192.0.2.1', 'no token');
  log.tell('192.0.2.2', 'a wrong token');
  now = 60_000;
  log.tell('192.0.2.1', 'a wrong token');
  expect(lines).toEqual([
    'a request from 192.0.2.1 is refused: no token',
    'a request from 192.0.2.2 is refused: a wrong token',
    'a request from 192.0.2.1 is refused: a wrong token (4 more since the last line)',
  ]);
});

it('does not grow with the number of sources', () => {
  const lines: string[] = [];
  let now = 0;
  const log = new RefusalLog({ write: ({ message }) => void lines.push(message) }, () => now);
  for (let source = 0; source < 10_000; source++) log.tell(`2001:db8::${source.toString(16)}`, 'no token');
  expect(lines).toHaveLength(256);
  now = 60_000;
  log.tell('192.0.2.1', 'no token');
  expect(lines).toHaveLength(257);
});
