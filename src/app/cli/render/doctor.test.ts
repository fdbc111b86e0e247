import { expect, it } from 'vitest';
import { ok, problem } from '../../doctor/finding.js';
import { doctorJson, renderDoctor } from './doctor.js';
import { plainPaint } from './paint.js';

const FINDINGS = [
  ok('kernel.ipv6', 'IPv6 is on'),
  problem('port', {
    found: 'TCP port 179 is taken by bgpd',
    meaning: 'the daemon could not listen',
    action: 'stop bgpd',
  }),
  ok('changes', 'adds fc00::1/64', 'gpu'),
];

it('tells what was found, what comes of it and what to do, and apart from it what would change', () => {
  expect(renderDoctor(FINDINGS, { paint: plainPaint, width: 200 })).toEqual([
    'STATUS   CHECK        FOUND',
    'ok       kernel.ipv6  IPv6 is on',
    'problem  port         TCP port 179 is taken by bgpd',
    '                      the daemon could not listen',
    '                      -> stop bgpd',
    '',
    'A DAEMON WOULD CHANGE',
    '  gpu: adds fc00::1/64',
    '',
    '1 problem, 0 warnings',
  ]);
});

it('counts in JSON', () => {
  expect(doctorJson(FINDINGS)).toEqual({ problems: 1, warnings: 0, findings: FINDINGS });
});
