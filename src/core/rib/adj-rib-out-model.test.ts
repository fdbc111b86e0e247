/**
 * The Adj-RIB-Out against its definition: whatever happened, in whatever slices and however slowly members read, each member
 * ends up with the export of the final selection and nothing else; with path identifiers (RFC 7911), with that of every path
 * that it is to be told; with options, as those say, and beside a default route of its own. When all is over, nothing is left.
 */

import { expect, it } from 'vitest';
import fc from '../../../test/harness/properties.js';
import { formatAddress, parseAddress } from '../net/address.js';
import { FAMILIES, familyOfAddress } from '../net/family.js';
import { originatedAttributes } from '../policy/dpf-policy.js';
import { exportAttributes } from '../policy/export-policy.js';
import type { SessionOptions } from '../policy/session-options.js';
import type { PathAttributes } from '../wire/bgp/path-attributes.js';
import { AdjRibOut } from './adj-rib-out.js';
import type { AdjRibOutMember } from './adj-rib-out-types.js';
import {
  attributesFrom,
  feed,
  gatewayText,
  LOCAL_AS,
  Neighbour,
  peerInfo,
  prefix,
  SEND_CAPABILITIES,
  settle,
} from './rib.fixture.js';
import { Rib } from './rib.js';
import { LOCAL_PEER, type PathView } from './types.js';

const DEFAULTS = ['0.0.0.0/0', '::/0'];
const PREFIXES = ['2001:db8:1::/64', '2001:db8:2::/64', '10.0.0.0/8', ...DEFAULTS];
const DPF = { localAs: LOCAL_AS, role: 'spine', aigpOrigin: 3n, aigpStep: 2n, clusterId: 0x0a000001 } as const;

/** Three share a group, and so do two of those with path identifiers; the others differ in what they are sent. */
const SESSIONS: readonly Pick<AdjRibOutMember, 'aigp' | 'sendColour' | 'colour' | 'external' | 'addPath'>[] = [
  { external: true, aigp: true, sendColour: true },
  { external: true, aigp: true, sendColour: true },
  { external: true, aigp: true, sendColour: true },
  { external: true, aigp: true, sendColour: true, colour: 1 },
  { external: true, aigp: false, sendColour: false },
  { external: false, aigp: true, sendColour: true },
  { external: true, aigp: true, sendColour: true, addPath: { 'ipv4-unicast': 'all', 'ipv6-unicast': 'all' } },
  { external: true, aigp: true, sendColour: true, addPath: { 'ipv4-unicast': 'all', 'ipv6-unicast': 'all' } },
  { external: true, aigp: true, sendColour: true, addPath: { 'ipv6-unicast': { best: 2 } } },
  { external: false, aigp: true, sendColour: true, addPath: { 'ipv4-unicast': 'multipath', 'ipv6-unicast': 'all' } },
];
/** Sessions with neighbours configured by a global address, which is their next hop. */
const BY_ADDRESS: readonly number[] = [4, 5, 9];
const globalOf = (n: number) => parseAddress(`2001:db8::${n}`)!;

/** What a session is told beside policy. */
interface Settings {
  readonly options: SessionOptions;
  readonly defaultRoute: boolean;
}

const settingsArb: fc.Arbitrary<Settings> = fc.record({
  options: fc.record(
    {
      sendCommunities: fc.constantFrom([], ['standard' as const]),
      asOverride: fc.constant(true),
      removePrivateAs: fc.constantFrom('private-paths' as const, 'all' as const, 'replace' as const),
      nextHop: fc.constantFrom('self' as const, 'self-always' as const, 'unchanged' as const),
      reflectorClient: fc.constant(true),
    },
    { requiredKeys: [] },
  ),
  defaultRoute: fc.boolean(),
});

