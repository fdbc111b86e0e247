import { describe, expect, it } from 'vitest';
import { dstCommand } from './command-line.js';

describe('the command line of dst', () => {
  it('runs seeds', () => {
    expect(dstCommand(['--seeds', '10', '--from', '5', '--fabric', '2x3'])).toMatchObject({
      does: 'run',
      seeds: 10,
      from: 5,
      options: { spines: 2, leaves: 3, faults: 50 },
    });
  });

  it('draws kinds beside the others', () => {
    expect(dstCommand(['--also', 'bad-update'])).toMatchObject({ options: { also: ['bad-update'] } });
    expect(dstCommand(['--dimensions', 'links,ipv4'])).toMatchObject({ options: { dimensions: ['links', 'ipv4'] } });
  });

  it('replays and shrinks one seed, or the scenario of a file', () => {
    expect(dstCommand(['--replay', '7'])).toMatchObject({ does: 'replay', real: false, from: 7 });
    expect(dstCommand(['--replay', '--real', '7'])).toMatchObject({ does: 'replay', real: true });
    expect(dstCommand(['--shrink', '--events', 'one.json'])).toMatchObject({ does: 'shrink', events: 'one.json' });
    expect(dstCommand(['--help'])).toBe('help');
  });

  it.each([
    [['--replay'], '--replay takes one seed, or a file with --events'],
    [['--replay', '7', '--shrink'], '--replay and --shrink exclude each other'],
    [['--shrink', '7', '--real'], '--real goes with --replay'],
    [['--also', 'rain'], '--also rain: expected bad-update'],
    [['--dimensions', 'depth'], '--dimensions depth: expected links, hosts, ipv4, stages'],
    [['--dimensions', 'stages,links'], '--dimensions: links and stages exclude each other'],
    [['7'], '7 goes with --replay or --shrink'],
    [['--fabric', '4'], '--fabric 4: expected SPINESxLEAVES such as 4x8, 1 to 16 spines and 2 to 64 leaves'],
    [['--seeds', 'many'], '--seeds many: expected a whole number from 1'],
  ])('refuses %j', (words, problem) => {
    expect(() => dstCommand(words)).toThrow(problem);
  });
});
