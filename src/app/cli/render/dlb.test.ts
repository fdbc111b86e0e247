import { describe, expect, it } from 'vitest';
import type { EbpfPlane, LoadBalancing } from '../../../edge/control/schema.js';
import { renderDlb, renderPlanePrefixes } from './dlb.js';
import { plainPaint } from './paint.js';

const LINK = { interface: 'to-spine1', quality: 7, capacity: 1_250_000, rate: 0, backlog: 0, load: 0, queue: 0 };

const BALANCING: LoadBalancing = {
  mode: 'flowlet',
  plainGroups: null,
  links: [
    { ...LINK, rate: 62_500, load: 5, queue: 0 },
    { ...LINK, interface: 'to-spine2', quality: 1, rate: 1_187_500, backlog: 20_000, load: 95, queue: 80 },
  ],
  plane: null,
  groups: [
    {
      id: 1_500_000_001,
      moves: 3,
      members: [
        { interface: 'to-spine1', due: 1, share: 96, packetRate: 400.4 },
        { interface: 'to-spine2', due: 1, share: 32, packetRate: null },
      ],
    },
  ],
};

describe('renderDlb', () => {
  it('shows the quality of links and the shares of groups', () => {
    expect(renderDlb(BALANCING, plainPaint)).toEqual([
      'mode flowlet',
      '',
      'LINK       QUALITY  LOAD  QUEUE        RATE     CAPACITY',
      'to-spine1      7/7    5%     0%  500 kbit/s  10.0 Mbit/s  #',
      'to-spine2      1/7   95%    80%  9.5 Mbit/s  10.0 Mbit/s  ###################',
      '',
      '1 group in use',
      '     GROUP  LINK       SHARE    DUE  PACKETS/S  MOVES',
      '1500000001  to-spine1  75.0%  50.0%        400      3',
      '            to-spine2  25.0%  50.0%          -',
    ]);
  });

  it('shows the ports of the eBPF plane, and what it left to the kernel', () => {
    const port = { interface: 'to-spine1', gateway: 'fe80::1', packets: 10, octets: 1280 };
    const plane = {
      mode: 'flowlet',
      failure: null,
      full: null,
      prefixes: 1,
      attachments: [{ interface: 'to-spine1', how: 'tc' }],
      ports: [
        { ...port, state: 'up', moves: 3, reorderRisks: 0 },
        { ...port, interface: 'to-spine2', gateway: 'fe80::2', state: 'unresolved', moves: 0, reorderRisks: 1 },
      ],
      leftToKernel: [
        { reason: 'protocol', packets: 7 },
        { reason: 'no-route', packets: 2 },
      ],
    } as const satisfies EbpfPlane;
    const shown = (of: EbpfPlane) => renderDlb({ ...BALANCING, links: [], groups: [], plane: of }, plainPaint).slice(6);
    expect(shown({ ...plane, attachments: [...plane.attachments] })).toEqual([
      'eBPF plane (flowlet) on to-spine1 (tc): 1 prefix',
      'PORT       GATEWAY  STATE       PACKETS  OCTETS  MOVES  RISKS',
      'to-spine1  fe80::1  up               10    1280      3      0',
      'to-spine2  fe80::2  unresolved       10    1280      0      1',
      'left to the kernel: protocol 7, no-route 2',
    ]);
    expect(shown({ ...plane, full: 'the eBPF plane is full' }).at(-1)).toBe('the eBPF plane is full');
    expect(shown({ ...plane, failure: 'no rights' })).toEqual(['the kernel forwards, not the eBPF plane: no rights']);
  });

  it('shows the counters of prefixes', () => {
    const prefix = { prefix: 'fc00:2::/64', packets: 12, octets: 1536, fallbackPackets: 2 };
    expect(renderPlanePrefixes([prefix], plainPaint)).toEqual([
      'PREFIX       PACKETS  OCTETS  BY FALLBACK',
      'fc00:2::/64       12    1536            2',
    ]);
    expect(renderPlanePrefixes([], plainPaint)).toEqual(['no prefix is forwarded by an eBPF plane']);
  });

  it('says when there is nothing to show', () => {
    expect(renderDlb({ mode: 'off', plainGroups: null, links: [], groups: [], plane: null }, plainPaint)).toEqual([
      'mode off',
      '',
      'no link is measured',
      '',
      'no group of several next hops is in use',
    ]);
  });
});
