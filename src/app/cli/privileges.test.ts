import { expect, it } from 'vitest';
import { missingCapabilities } from './privileges.js';

const status = (mask: string) =>
  `Name:\tnode\nCapPrm:\t000001ffffffffff\nCapEff:\t${mask}\nCapBnd:\t000001ffffffffff\n`;

const ADMIN = 'CAP_NET_ADMIN (routes and addresses)';
const RAW = 'CAP_NET_RAW (router advertisements)';
const BIND = 'CAP_NET_BIND_SERVICE (the BGP port)';

it.each([
  ['000001ffffffffff', true, []],
  ['0000000000003400', true, []],
  ['0000000000003000', false, []],
  ['0000000000003000', true, [BIND]],
  ['0000000000001000', false, [RAW]],
  ['0000000000000000', true, [ADMIN, RAW, BIND]],
])('mask %s, privileged port %s', (mask, privilegedPort, missing) => {
  expect(missingCapabilities(status(mask), privilegedPort)).toEqual(missing);
});

it('counts a status without the line as no capability', () => {
  expect(missingCapabilities('', false)).toEqual([ADMIN, RAW]);
});
