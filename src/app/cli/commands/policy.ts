/** `heddle policy test`: what the policies of a file make of one route, term by term. */
import { type Command, InvalidArgumentError, Option } from 'commander';
import { type Address, parseAddress } from '../../../core/net/address.js';
import { parseAsNumber } from '../../../core/net/as-number.js';
import { type Prefix, parsePrefix } from '../../../core/net/prefix.js';
import { type Community, parseCommunity } from '../../../core/policy/community-text.js';
import { CompiledChain, type TermStep, type Verdict } from '../../../core/policy/compile-policy.js';
import type { Policy } from '../../../core/policy/policy.js';
import { colourCommunity } from '../../../core/wire/bgp/colour.js';
import type { AsPathSegment, PathAttributes } from '../../../core/wire/bgp/path-attributes.js';
import { colourOfName } from '../../config/colour-names.js';
import { readConfig } from '../../config/read-config.js';
import { CommandError, EXIT_CODES_HELP, EXIT_USAGE } from '../exit-codes.js';
import { policyTestJson, renderPolicyTest } from '../render/policy-test.js';
import { complain, print, printJson, terminalPaint } from '../terminal.js';
import { policyPlace } from './policy-place.js';

const EXAMPLES = `
Examples:
  heddle policy test leaf1.yaml --policy drain --prefix fc00:1:1:1::/64 --colour 1 --aigp 1
  heddle policy test leaf1.yaml --policy tag --policy drain --prefix 10.0.0.0/8 --community 65000:1 --as-path "65001 65101"
  heddle policy test spine1.yaml --policy out --prefix fc00::/64 --export --neighbor to-leaf1 --json

--neighbor is a neighbour of the file, or a fabric interface, or who is heard there (fe80::1%to-spine1). It says what becomes of a route
that no term decides: accepted on a fabric interface and inside the AS, rejected from and towards another AS (RFC 8212).

${EXIT_CODES_HELP}`;

interface TestOptions {
  readonly policy?: readonly string[];
  readonly prefix: Prefix;
  readonly community?: readonly Community[];
  readonly colour?: readonly number[];
  readonly aigp?: bigint;
  readonly asPath?: readonly AsPathSegment[];
  readonly nextHop?: Address;
  readonly origin: PathAttributes['origin'];
  readonly neighbor?: string;
  readonly export?: true;
  readonly import?: true;
  readonly json?: true;
}

export function register(program: Command): void {
  const policy = program
    .command('policy')
    .description('try policies of a configuration file')
    .addHelpText('after', EXAMPLES);
  policy
    .command('test')
    .description('show which term of a policy decides about a route, and what is set')
    .argument('FILE', 'configuration file (YAML)')
    .option('--policy <NAME>', 'policy to ask; several are asked in this order', collect(text))
    .requiredOption('--prefix <PREFIX>', 'prefix of the route', checked(parsePrefix, 'expected a prefix'))
    .option('--community <C>', 'community of any kind; may be given several times', collect(communityOf))
    .option('--colour <N>', 'colour, by number or name; may be given several times', collect(colourOf))
    .option('--aigp <N>', 'AIGP', checked(metricOf, 'expected 0 to 18446744073709551615'))
    .option('--as-path <PATH>', 'AS path, as in "65001 {65002,65003}"', checked(asPathOf, 'expected an AS path'))
    .option('--next-hop <ADDRESS>', 'next hop', checked(parseAddress, 'expected an address'))
    .addOption(
      new Option('--origin <O>', 'igp, egp or incomplete')
        .argParser(checked(originOf, 'expected igp, egp or incomplete'))
        .default(0, 'igp'),
    )
    .option('--neighbor <NAME>', 'neighbour of the session: its address in the file, or a fabric interface')
    .option('--import', 'as for a route that comes in (the default)')
    .option('--export', 'as for a route that goes out')
    .option('--json', 'as JSON')
    .addHelpText('after', EXAMPLES)
    .action(test);
}

