/**
 * What `show neighbors NAME` says of everything that keeps a session down or empty: one leaf, its spine and a second leaf behind
 * it, on virtual time. The leaf is asked.
 */
import { describe, expect, it } from 'vitest';
import { parseAddress } from '../../core/net/address.js';
import { parsePrefix } from '../../core/net/prefix.js';
import { policy } from '../../core/policy/policy.fixture.js';
import type { BfdConfig, FabricInterfaceConfig, SpeakerConfig } from '../../core/speaker/config.js';
import { commandNeighbours } from '../../core/speaker/neighbour-commands.js';
import { link, router } from '../../core/speaker/plain-config.js';
import type { Neighbor } from '../../edge/control/schema.js';
import { VirtualFabric } from '../../simulator/virtual-fabric.js';
import { type Facts, linkAdvice } from './down-advice.js';
import { neighborViews } from './neighbor-view.js';
import { diagnose } from './neighbor-why.js';

const SECOND = 1000;

type Interface = Partial<FabricInterfaceConfig>;

interface Setting {
  readonly leaf?: Partial<SpeakerConfig>;
  readonly uplink?: Interface;
  readonly spine?: Partial<SpeakerConfig>;
  readonly downlink?: Interface;
  readonly leaf2?: Partial<SpeakerConfig>;
  readonly uplink2?: Interface;
}

const advertised = (...texts: string[]) => texts.map((text) => ({ prefix: parsePrefix(text)! }));

function routersOf({ leaf, uplink, spine, downlink, leaf2, uplink2 }: Setting): SpeakerConfig[] {
  return [
    router('leaf', 65101, {
      role: 'leaf',
      fabric: [link('to-spine', uplink)],
      advertise: advertised('fc00:1::/64'),
      ...leaf,
    }),
    router('spine', 65001, { fabric: [link('to-leaf', downlink), link('to-leaf2')], ...spine }),
    router('leaf2', 65102, {
      role: 'leaf',
      fabric: [link('to-spine', uplink2)],
      advertise: advertised('fc00:2::/64', 'fc00:3::/64'),
      ...leaf2,
    }),
  ];
}

async function fabricOf(setting: Setting): Promise<VirtualFabric> {
  const routers = routersOf(setting).map((config) => ({ name: config.name, config }));
  const wires = ['leaf', 'leaf2'].map((node) => ({
    a: { node, interface: 'to-spine' },
    b: { node: 'spine', interface: `to-${node}` },
  }));
  const log = { write: () => {} };
  const fabric = new VirtualFabric({ routers, hosts: [], wires }, { seed: 3, delay: 0.01, log: () => log });
  await fabric.start();
  fabric.raiseLinks();
  await wait(fabric, 10);
  return fabric;
}

const wait = (fabric: VirtualFabric, seconds: number) => fabric.clock.runUntil(fabric.clock.now() + seconds * SECOND);

function shown(fabric: VirtualFabric, node = 'leaf', name = 'to-spine'): Neighbor {
  return [...neighborViews(fabric.node(node).speaker!, fabric.clock, name)][0]!;
}

async function of(setting: Setting, seconds = 0): Promise<Neighbor> {
  const fabric = await fabricOf(setting);
  await wait(fabric, seconds);
  return shown(fabric);
}

const cable = (fabric: VirtualFabric, node = 'leaf') => fabric.node(node).links.byName('to-spine')!.cable!;

describe('a session that is up and carries routes', () => {
  it('is found by its address in any spelling', async () => {
    const fabric = await fabricOf({});
    const { name, address } = shown(fabric);
    const spelled = name.replace(address!, address!.toUpperCase().replace('::', ':0::'));
    expect(shown(fabric, 'leaf', spelled).name).toBe(name);
  });

  it('needs no explanation', async () => {
    const neighbor = await of({});
    expect(neighbor).toMatchObject({
      state: 'established',
      why: null,
      next: null,
      stale: null,
      settling: null,
      malformed: 0,
    });
    expect(neighbor.prefixes).toEqual({ received: 2, accepted: 2, advertised: 1 });
    expect(neighbor).toMatchObject({ hidden: [], tablePending: [], lastFailure: null, retryInMs: null });
  });

  it('is not looked at closely in the list of all', async () => {
    const fabric = await fabricOf({});
    const [neighbor] = neighborViews(fabric.node('leaf').speaker!, fabric.clock);
    expect(neighbor).toMatchObject({ why: null, hidden: null, withheld: null });
  });
});