/** The last AS does not tell who sent it: two peers may cause the same exported octets. */
const ROUTES: readonly Partial<PathAttributes>[] = [
  { asPath: [{ kind: 'sequence', asns: [66000] }] },
  { asPath: [{ kind: 'sequence', asns: [66000] }], aigp: { metric: 1n, otherTlvs: [] } },
  { ...originatedAttributes(1), asPath: [{ kind: 'sequence', asns: [66001, 66002] }], origin: 2 },
  { asPath: [{ kind: 'sequence', asns: [66000] }], communities: [0xffffff01] },
  { asPath: [{ kind: 'sequence', asns: [65001, 66000] }], communities: [7] },
  { asPath: [{ kind: 'sequence', asns: [65001] }], originatorId: 99, clusterList: [5] },
];

const session = fc.nat(SESSIONS.length - 1);
const some = fc.uniqueArray(fc.constantFrom(...PREFIXES), { minLength: 1 });
const route = fc.nat(ROUTES.length - 1);
const pathId = fc.constantFrom(1, 2, 0xffffffff);
const commandArb = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ kind: fc.constant('announce' as const), session, prefixes: some, route, pathId }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('withdraw' as const), session, prefixes: some, pathId }) },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constantFrom('originate' as const, 'retract' as const), prefixes: some }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constantFrom('up' as const, 'down' as const), session }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constantFrom('block' as const, 'open' as const), session }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('refresh' as const), session }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('retune' as const), session, settings: settingsArb }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('decide' as const) }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constantFrom('pump-slice' as const, 'pump' as const) }) },
);
type Command = typeof commandArb extends fc.Arbitrary<infer T> ? T : never;

/** Half of the histories are without options, so that sessions share groups. */
const historyArb = fc.record({
  commands: fc.array(commandArb, { maxLength: 80 }),
  settings: fc.oneof(
    fc.constant(SESSIONS.map((): Settings => ({ options: {}, defaultRoute: false }))),
    fc.tuple(...SESSIONS.map(() => settingsArb)),
  ),
});

interface Live {
  readonly peer: number;
  readonly neighbour: Neighbour;
  open: boolean;
}

class Router {
  readonly rib = new Rib({ localAs: LOCAL_AS });
  readonly out: AdjRibOut;
  readonly live: (Live | undefined)[] = SESSIONS.map(() => undefined);
  readonly settings: Settings[];

  constructor(logLimit: number, settings: readonly Settings[]) {
    this.settings = [...settings];
    this.out = new AdjRibOut(this.rib, { ...DPF, logLimit });
    this.rib.addSink(this.out);
  }

  up(n: number): void {
    const { external, addPath } = SESSIONS[n]!;
    const context = { fourOctetAs: true, addPath: addPath ? FAMILIES : [], externalPeer: external, aigp: true };
    const { options, defaultRoute } = this.settings[n]!;
    const byAddress = BY_ADDRESS.includes(n);
    const place = byAddress && { address: globalOf(n) };
    const peer = this.rib.addPeer(peerInfo(n + 1, { external, context, options, byAddress, ...place }));
    const identified = FAMILIES.filter((family) => addPath?.[family] !== undefined);
    const live: Live = { peer, neighbour: new Neighbour(external, identified), open: true };
    this.live[n] = live;
    this.out.join({
      peer,
      ...SESSIONS[n]!,
      nextHop: { linkLocal: parseAddress(ownNextHop(n))! },
      options,
      byAddress,
      remoteAs: remoteAsOf(n),
      defaultRoute: defaultRoute ? {} : undefined,
      capabilities: SEND_CAPABILITIES,
      send: (bytes) => {
        live.neighbour.take(bytes);
        return live.open;
      },
    });
  }

  down(n: number): void {
    const live = this.live[n];
    if (!live) return;
    this.live[n] = undefined;
    this.out.leave(live.peer);
    this.rib.removePeers([live.peer]);
  }

