/**
 * Quantities of a study file as people write them: rates (`100G`), times (`2ms`), octets (`9MiB`) and shares (`50%`), with their units; and what a
 * profile has, written the same way.
 */
import { z } from 'zod';
import type { RateStep } from '../../simulator/hosts/rate-step.js';

type Units = Readonly<Record<string, number>>;

const RATES: Units = { K: 1e3, M: 1e6, G: 1e9, T: 1e12 };
const TIMES: Units = { ns: 1e3, us: 1e6, ms: 1e9, s: 1e12 };
const OCTETS: Units = { '': 1, B: 1, KB: 1e3, MB: 1e6, GB: 1e9, KiB: 1024, MiB: 1024 ** 2, GiB: 1024 ** 3 };

const RATE = /^(\d+(?:\.\d+)?)([KMGT])(?:bit|bps|b\/s)?$/;
const TIME = /^(\d+(?:\.\d+)?)(ns|us|ms|s)$/;
const SIZE = /^(\d+(?:\.\d+)?)(B|KB|MB|GB|KiB|MiB|GiB|)$/;
const SHARE = /^(\d+(?:\.\d+)?)(%?)$/;

/** A text or a number that `read` makes a value of; what it makes none of is refused with what was expected. `title`: what the page of keys calls it. */
function quantity<T>(title: string, read: (text: string) => T | undefined, expected: string) {
  const message = `expected ${expected}`;
  return z
    .union([z.string(), z.number()], { error: message })
    .transform((value, context) => {
      const found = read(String(value));
      if (found !== undefined) return found;
      context.addIssue({ code: 'custom', message });
      return z.NEVER;
    })
    .meta({ title });
}

function measure(pattern: RegExp, units: Units, least: number): (text: string) => number | undefined {
  return (text) => {
    const match = pattern.exec(text);
    const unit = match ? units[match[2]!] : undefined;
    const value = match && unit !== undefined ? Math.round(Number(match[1]) * unit) : Number.NaN;
    return value >= least && value <= Number.MAX_SAFE_INTEGER ? value : undefined;
  };
}

const readRate = measure(RATE, RATES, 1);

function readShare(text: string): number | undefined {
  const match = SHARE.exec(text);
  const number = match ? Number(match[1]) / (match[2] === '%' ? 100 : 1) : Number.NaN;
  return number >= 0 && number <= 1 ? number : undefined;
}

function readStep(text: string): RateStep | undefined {
  const share = text.endsWith('%') ? readShare(text) : undefined;
  if (share !== undefined && share > 0) return { ofLine: share };
  const rate = readRate(text);
  return rate === undefined ? undefined : { rate };
}

/** Bits per second, more than none. */
export const rate = quantity('rate', readRate, 'a rate such as 100G (K, M, G, T: bits per second)');

/** Picoseconds. */
export const time = quantity('time', measure(TIME, TIMES, 0), 'a time such as 2ms (ns, us, ms, s)');

/** Picoseconds, more than none. */
export const span = quantity('time', measure(TIME, TIMES, 1), 'a time above 0 such as 2ms (ns, us, ms, s)');

export const octets = quantity(
  'octets',
  measure(SIZE, OCTETS, 0),
  'octets such as 9MiB (B, KB, MB, GB, KiB, MiB, GiB)',
);

/** At least one octet. */
export const someOctets = quantity(
  'octets',
  measure(SIZE, OCTETS, 1),
  'octets above 0 such as 9MiB (B, KB, MB, GB, KiB, MiB, GiB)',
);

/** 0 to 1. */
export const share = quantity('share', readShare, 'a share from 0 to 100% such as 50% or 0.5');

/** More than 0, to 1. */
export const someShare = quantity(
  'share',
  (text) => readShare(text) || undefined,
  'a share above 0, up to 100%, such as 50% or 0.5',
);

/** A rate, or with a per cent sign a share of that of the line. */
export const step = quantity(
  'rate or share',
  readStep,
  'a rate such as 40M, or a share of the line, up to 100%, such as 1%',
);

/** Picoseconds as a study has them: `300us`. */
export function formatTime(picoseconds: number): string {
  return inUnits(picoseconds, TIMES, 'ns');
}

/** Octets as a study has them: `64MiB`. */
export function formatOctets(octets: number): string {
  const unit = octets % 1024 === 0 ? ['GiB', 'MiB', 'KiB'] : ['GB', 'MB', 'KB'];
  const found = unit.find((name) => octets > 0 && octets % OCTETS[name]! === 0);
  return found === undefined ? `${octets}` : `${octets / OCTETS[found]!}${found}`;
}

/** Bits per second as a study has them: `40M`. */
export function formatRate(rate: number): string {
  return inUnits(rate, RATES, 'K');
}

export function formatStep(step: RateStep): string {
  return 'rate' in step ? formatRate(step.rate) : formatShare(step.ofLine);
}

/** `0.390625%`. */
export function formatShare(share: number): string {
  return `${Number((share * 100).toPrecision(12))}%`;
}

function inUnits(value: number, units: Units, least: string): string {
  const found = Object.keys(units)
    .reverse()
    .find((unit) => value >= units[unit]!);
  const unit = found ?? least;
  return `${value / units[unit]!}${unit}`;
}