function test(file: string, options: TestOptions): void {
  if (options.import && options.export) throw new CommandError('choose one of --import and --export', EXIT_USAGE);
  if (options.policy === undefined) throw new CommandError('name the policy to ask: --policy NAME', EXIT_USAGE);
  const { config, warnings } = readConfig(file);
  complain(warnings);
  const chain = new CompiledChain(options.policy.map((name) => named(config.policies, name)));
  const attributes = attributesOf(options);
  const steps: TermStep[] = [];
  const place = policyPlace(options.neighbor, config.speaker);
  const subject = { attributes, hits: chain.hits(options.prefix), session: place.session };
  const verdict: Verdict = chain.evaluate(subject, config.speaker.asn, (step) => void steps.push(step));
  const result = {
    prefix: options.prefix,
    direction: options.export ? 'export' : 'import',
    steps,
    before: attributes,
    verdict,
    side: place.side,
  } as const;
  if (options.json) printJson(policyTestJson(result));
  else print(renderPolicyTest(result, terminalPaint()));
}

function named(policies: readonly Policy[], name: string): Policy {
  const found = policies.find((policy) => policy.name === name);
  if (found) return found;
  const known = policies.map((policy) => policy.name).join(', ') || 'none';
  throw new CommandError(`no policy ${name} in the file; there is ${known}`, EXIT_USAGE);
}

function attributesOf({ community = [], colour = [], aigp, asPath, nextHop, origin }: TestOptions): PathAttributes {
  const communities = community.flatMap((one) => (one.kind === 'standard' ? [one.value] : []));
  const extended = community.flatMap((one) => (one.kind === 'extended' ? [one.value] : []));
  const large = community.flatMap((one) => (one.kind === 'large' ? [one.value] : []));
  const extendedCommunities = [...extended, ...colour.map(colourCommunity)];
  return {
    origin,
    asPath: asPath ?? [],
    ...(communities.length > 0 && { communities }),
    ...(extendedCommunities.length > 0 && { extendedCommunities }),
    ...(large.length > 0 && { largeCommunities: large }),
    ...(aigp !== undefined && { aigp: { metric: aigp, otherTlvs: [] } }),
    ...(nextHop && {
      nextHop: nextHop.length === 16 && nextHop[0] === 0xfe ? { linkLocal: nextHop } : { global: nextHop },
    }),
  };
}

function checked<T>(parse: (text: string) => T | undefined, expected: string): (text: string) => T {
  return (given) => {
    const value = parse(given);
    if (value === undefined) throw new InvalidArgumentError(`${expected}.`);
    return value;
  };
}

/** For options that may be given several times. */
function collect<T>(parse: (text: string) => T): (text: string, before?: readonly T[]) => readonly T[] {
  return (given, before = []) => [...before, parse(given)];
}

function text(given: string): string {
  return given;
}

const communityOf = checked(parseCommunity, 'expected a community such as 65000:1, rt:65000:1 or 65000:1:2');

const colourOf = checked((given: string) => {
  const number = /^\d{1,10}$/.test(given) ? Number(given) : colourOfName(given);
  return number !== undefined && number <= 0xffffffff ? number : undefined;
}, 'expected a colour');

function metricOf(given: string): bigint | undefined {
  return /^\d{1,20}$/.test(given) && BigInt(given) < 2n ** 64n ? BigInt(given) : undefined;
}

function originOf(given: string): PathAttributes['origin'] | undefined {
  if (given === 'igp') return 0;
  if (given === 'egp') return 1;
  return given === 'incomplete' ? 2 : undefined;
}

/** The text form: `65001 65002 {65003,65004}`. */
function asPathOf(given: string): readonly AsPathSegment[] | undefined {
  const segments: AsPathSegment[] = [];
  for (const word of given
    .trim()
    .split(/\s+/)
    .filter((part) => part !== '')) {
    const set = /^\{([\d.]+(?:,[\d.]+)*)\}$/.exec(word);
    const asns = (set?.[1] ?? word).split(',').flatMap((asn) => parseAsNumber(asn) ?? []);
    if (asns.length !== (set?.[1] ?? word).split(',').length || asns.includes(0)) return undefined;
    const last = segments.at(-1);
    if (set) segments.push({ kind: 'set', asns });
    else if (last?.kind === 'sequence')
      segments[segments.length - 1] = { kind: 'sequence', asns: [...last.asns, ...asns] };
    else segments.push({ kind: 'sequence', asns });
  }
  return segments;
}
