import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createNamespace, deleteNamespace, inNamespace, ip, namespacesUnusable } from '../../../test/harness/netns.js';
import { formatAddress, parseAddress } from '../../core/net/address.js';
import type { NdPacket, NdSocket } from '../../core/ports/nd-socket.js';
import { encodeRouterAdvertisement, encodeRouterSolicitation } from '../../core/wire/icmpv6/encode-nd-message.js';
import { loadRawSocket } from './native.js';
import { LinuxNdSockets } from './nd-sockets.js';

const A = 'nd-socket-a';
const B = 'nd-socket-b';
const ALL_NODES = parseAddress('ff02::1')!;
const ALL_ROUTERS = parseAddress('ff02::2')!;
const RS = encodeRouterSolicitation({ kind: 'router-solicitation', options: [] });
const RA = encodeRouterAdvertisement({
  kind: 'router-advertisement',
  hopLimit: 64,
  managed: false,
  otherConfiguration: false,
  preference: 'medium',
  routerLifetime: 0,
  reachableTime: 0,
  retransmitTimer: 0,
  options: [{ kind: 'mtu', mtu: 1500 }],
});
const unusable = namespacesUnusable();
if (unusable) console.log(`skipped: ${unusable}`);

/** What arrived: `SOURCE TYPE`. */
type Heard = string[];

describe.skipIf(unusable)('ND sockets on a veth pair', () => {
  const sockets = new LinuxNdSockets();
  const opened: NdSocket[] = [];

  /** Opens the socket of `name`, a link of the namespace. */
  function open(namespace: string, name: string, heard: Heard, failed?: (reason: string) => void): NdSocket {
    const index = Number(/^(\d+):/.exec(ip('-n', namespace, '-o', 'link', 'show', name))![1]);
    const receive = ({ source, message }: NdPacket) => heard.push(`${formatAddress(source)} ${message[0]}`);
    const socket = inNamespace(namespace, () => sockets.open({ name, index }, receive, failed));
    opened.push(socket);
    return socket;
  }

  beforeAll(() => {
    for (const name of [A, B]) createNamespace(name);
    for (const link of ['x', 'y']) {
      ip('-n', A, 'link', 'add', `${link}0`, 'type', 'veth', 'peer', 'name', `${link}1`, 'netns', B);
      for (const [namespace, end] of [
        [A, 0],
        [B, 1],
      ] as const) {
        // The kernel solicits on its own, again and again.
        ip('netns', 'exec', namespace, 'sysctl', '-qw', `net.ipv6.conf.${link}${end}.router_solicitations=0`);
        ip('-n', namespace, 'link', 'set', `${link}${end}`, 'addrgenmode', 'none', 'up');
        ip(
          '-n',
          namespace,
          'address',
          'add',
          `fe80::${link === 'x' ? 1 : 2}${end}/64`,
          'dev',
          `${link}${end}`,
          'nodad',
        );
      }
    }
  });
  afterAll(() => {
    for (const socket of opened) socket.close();
    for (const name of [A, B]) deleteNamespace(name);
  });

  it('delivers solicitations and advertisements of the other end, multicast and unicast', async () => {
    const atA: Heard = [];
    const atB: Heard = [];
    const a = open(A, 'x0', atA);
    const b = open(B, 'x1', atB);
    a.send(ALL_ROUTERS, RS);
    await expect.poll(() => atB).toEqual(['fe80::10 133']);
    a.send(ALL_NODES, RA);
    await expect.poll(() => atB).toEqual(['fe80::10 133', 'fe80::10 134']);
    b.send(parseAddress('fe80::10')!, RA);
    await expect.poll(() => atA).toEqual(['fe80::11 134']);
  });

  it('hears only its own interface (maghemite #780)', async () => {
    const onX: Heard = [];
    const onY: Heard = [];
    open(B, 'x1', onX);
    open(B, 'y1', onY);
    open(A, 'y0', []).send(ALL_NODES, RA);
    await expect.poll(() => onY).toEqual(['fe80::20 134']);
    open(A, 'x0', []).send(ALL_NODES, RA);
    await expect.poll(() => onX).toEqual(['fe80::10 134']);
    expect(onY).toHaveLength(1);
  });

  it('accepts hop limit 255 and nothing else (RFC 4861 section 6.1.2)', async () => {
    const heard: Heard = [];
    open(B, 'x1', heard);
    const good = open(A, 'x0', []);
    for (const hopLimit of [64, 254, 1]) sendWithHopLimit(hopLimit);
    good.send(ALL_NODES, RA);
    await expect.poll(() => heard.length).toBe(1);
    sendWithHopLimit(255);
    await expect.poll(() => heard.length).toBe(2);
    sendWithHopLimit(64);
    good.send(ALL_NODES, RA);
    await expect.poll(() => heard.length).toBe(3);
  });

  it('does not hear its own messages, nor other ICMPv6', async () => {
    const atA: Heard = [];
    const atB: Heard = [];
    const a = open(A, 'x0', atA);
    open(B, 'x1', atB);
    const echoRequest = Uint8Array.of(128, 0, 0, 0, 0, 1, 0, 1);
    a.send(parseAddress('fe80::11')!, echoRequest);
    a.send(ALL_NODES, RA);
    await expect.poll(() => atB).toEqual(['fe80::10 134']);
    expect(atA).toEqual([]);
  });

  it('sends before it is closed', async () => {
    const heard: Heard = [];
    open(B, 'x1', heard);
    const a = open(A, 'x0', []);
    a.send(ALL_NODES, RA);
    a.close();
    await expect.poll(() => heard).toEqual(['fe80::10 134']);
  });

  it('tells what the kernel refused to send', () => {
    const failures: string[] = [];
    const socket = open(A, 'y0', [], (reason) => failures.push(reason));
    ip('-n', A, 'link', 'set', 'y0', 'down');
    socket.send(ALL_NODES, RA);
    ip('-n', A, 'link', 'set', 'y0', 'up');
    expect(failures).toEqual([expect.stringMatching(/unreachable|assign|down/i)]);
  });

  it('says which interface is missing', () => {
    const missing = () => inNamespace(A, () => sockets.open({ name: 'swp99', index: 99 }, () => undefined));
    expect(missing).toThrow('Neighbor Discovery cannot be set up on swp99: No such device');
  });

  function sendWithHopLimit(hopLimit: number): void {
    const socket = inNamespace(A, () =>
      loadRawSocket().createSocket({ addressFamily: 2, protocol: 58, bufferSize: 64 }),
    );
    socket.setOption(41, 18, hopLimit);
    socket.wrap.send(Buffer.from(RA), 0, RA.length, 'ff02::1%x0', () => undefined);
    socket.close();
  }
});