describe('a session that is not up', () => {
  it.each<[string, Setting, RegExp, RegExp]>([
    [
      'wrong AS',
      { uplink: { acceptRemoteAs: [{ kind: 'range', first: 65009, last: 65009 }] } },
      /AS 65001, which is not accepted here \(accepted: 65009\)/,
      /accept-remote-as of to-spine/,
    ],
    [
      'an AS of ours that the neighbour does not take',
      { downlink: { acceptRemoteAs: [{ kind: 'range', first: 65109, last: 65109 }] } },
      /the neighbour sent .*Bad Peer AS/,
      /remote-as for us must be 65101/,
    ],
    [
      'an AS number for this neighbour alone that it does not take',
      {
        uplink: { options: { localAs: { asn: 65150, prependReceived: true, replaceAs: false } } },
        downlink: { acceptRemoteAs: [{ kind: 'range', first: 65101, last: 65101 }] },
      },
      /the neighbour sent .*Bad Peer AS/,
      /remote-as for us must be 65150/,
    ],
    [
      'no common family',
      { leaf: { families: ['ipv4-unicast'], advertise: [] } },
      /no common address family/,
      /activate a family at both ends/,
    ],
    [
      'the same router id in one AS',
      {
        leaf: { asn: 65001, identifier: 65001 },
        uplink: { acceptRemoteAs: [{ kind: 'range', first: 65001, last: 65001 }] },
        downlink: { acceptRemoteAs: [{ kind: 'range', first: 65001, last: 65001 }] },
      },
      /router-id/i,
      /another router-id/,
    ],
    ['no interface', { leaf: { fabric: [link('to-nowhere')] } }, /^no such interface$/, /create to-nowhere/],
    [
      'a password that only we have',
      { uplink: { password: 'secret' } },
      /could not connect: no answer/,
      /same password/,
    ],
    [
      'a password that only the neighbour has',
      { downlink: { password: 'secret' } },
      /could not connect: no answer/,
      /does the neighbour ask for a password/,
    ],
  ])('%s', async (_name, setting, why, next) => {
    const fabric = await fabricOf(setting);
    await wait(fabric, 5);
    const neighbor = shown(fabric, 'leaf', setting.leaf?.fabric?.[0]?.name);
    expect(neighbor.state).not.toBe('established');
    expect(neighbor.why).toMatch(why);
    expect(neighbor.next).toMatch(next);
  });

  it('interface down', async () => {
    const fabric = await fabricOf({});
    fabric.node('leaf').links.byName('to-spine')!.setAdmin(false);
    await wait(fabric, 1);
    expect(shown(fabric)).toMatchObject({ why: 'administratively down', next: 'ip link set to-spine up' });
  });

  it('no carrier', async () => {
    const fabric = await fabricOf({});
    fabric.node('spine').links.byName('to-leaf')!.setAdmin(false);
    await wait(fabric, 1);
    expect(shown(fabric)).toMatchObject({ why: 'no carrier', next: expect.stringContaining('cable') });
  });

  it('no router advertisement, after a neighbour that was there', async () => {
    const fabric = await fabricOf({});
    cable(fabric).silent = true;
    await wait(fabric, 100);
    const neighbor = shown(fabric);
    expect(neighbor).toMatchObject({ address: null, next: expect.stringContaining('suppress-ra') });
    expect(neighbor.why).toMatch(
      /^nobody is heard on to-spine: .*; the last neighbour went: its router advertisements stopped/,
    );
    expect(neighbor.lastDown?.agoMs).toBeGreaterThan(0);
  });

  it('hold timer', async () => {
    const fabric = await fabricOf({});
    cable(fabric).silent = true;
    await wait(fabric, 12);
    const neighbor = shown(fabric);
    expect(neighbor.why).toMatch(/silent for 9 s \(hold time\)/);
    expect(neighbor.next).not.toBeNull();
    expect(neighbor.retryInMs).toBeGreaterThan(0);
  });

  it('shut down by command, here and there with a text', async () => {
    const fabric = await fabricOf({});
    const tell = (kind: 'shutdown') =>
      commandNeighbours(fabric.node('leaf').speaker!.fabricLinks, 'to-spine', { kind, message: 'new optics' });
    expect(tell('shutdown').problem).toBeUndefined();
    await wait(fabric, 5);
    const here = shown(fabric);
    expect(here.why).toBe('shut down here: new optics');
    expect(here.next).toMatch(/^heddle neighbor fe80::[0-9a-f:]+%to-spine enable$/);
    const there = shown(fabric, 'spine', 'to-leaf');
    expect(there.why).toContain('"new optics"');
    expect(there.next).toMatch(/configure us there|shut down there on purpose/);
  });

  it('prefix limit', async () => {
    const limit = { limit: 1, warn: 75, action: 'shutdown' as const, restartAfter: 60 };
    const neighbor = await of({ uplink: { prefixLimits: { 'ipv6-unicast': limit } } });
    expect(neighbor.why).toBe('it announced more than 1 ipv6-unicast prefix');
    expect(neighbor.next).toMatch(/raise the limit.*enable/);
  });

  it('prefix limit of the neighbour', async () => {
    const limit = { limit: 0, warn: 75, action: 'shutdown' as const, restartAfter: 60 };
    const neighbor = await of({ downlink: { prefixLimits: { 'ipv6-unicast': limit } } });
    expect(neighbor.why).toContain('Maximum Number of Prefixes Reached');
    expect(neighbor.lastDown?.kind).toBe('notification-received');
  });

  const BFD: BfdConfig = { interval: 300, multiplier: 3, strict: false };
  const STRICT: BfdConfig = { ...BFD, strict: true };

  it('BFD down', async () => {
    const fabric = await fabricOf({ uplink: { bfd: BFD }, downlink: { bfd: BFD } });
    cable(fabric).silent = true;
    await wait(fabric, 1.5);
    expect(shown(fabric).why).toMatch(/BFD: .*Cease\/BFD Down/);
    expect(shown(fabric).next).toMatch(/heddle show bfd/);
  });

  it('BFD awaited in strict mode', async () => {
    const fabric = await fabricOf({ uplink: { bfd: STRICT }, downlink: { bfd: STRICT } });
    for (const node of ['leaf', 'spine']) {
      const [end] = [...fabric.node(node).links.all()];
      end!.bfdReceivers.clear();
    }
    commandNeighbours(fabric.node('leaf').speaker!.fabricLinks, 'to-spine', { kind: 'reset' });
    for (const node of ['leaf', 'spine']) [...fabric.node(node).links.all()][0]!.bfdReceivers.clear();
    await wait(fabric, 4);
    const neighbor = shown(fabric);
    expect(neighbor.state).toBe('open-confirm');
    expect(neighbor.why).toMatch(/waits for BFD \(strict mode\), which is Down/);
  });

  it('a restart, with its paths kept', async () => {
    const restarter = { restartTime: 60, longLived: 0, selectionDeferral: 30 };
    const helper: Interface = { restartHelper: { longest: 60, longLived: 0 } };
    const fabric = await fabricOf({ leaf: { restarter }, spine: { restarter }, uplink: helper });
    void fabric.node('spine').speaker!.stop({ kind: 'restart' });
    await wait(fabric, 3);
    const neighbor = shown(fabric);
    expect(neighbor.stale).toEqual({ paths: 2, longLived: false, forMs: expect.any(Number) });
    expect(neighbor.prefixes).toMatchObject({ received: 2, accepted: 2 });
    expect(neighbor.why).toMatch(/^the neighbour restarts: its 2 paths stay, stale/);
    await fabric.node('spine').start(routersOf({ spine: { restarter } })[1]!);
    await wait(fabric, 10);
    expect(shown(fabric)).toMatchObject({ state: 'established', why: null, stale: null });
  });
});

