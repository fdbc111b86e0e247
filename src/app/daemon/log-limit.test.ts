/** The log limit in front of the writer, on virtual time. */
import { describe, expect, it } from 'vitest';
import type { LogEvent } from '../../core/ports/event-log.js';
import { VirtualClock } from '../../simulator/virtual-clock.js';
import { LogLimit } from './log-limit.js';
import { LogWriter } from './log-writer.js';

const about = (fields?: LogEvent['fields'], level: LogEvent['level'] = 'warn'): LogEvent => ({
  level,
  topic: 'session',
  message: 'line',
  ...(fields && { fields }),
});

function limited() {
  const clock = new VirtualClock();
  const lines: string[] = [];
  const log: LogWriter = new LogWriter({
    level: 'info',
    print: (line) => void lines.push(line.slice(25, -1)),
    now: () => new Date(0),
    limit: new LogLimit(clock, (event) => log.print(event)),
  });
  const write = (count: number, event: LogEvent): void => {
    for (let i = 0; i < count; i++) log.write(event);
  };
  return { clock, lines, write };
}

describe('the log', () => {
  it('takes 30 lines about one interface in 10 s, whichever neighbour they name, and tells how many more there were', async () => {
    const { clock, lines, write } = limited();
    write(500, about({ neighbour: 'fe80::1%eth0' }));
    write(500, about({ peer: 'fe80::2%eth0' }));
    write(500, about({ interface: 'eth0' }));
    expect(lines).toHaveLength(30);
    await clock.runUntil(9_999);
    expect(lines).toHaveLength(30);
    await clock.runUntil(10_000);
    expect(lines.slice(30)).toEqual(['warn  session: left out: 1470 more lines about eth0 in 10 s']);
    write(1, about({ interface: 'eth0' }));
    expect(lines).toHaveLength(32);
  });

  it('hides nothing about other interfaces, and says nothing when nothing was left out', async () => {
    const { clock, lines, write } = limited();
    write(1000, about({ interface: 'eth0' }));
    write(30, about({ interface: 'eth1' }));
    write(30, about());
    expect(lines).toHaveLength(90);
    await clock.runUntil(10_000);
    expect(lines).toHaveLength(91);
  });

  it('does not count what it would not print', () => {
    const { lines, write } = limited();
    write(1000, about({ interface: 'eth0' }, 'debug'));
    write(1, about({ interface: 'eth0' }));
    expect(lines).toHaveLength(1);
  });
});
