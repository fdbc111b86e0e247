import { describe, expect, it } from 'vitest';
import type { LoadBalancing } from '../../../edge/control/schema.js';
import { renderDlb } from './dlb.js';
import { plainPaint } from './paint.js';

const LINK = { interface: 'to-spine1', quality: 7, capacity: 1_250_000, rate: 0, backlog: 0, load: 0, queue: 0 };

const BALANCING: LoadBalancing = {
  mode: 'flowlet',
  plainGroups: null,
  links: [
    { ...LINK, rate: 62_500, load: 5, queue: 0 },
    { ...LINK, interface: 'to-spine2', quality: 1, rate: 1_187_500, backlog: 20_000, load: 95, queue: 80 },
  ],
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

  it('says when there is nothing to show', () => {
    expect(renderDlb({ mode: 'off', plainGroups: null, links: [], groups: [] }, plainPaint)).toEqual([
      'mode off',
      '',
      'no link is measured',
      '',
      'no group of several next hops is in use',
    ]);
  });
});
