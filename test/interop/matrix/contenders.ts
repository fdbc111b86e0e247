/** The rows of the matrix. */
import { bird } from './peers/bird.js';
import { exabgp } from './peers/exabgp.js';
import { frr } from './peers/frr.js';
import { gobgp } from './peers/gobgp.js';
import { openbgpd } from './peers/openbgpd.js';
import type { Contender } from './stage.js';

export const CONTENDERS: readonly Contender[] = [
  { kind: frr('10.3'), root: 'root' },
  { kind: frr('8.4'), root: 'bookworm' },
  { kind: bird('2.17'), root: 'root' },
  { kind: bird('2.0.12'), root: 'bookworm' },
  { kind: bird('3.1', '/opt/bird3/usr/sbin'), root: 'root' },
  { kind: gobgp('3.36'), root: 'root' },
  { kind: gobgp('3.10'), root: 'bookworm' },
  { kind: openbgpd('8.8'), root: 'root' },
  { kind: openbgpd('7.7'), root: 'bookworm' },
  { kind: exabgp('4.2.25'), root: 'root' },
];