const FAMILIES: Partial<SpeakerConfig> = { families: ['ipv6-unicast', 'ipv4-unicast'] };
const BOTH: Setting = { leaf: FAMILIES, spine: FAMILIES };

describe('a session that is up and empty', () => {
  it('needs no more than both ends with extended-next-hop for IPv4', async () => {
    expect(await of(BOTH)).toMatchObject({ state: 'established', why: null, next: null });
  });

  it.each<[string, Setting, RegExp, RegExp | null]>([
    [
      'a neighbour with nothing to say',
      { leaf2: { advertise: [] } },
      /^the neighbour announces no routes$/,
      /RFC 8212/,
    ],
    [
      'a family that was not agreed',
      { leaf: { families: ['ipv6-unicast', 'ipv4-unicast'] }, leaf2: { advertise: [] } },
      /no routes \(ipv4-unicast was not agreed\)/,
      /family active/,
    ],
    [
      'IPv4 that no next hop carries, for we do not offer it',
      { ...BOTH, uplink: { capabilitiesOff: ['extended-next-hop'] } },
      /^ipv4-unicast was agreed, but carries nothing: IPv4 needs extended-next-hop \(RFC 8950\) .*we do not offer$/,
      /^take extended-next-hop: false out of capabilities here$/,
    ],
    [
      'IPv4 that no next hop carries, for the neighbour does not offer it',
      { ...BOTH, downlink: { capabilitiesOff: ['extended-next-hop'] } },
      /which the neighbour does not offer$/,
      /^switch it on at the neighbour/,
    ],
    [
      'policy rejects all',
      { uplink: { importPolicy: [policy('drain', { action: 'reject' })] } },
      /none of its 2 routes is used: rejected by import policy drain term 1/,
      /heddle policy test/,
    ],
    [
      'an export policy that lets nothing out',
      { uplink: { exportPolicy: [policy('quiet', { action: 'reject' })] } },
      /told nothing: rejected by export policy quiet term 1/,
      /heddle policy test/,
    ],
    ['AS loop', { leaf2: { asn: 65101 } }, /none of its 2 routes is used: our own AS is in the AS path/, /same AS/],
    [
      'next hops that are not on the link',
      {
        downlink: {
          exportPolicy: [policy('far', { set: { nextHop: parseAddress('2001:db8::9')! }, action: 'accept' })],
        },
      },
      /next hop 2001:db8::9 is not on the link/,
      /next-hop-self/,
    ],
    [
      'a leaf that carries no transit, and has nothing of its own',
      { leaf: { advertise: [] } },
      /told nothing: .*no transit|came from this neighbour/,
      null,
    ],
  ])('%s', async (_name, setting, why, next) => {
    const neighbor = await of(setting);
    expect(neighbor.state).toBe('established');
    expect(neighbor.why).toMatch(why);
    if (next) expect(neighbor.next).toMatch(next);
    else expect(neighbor.next).toBeNull();
  });

  const SESSION = { dpf: { mode: 'session' as const, aigpOrigin: 0n, aigpStep: 1n } };
  const blue = { advertise: [{ prefix: parsePrefix('fc00:1::/64')!, colour: 2 }] };

  it('colours that do not meet', async () => {
    const fabric = await fabricOf({
      leaf: { ...SESSION, ...blue },
      spine: SESSION,
      leaf2: SESSION,
      uplink: { colour: 1 },
      downlink: { colour: 2 },
    });
    expect(shown(fabric).why).toMatch(/told nothing: it has colour 2, the session colour 1/);
    expect(shown(fabric).next).toMatch(/session mode/);
  });

  it('a session whose other end has another colour hides all', async () => {
    const fabric = await fabricOf({
      leaf: { ...SESSION, ...blue },
      spine: SESSION,
      leaf2: SESSION,
      uplink: { colour: 2 },
      downlink: { colour: 1 },
    });
    const neighbor = shown(fabric, 'spine', 'to-leaf');
    expect(neighbor.why).toMatch(/its one route is not used: colour 2 on a session of colour 1/);
    expect(neighbor.next).toMatch(/the two ends of a link must have the same colour/);
  });
});

