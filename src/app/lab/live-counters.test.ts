import { expect, it } from 'vitest';
import { parseCounters } from './live-counters.js';

it('reads packets and octets of /proc/net/dev', () => {
  const text = `Inter-|   Receive                                                |  Transmit
 face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs drop fifo colls carrier compressed
    lo:     332       4    0    0    0     0          0         0      332       4    0    0    0     0       0          0
to-spine1: 1234567   8901    0    2    0     0          0         0  7654321   1098    0    0    0     0       0          0
`;
  expect([...parseCounters(text)]).toEqual([
    ['lo', { received: 4, sent: 4, receivedOctets: 332, sentOctets: 332 }],
    ['to-spine1', { received: 8901, sent: 1098, receivedOctets: 1234567, sentOctets: 7654321 }],
  ]);
});
