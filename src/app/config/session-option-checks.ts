/** What no single key can tell of what neighbours are told: keys that do not fit together, options for a kind of neighbour that it is not. */
import { AS_TRANS, type AsRule, acceptsOnlyOwn } from '../../core/net/as-number.js';
import type { SessionOptions } from '../../core/policy/session-options.js';
import type { SwitchableCapability } from '../../core/speaker/switchable-capabilities.js';
import { wholeNeighbours } from './neighbour-settings.js';
import type { Sections } from './originations.js';
import type { FieldPath, Problem } from './problem.js';
import { sessionOptions } from './session-option-settings.js';

interface Subject {
  readonly path: FieldPath;
  readonly remoteAs: readonly AsRule[];
  readonly options: SessionOptions;
  /** `next-hop-self: false`, which is what internal neighbours have anyway. */
  readonly notSelf?: boolean;
  readonly capabilitiesOff?: readonly SwitchableCapability[];
}

export function sessionOptionChecks(config: Sections): Problem[] {
  const problems: Problem[] = [];
  const neighbours = wholeNeighbours(config).map(({ section, key, given }): Subject => {
    const path = [section, key];
    const { options = {} } = sessionOptions(given, {
      addIssue: (issue) => {
        const at = typeof issue === 'string' ? [] : (issue.path ?? []).map(String);
        const message = typeof issue === 'string' ? issue : (issue.message ?? '');
        problems.push({ severity: 'error', path: [...path, ...at], message });
      },
    });
    const notSelf = given['next-hop-self'] === false && !given['next-hop-unchanged'];
    return { path, remoteAs: given['remote-as'] ?? [], options, notSelf, capabilitiesOff: given.capabilities ?? [] };
  });
  const links = Object.entries(config.fabric ?? {}).map(
    ([name, { options = {}, acceptRemoteAs }]): Subject => ({
      path: ['fabric', name],
      remoteAs: acceptRemoteAs,
      options,
    }),
  );
  const { as } = config;
  const judged = as === undefined ? [] : [...links, ...neighbours].flatMap((subject) => wrongOptions(subject, as));
  return [...problems, ...judged];
}

function wrongOptions({ path, remoteAs, options, notSelf, capabilitiesOff }: Subject, as: number): Problem[] {
  const { localAs, reflectorClient, asOverride, removePrivateAs } = options;
  const own = localAs?.asn ?? as;
  const internal = remoteAs.length > 0 && acceptsOnlyOwn(remoteAs, own);
  const external = remoteAs.length > 0 && remoteAs.every((rule) => isExternal(rule, own));
  const problems: Problem[] = [];
  const add = (severity: Problem['severity'], key: string, message: string) =>
    problems.push({ severity, path: [...path, key], message });
  if (localAs?.asn === as) add('error', 'local-as', `${as} is our own AS already`);
  // RFC 6793 section 3: a speaker of two octets sees AS_TRANS, which is external to it.
  if (internal && own > 0xffff && capabilitiesOff?.includes('four-octet-as'))
    add(
      'error',
      'capabilities',
      `four-octet-as cannot be off inside AS ${own}: without it we are in AS ${AS_TRANS} (AS_TRANS) for this neighbour, not in its own`,
    );
  if (reflectorClient && external)
    add(
      'error',
      'route-reflector-client',
      'routes are reflected inside an AS; this neighbour is in another (RFC 4456)',
    );
  if (asOverride && internal) add('warning', 'as-override', 'has no effect: this neighbour is in our own AS');
  if (notSelf && external)
    add(
      'warning',
      'next-hop-self',
      'has no effect: this neighbour is in another AS; next-hop-unchanged keeps next hops',
    );
  if (removePrivateAs && internal)
    add('warning', 'remove-private-as', 'has no effect: this neighbour is in our own AS');
  return problems;
}

function isExternal(rule: AsRule, own: number): boolean {
  if (rule.kind !== 'range') return rule.kind === 'external';
  return own < rule.first || own > rule.last;
}