const UP = async (): Promise<Facts> => ({
  neighbor: await of({}),
  linkReason: undefined,
  as: 65101,
  families: ['ipv6-unicast'],
  prefixes: 3,
});

describe('what no simulated neighbour does', () => {
  const LOST = {
    kind: 'connection-lost',
    message: 'connection lost: reset by the neighbour',
    code: null,
    subcode: null,
  };
  const NONE = { received: 0, accepted: 0, advertised: 0 };
  const failed = (kind: string, message: string, code: number | null = null, subcode: number | null = null) => ({
    lastDown: { kind, message, code, subcode, agoMs: 5 },
    state: 'active' as const,
  });

  it.each<[string, Partial<Neighbor>, string, RegExp | null]>([
    [
      'GTSM',
      failed('connection-lost', 'connection lost: hop limit 64, not 255 (GTSM): set ttl security'),
      '(GTSM)',
      /ttl-security hops 1/,
    ],
    [
      'nothing listens',
      failed('connect-failed', 'could not connect: fe80::1 refused: nothing listens on its port 179'),
      'nothing listens',
      /start BGP/,
    ],
    [
      'nobody there',
      failed('connect-failed', 'could not connect: fe80::1 does not answer neighbour discovery'),
      'discovery',
      /ip neigh show dev to-spine/,
    ],
    [
      'an end without an OPEN',
      {
        ...failed('connection-lost', 'connection lost: closed by the neighbour'),
        messages: {
          sent: { open: 3, update: 0, notification: 0, keepalive: 0, routeRefresh: 0 },
          received: { open: 0, update: 0, notification: 0, keepalive: 0, routeRefresh: 0 },
        },
      },
      'closed by the neighbour',
      /TTL security/,
    ],
    [
      'a capability that is refused',
      failed('notification-received', 'the neighbour sent OPEN Message Error/Unsupported Capability (2/7)', 2, 7),
      '(2/7)',
      /capabilities under to-spine/,
    ],
    [
      'an identifier of 0.0.0.0',
      {
        ...failed('notification-sent', 'OPEN: BGP identifier 0.0.0.0; we sent it (2/3); since then it hung up', 2, 3),
        lastFailure: LOST,
      },
      'BGP identifier 0.0.0.0',
      /^give the neighbour a router-id: it has none/,
    ],
    [
      'our identifier in our AS',
      { ...failed('notification-sent', 'duplicate router-id; since then it hung up', 2, 3), lastFailure: LOST },
      'duplicate router-id',
      /^give one of the two routers another router-id$/,
    ],
    [
      'an OPEN with another fault',
      { ...failed('notification-sent', 'OPEN: version 3; we sent it (2/1)', 2, 1), lastFailure: LOST },
      'version 3',
      /^the OPEN of the neighbour is at fault/,
    ],
    [
      'another AS, and a neighbour that does not listen afterwards',
      {
        ...failed('notification-sent', 'AS 65009 is not accepted; since then could not connect', 2, 2),
        lastFailure: { kind: 'connect-failed', message: 'could not connect: refused', code: null, subcode: null },
      },
      'AS 65009 is not accepted',
      /^add its AS to/,
    ],
    [
      'a neighbour that does not listen, after an end that nobody can mend',
      {
        ...failed('link-down', 'the link went down; since then could not connect: refused'),
        lastFailure: { kind: 'connect-failed', message: 'could not connect: refused', code: null, subcode: null },
      },
      'the link went down',
      /^start BGP/,
    ],
    [
      'connections that end after the OPEN, without a word',
      { ...failed('connection-lost', LOST.message), lastFailure: LOST },
      'reset by the neighbour',
      /the log at the neighbour says why$/,
    ],
    [
      'a prefix limit of the neighbour, while nothing is told',
      { ...failed('notification-received', 'the neighbour sent it (6/1)', 6, 1), prefixes: NONE },
      '(6/1)',
      /^raise its prefix limit for us, or tell it less$/,
    ],
    [
      'a fault in an UPDATE of ours',
      failed('notification-received', 'the neighbour sent UPDATE Message Error (3/0)', 3, 0),
      '(3/0)',
      /its log says which/,
    ],
    [
      'a neighbour that does not read',
      failed('send-hold-expired', 'took nothing from us', 8, 0),
      'took nothing',
      /hangs/,
    ],
    [
      'faulty routes (RFC 7606)',
      { prefixes: { received: 0, accepted: 0, advertised: 1 }, malformed: 4 },
      '4 of its UPDATEs had faults',
      /the sender is at fault/,
    ],
    [
      'a table that is still coming',
      { prefixes: { received: 0, accepted: 0, advertised: 1 }, tablePending: ['ipv6-unicast'] },
      'no End-of-RIB yet',
      null,
    ],
    [
      'no import policy (RFC 8212)',
      {
        prefixes: { received: 2, accepted: 0, advertised: 1 },
        policies: { import: [], export: [], missing: ['no import policy (RFC 8212)'] },
      },
      'no import policy (RFC 8212)',
      /under import/,
    ],
    [
      'neither policy (RFC 8212)',
      {
        prefixes: { received: 2, accepted: 0, advertised: 0 },
        policies: { import: [], export: [], missing: ['no import policy (RFC 8212)', 'no export policy (RFC 8212)'] },
      },
      'no import policy (RFC 8212); no export policy (RFC 8212)',
      /under import and one under export/,
    ],
    [
      'no export policy (RFC 8212)',
      {
        prefixes: { received: 2, accepted: 2, advertised: 0 },
        policies: { import: [], export: [], missing: ['no export policy (RFC 8212)'] },
      },
      'no export policy (RFC 8212)',
      /under export/,
    ],
  ])('%s', async (_name, change, why, next) => {
    const facts = await UP();
    const diagnosis = diagnose({ ...facts, neighbor: { ...facts.neighbor, ...change } });
    expect(diagnosis.why).toContain(why);
    if (next) expect(diagnosis.next).toMatch(next);
    else expect(diagnosis.next).toBeNull();
  });

  it('a first attempt that is under way', async () => {
    const facts = await UP();
    const neighbor = { ...facts.neighbor, state: 'connect' as const, lastDown: null };
    expect(diagnose({ ...facts, neighbor }).why).toBe('the first attempt is under way');
  });

  it('a passive session that nobody has opened', async () => {
    const facts = await UP();
    const waiting = { state: 'active' as const, lastDown: null, passive: true };
    const place = { address: '192.0.2.1', localAddress: '192.0.2.2' };
    const diagnosis = diagnose({ ...facts, neighbor: { ...facts.neighbor, ...waiting, ...place } });
    expect(diagnosis.why).toBe('passive: we wait for the neighbour to connect');
    expect(diagnosis.next).toMatch(/from 192\.0\.2\.1 to 192\.0\.2\.2/);
  });

  it.each([
    ['no link-local address', /disable_ipv6/],
    ['duplicate address: another node on the link uses fe80::1', /another MAC/],
    ['duplicate address: another node on eth5 uses 2001:db8::1', /another address/],
    ['eth5: administratively down', /^ip link set eth5 up$/],
    ['eth5: no carrier', /cable/],
    ['eth5: no link-local address', /net\.ipv6\.conf\.eth5\./],
    ['no interface eth9', /correct its name/],
    ['no route to 192.0.2.1', /route/],
    ['192.0.2.1 is our own address, on eth0', /another address/],
    ['192.0.2.1 is on no subnet of ours (with multihop it need not be)', /multihop/],
    ['our address 192.0.2.9 is on no interface', /correct source/],
    ['our address 192.0.2.9 is on no interface with a subnet that has 10.0.0.1 in it', /correct source/],
    ['eth0 has no address for it: name one as source', /source: /],
  ])('an interface with %s', (reason, advice) => {
    expect(linkAdvice(reason, 'to-spine')).toMatch(advice);
  });
});
