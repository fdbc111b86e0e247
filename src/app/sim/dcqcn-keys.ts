/** DCQCN's parameters as keys of a study: which there are depends on the profile's kind of DCQCN, and a key of the other kind is refused. */
import type { Ns3DcqcnParameters } from '../../simulator/hosts/dcqcn-ns3.js';
import type { PaperDcqcnParameters } from '../../simulator/hosts/dcqcn-paper.js';
import type { RateStep } from '../../simulator/hosts/rate-step.js';
import { type Dcqcn, PROFILE_NAMES, PROFILES, type ProfileName } from './profiles.js';
import { StudyProblem } from './study-problem.js';

const COMMON = {
  gain: 'gain',
  'alpha-interval': 'alphaInterval',
  'increase-interval': 'increaseInterval',
  'fast-recovery': 'fastRecovery',
  'additive-step': 'additive',
  'hyper-step': 'hyper',
  'least-rate': 'leastRate',
} as const;

/** Of each key the parameter. */
const CNP_KEYS = {
  ...COMMON,
  'cnp-interval': 'noticeInterval',
  'increase-octets': 'increaseOctets',
} as const satisfies Record<string, keyof PaperDcqcnParameters>;
const ECHO_KEYS = { ...COMMON, 'cut-interval': 'cutInterval' } as const satisfies Record<
  string,
  keyof Ns3DcqcnParameters
>;

export type DcqcnKey = keyof typeof CNP_KEYS | keyof typeof ECHO_KEYS;
type Value = number | RateStep;

/** The profile's parameters with those that a study gives. Throws StudyProblem. */
export function dcqcnWith(profile: ProfileName, given: Partial<Record<DcqcnKey, Value | undefined>>): Dcqcn {
  const { dcqcn } = PROFILES[profile];
  const entries = Object.entries(given).filter(([, value]) => value !== undefined);
  const keys: Partial<Record<string, string>> = dcqcn.kind === 'cnp' ? CNP_KEYS : ECHO_KEYS;
  for (const [key] of entries) {
    if (keys[key] !== undefined) continue;
    const others = PROFILE_NAMES.filter((name) => PROFILES[name].dcqcn.kind !== dcqcn.kind);
    throw new StudyProblem(
      ['transport', 'dcqcn', key],
      `the DCQCN of profile ${profile} has no such parameter, it is one of ${others.join(' and ')}; expected one of ${Object.keys(keys).join(', ')}`,
      true,
    );
  }
  const changes = Object.fromEntries(entries.map(([key, value]) => [keys[key]!, value]));
  return dcqcn.kind === 'cnp'
    ? { kind: 'cnp', parameters: { ...dcqcn.parameters, ...changes } }
    : { kind: 'echo', parameters: { ...dcqcn.parameters, ...changes } };
}

/** What a profile has for a key; undefined where its kind of DCQCN has none. */
export function dcqcnValue({ kind, parameters }: Dcqcn, key: DcqcnKey): Value | undefined {
  const keys: Partial<Record<string, string>> = kind === 'cnp' ? CNP_KEYS : ECHO_KEYS;
  const values: Partial<Record<string, Value>> = { ...parameters };
  return values[keys[key] ?? ''];
}