  run(command: Command): void {
    const { rib, out } = this;
    const live = 'session' in command ? this.live[command.session] : undefined;
    if (command.kind === 'announce' && live) {
      const attributes = attributesFrom(command.session + 1, {
        localPref: 100,
        ...ROUTES[command.route]!,
        ...(BY_ADDRESS.includes(command.session) && { nextHop: { global: globalOf(command.session) } }),
      });
      const { localPref: _, originatorId: __, clusterList: ___, ...external } = attributes;
      feed(rib, live.peer, {
        announce: command.prefixes,
        ...this.identified(command),
        attributes: SESSIONS[command.session]!.external ? external : attributes,
      });
    } else if (command.kind === 'withdraw' && live) {
      feed(rib, live.peer, { withdraw: command.prefixes, ...this.identified(command) });
    } else if (command.kind === 'originate')
      for (const text of command.prefixes) rib.originate(prefix(text), originatedAttributes(1));
    else if (command.kind === 'retract') for (const text of command.prefixes) rib.withdrawLocal(prefix(text));
    else if (command.kind === 'up' && !live) this.up(command.session);
    else if (command.kind === 'down') this.down(command.session);
    else if (command.kind === 'block' && live) live.open = false;
    else if (command.kind === 'open' && live) this.open(live);
    else if (command.kind === 'refresh' && live) out.refresh(live.peer);
    else if (command.kind === 'retune') this.retune(command.session, command.settings);
    else if (command.kind === 'decide') settle(rib);
    else if (command.kind === 'pump-slice') out.pump(() => true);
    else if (command.kind === 'pump') while (out.pump(() => false));
  }

  /** Sessions with path identifiers have them in both directions. */
  identified({ session, pathId }: { session: number; pathId: number }): { pathId?: number } {
    return SESSIONS[session]!.addPath ? { pathId } : {};
  }

  /** All but for whom we reflect, which stays as long as a session. */
  retune(n: number, { options: { reflectorClient: _, ...rest }, defaultRoute }: Settings): void {
    const { reflectorClient } = this.settings[n]!.options;
    const options = { ...rest, ...(reflectorClient && { reflectorClient }) };
    this.settings[n] = { options, defaultRoute };
    const live = this.live[n];
    const changed = { options, defaultRoute: defaultRoute ? {} : undefined };
    if (live) this.out.changeSessions(new Map([[live.peer, changed]]));
  }

  open(live: Live): void {
    live.open = true;
    this.out.resume(live.peer);
  }

  settle(): void {
    for (const live of this.live) if (live) this.open(live);
    settle(this.rib);
    while (this.out.pump(() => false));
  }

  /** By definition, from the selection: the attributes, and whose next hop. */
  expected(n: number, text: string): Told[] {
    const { options, defaultRoute } = this.settings[n]!;
    const byAddress = BY_ADDRESS.includes(n);
    const context = { ...DPF, ...SESSIONS[n]!, byAddress, remoteAs: remoteAsOf(n), options };
    const own = (attributes: PathAttributes): Told[] => {
      const told = exportAttributes({ attributes, source: 'local' }, context);
      return told ? [{ attributes: told, gateway: ownNextHop(n) }] : [];
    };
    if (defaultRoute && DEFAULTS.includes(text)) return own(originatedAttributes());
    return this.chosen(n, text).flatMap((path): Told[] => {
      if (path.peer === this.live[n]!.peer) return [];
      if (path.local) return own(path.attributes);
      const from = this.live.findIndex((live) => live?.peer === path.peer);
      const told = exportAttributes({ attributes: path.attributes, source: this.sourceOf(from) }, context);
      if (!told) return [];
      const { nextHop: _, ...attributes } = told;
      // RFC 4456 section 8: who said it first, inside the AS.
      const reflected = !SESSIONS[n]!.external && !SESSIONS[from]!.external;
      const originator = reflected && { originatorId: path.attributes.originatorId ?? from + 1 };
      const gateway = this.keeps(n, from) ? formatAddress(globalOf(from)) : ownNextHop(n);
      return [{ attributes: { ...attributes, ...originator }, gateway }];
    });
  }

  private sourceOf(from: number) {
    if (SESSIONS[from]!.external) return BY_ADDRESS.includes(from) ? 'border' : 'external';
    return this.settings[from]!.options.reflectorClient ? 'client' : 'internal';
  }

  /** RFC 4271 section 5.1.3, RFC 4456 section 10: the next hop that a route came with goes on. */
  private keeps(n: number, from: number): boolean {
    const { nextHop } = this.settings[n]!.options;
    if (!BY_ADDRESS.includes(from) || nextHop === 'self-always') return false;
    if (SESSIONS[n]!.external) return nextHop === 'unchanged';
    return nextHop !== 'self' || !SESSIONS[from]!.external;
  }

