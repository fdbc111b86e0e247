import { expect, it } from 'vitest';
import { capabilityText, lackingCapabilities, neededCapabilities } from './capabilities.js';

const status = (mask: string) =>
  `Name:\tnode\nCapPrm:\t000001ffffffffff\nCapEff:\t${mask}\nCapBnd:\t000001ffffffffff\n`;

const ADMIN = 'CAP_NET_ADMIN (routes and addresses)';
const RAW = 'CAP_NET_RAW (router advertisements)';
const BIND = 'CAP_NET_BIND_SERVICE (the BGP port)';
const PERFMON = 'CAP_PERFMON (the eBPF plane)';
const BPF = 'CAP_BPF (the eBPF plane)';

function missing(text: string, port: number, plane: boolean): string[] {
  return lackingCapabilities(text, neededCapabilities({ port, firstFreePort: 1024, plane })).map(capabilityText);
}

it.each([
  ['000001ffffffffff', 179, true, []],
  ['0000000000003400', 179, false, []],
  ['0000000000003000', 1790, false, []],
  ['0000000000003000', 179, false, [BIND]],
  ['0000000000001000', 1790, false, [RAW]],
  ['0000000000000000', 179, false, [ADMIN, RAW, BIND]],
  ['0000000000003400', 179, true, [PERFMON, BPF]],
  ['000000c000003400', 179, true, []],
  ['0000008000003400', 179, true, [PERFMON]],
  ['0000000000203400', 179, true, []],
])('mask %s, port %s, eBPF plane %s', (mask, port, plane, expected) => {
  expect(missing(status(mask), port, plane)).toEqual(expected);
});

it('counts a status without the line as no capability', () => {
  expect(missing('', 1790, false)).toEqual([ADMIN, RAW]);
});