  private chosen(n: number, text: string): readonly PathView[] {
    const id = this.rib.find(prefix(text));
    if (id === undefined) return [];
    const selection = SESSIONS[n]!.addPath?.[familyOfAddress(prefix(text).address)];
    const { paths } = this.rib.explain(id);
    if (selection === 'all') return paths.filter(({ status }) => status !== 'hidden');
    if (selection === 'multipath') return this.rib.selection(id).primary;
    return bestOf(
      this.rib,
      paths.filter(({ status }) => status !== 'hidden'),
      { text, count: selection?.best ?? 1 },
    );
  }
}

interface Told {
  readonly attributes: PathAttributes;
  readonly gateway: string;
}

function ownNextHop(n: number): string {
  return `fe80::1:${n}`;
}

function remoteAsOf(n: number): number {
  return SESSIONS[n]!.external ? 65001 + n : LOCAL_AS;
}

/** The best path of a RIB that has these only; then without that one, and so on. */
function bestOf(rib: Rib, paths: readonly PathView[], { text, count }: { text: string; count: number }): PathView[] {
  const rest = new Rib({ localAs: LOCAL_AS });
  const peers = new Map<number, number>([[LOCAL_PEER, LOCAL_PEER]]);
  for (const { peer } of paths) {
    const info = rib.peer(peer);
    const context = { fourOctetAs: true, addPath: FAMILIES, externalPeer: info?.external ?? true, aigp: true };
    if (info && !peers.has(peer)) peers.set(peer, rest.addPeer({ ...info, context }));
  }
  for (const { peer, pathId, attributes } of paths) {
    if (peer === LOCAL_PEER) rest.originate(prefix(text), attributes);
    else feed(rest, peers.get(peer)!, { announce: [text], attributes, pathId });
  }
  const best: PathView[] = [];
  while (best.length < count && best.length < paths.length) {
    settle(rest);
    const found = rest.selection(rest.find(prefix(text))!).best!;
    best.push(paths.find((path) => peers.get(path.peer) === found.peer && path.pathId === found.pathId)!);
    if (found.local) rest.withdrawLocal(prefix(text));
    else feed(rest, found.peer, { withdraw: [text], pathId: found.pathId });
  }
  return best;
}

/** In an order of their own. */
function sorted(routes: (readonly [string, Told])[]): (readonly [string, Told])[] {
  const key = (value: unknown) =>
    JSON.stringify(value, (_, part: unknown) => (typeof part === 'bigint' ? `${part}n` : part));
  return routes.sort((a, b) => (key(a) < key(b) ? -1 : 1));
}

it('tells every member the export of the selection, after any history', () => {
  fc.assert(
    fc.property(historyArb, fc.constantFrom(0, 200, 1 << 20), ({ commands, settings }, logLimit) => {
      const router = new Router(logLimit, settings);
      for (const n of [0, 1, 3, 6, 8]) router.up(n);
      for (const command of commands) router.run(command);
      router.settle();
      for (const [n, live] of router.live.entries()) {
        if (!live) continue;
        const held = [...live.neighbour.routes].map(([text, { attributes }]) => {
          const { nextHop, ...rest } = attributes;
          return [text.split(' ')[0]!, { attributes: rest, gateway: gatewayText(nextHop)! }] as const;
        });
        const wanted = PREFIXES.flatMap((text) => router.expected(n, text).map((value) => [text, value] as const));
        expect(sorted(held)).toEqual(sorted(wanted));
        expect(router.out.counters(live.peer).advertised).toBe(wanted.length);
        expect(new Set(live.neighbour.endOfRib).size).toBe(2);
        expect(live.neighbour.endOfRib).toHaveLength(2);
      }
      for (const n of SESSIONS.keys()) router.down(n);
      for (const text of PREFIXES) router.rib.withdrawLocal(prefix(text));
      router.settle();
      expect(router.rib.totals()).toEqual({ prefixes: 0, paths: 0, accepted: 0, attributes: 0, undecided: 0 });
    }),
    { numRuns: 200 },
  );
});
