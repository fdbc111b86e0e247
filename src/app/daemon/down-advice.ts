/** What to do about a session that is not up, by what ended or refused it: one sentence for the operator. */
import { countedPrefixes } from '../../core/net/counted.js';
import type { Family } from '../../core/net/family.js';
import type { Neighbor } from '../../edge/control/schema.js';

/** What a session is judged by: what `show neighbors` says of it, and of ourselves. */
export interface Facts {
  readonly neighbor: Omit<Neighbor, 'why' | 'next'>;
  /** Why the interface cannot be used. */
  readonly linkReason: string | undefined;
  /** Ours towards this neighbour (RFC 7705). */
  readonly as: number;
  readonly families: readonly Family[];
  /** Prefixes that this router could tell of. */
  readonly prefixes: number;
}

export type Failure = NonNullable<Neighbor['lastFailure']>;

/** `eth0: ` stands in front where the configuration does not name the interface. */
const ON_INTERFACE = /^(\S+): /;

export function linkAdvice(given: string, link: string): string | null {
  const name = ON_INTERFACE.exec(given)?.[1] ?? link;
  return placeAdvice(given) ?? interfaceAdvice(given.replace(ON_INTERFACE, ''), name);
}

/** Of a neighbour given by its address. */
function placeAdvice(reason: string): string | null {
  if (reason.includes('is our own address')) return 'the neighbor has another address: correct it in the configuration';
  if (reason.startsWith('no interface')) return 'create it, or correct its name in the configuration';
  if (reason.startsWith('no route to'))
    return 'a static route or an IGP must lead to it; a default route does not count';
  if (reason.includes('name one as source')) return 'source: one of our addresses that the neighbor has a route to';
  if (reason.startsWith('our address') && reason.includes('is on no interface'))
    return 'ip addr add it, or correct source in the configuration';
  return reason.includes('is on no subnet')
    ? 'ip addr add an address of its subnet, correct the address in the configuration, or say how far away it is: multihop'
    : null;
}

function interfaceAdvice(reason: string, name: string): string | null {
  if (reason === 'no such interface') return `create ${name}, or correct its name in the configuration`;
  if (reason === 'administratively down') return `ip link set ${name} up`;
  if (reason === 'no carrier') return 'look at the cable, the optics and the port at the other end';
  if (reason === 'no link-local address') {
    return `look at net.ipv6.conf.${name}.disable_ipv6 (0) and net.ipv6.conf.${name}.addr_gen_mode (0)`;
  }
  if (reason.startsWith('duplicate address')) {
    return `give one of the two nodes another ${reason.includes('on the link') ? 'MAC address' : 'address'}`;
  }
  return null;
}

export function downAdvice(facts: Facts, failure: Failure): string | null {
  switch (failure.kind) {
    case 'connect-failed':
      return connectAdvice(facts, failure.message);
    case 'connection-lost':
      return lostAdvice(facts, failure.message);
    case 'notification-sent':
      return adviceOf(SENT, facts, failure);
    case 'notification-received':
      return adviceOf(RECEIVED, facts, failure);
    case 'bfd-down':
      return 'the link drops packets, or BFD at the neighbour stopped: heddle show bfd';
    case 'send-hold-expired':
      return 'its BGP process hangs, or a path that loses large packets: ping it with packets of the full MTU';
    case 'neighbour-expired':
      return SEND_ADVERTISEMENTS;
    default:
      return null;
  }
}

const SEND_ADVERTISEMENTS =
  'the neighbour must send router advertisements on the link (FRR: no ipv6 nd suppress-ra; BIRD: protocol radv), or connect to us';

export function unheardAdvice(): string {
  return SEND_ADVERTISEMENTS;
}

/** Of a neighbour that says nothing of why it ends the connection. */
export function silenceAdvice({ kind }: Failure): string | null {
  return kind === 'connection-lost' ? 'it hangs up without a NOTIFICATION: the log at the neighbour says why' : null;
}

function adviceOf(table: Readonly<Record<string, Advice>>, facts: Facts, failure: Failure): string | null {
  const { code, subcode, message } = failure;
  const advice = table[`${code}/${subcode}`] ?? table[String(code)];
  return advice?.(facts, message) ?? null;
}

function connectAdvice({ neighbor }: Facts, message: string): string {
  if (message.includes('nothing listens') || message.includes('refused')) {
    return 'start BGP at the neighbour, and let it listen on this link';
  }
  if (/neighbour discovery|ARP/.test(message)) {
    return `is it there, with this address? ip neigh show dev ${neighbor.interface}; ping ${neighbor.address}`;
  }
  const { tcpAo, md5 } = neighbor.security;
  return `${SILENT[tcpAo ? 'authenticated' : md5 ? 'signed' : 'plain']}; look for a packet filter as well`;
}

/** A kernel that expects a signature, or another one, drops segments without an answer (RFC 2385 section 2). */
const SILENT = {
  signed:
    'both ends need the same password: nstat -az TcpExtTCPMD5Failure TcpExtTCPMD5NotFound counts what was dropped',
  authenticated:
    'both ends need the same TCP-AO key, its two ids the other way round: nstat -az TcpExtTCPAOBad TcpExtTCPAOKeyNotFound counts',
  plain: 'does the neighbour ask for a password? then it is needed here too',
};

function lostAdvice({ neighbor }: Facts, message: string): string | null {
  if (message.includes('(GTSM)')) return TTL_SECURITY;
  const { messages } = neighbor;
  if (messages.received.open > 0) return null;
  return (
    `it closes before its OPEN: is ${neighbor.localAddress ?? 'our address'} configured there as a neighbour, ` +
    'and does its TTL security let us in?'
  );
}

type Advice = (facts: Facts, message: string) => string;

const TTL_SECURITY =
  'at the neighbour (FRR: neighbor ... ttl-security hops 1; BIRD: ttl security on), or gtsm: auto here';

const ANOTHER_IDENTIFIER = 'give one of the two routers another router-id';

/** By code and subcode of what we sent, or by the code alone. */
const SENT: Readonly<Record<string, Advice>> = {
  '1': () => 'is it BGP that the other end speaks on this port?',
  '2/2': ({ neighbor: { configured, name, interface: link } }) =>
    `add its AS to ${configured ? `remote-as of ${name}` : `accept-remote-as of ${link}`}, or correct the AS at the neighbour`,
  // RFC 6286 section 2.1 and RFC 4271 section 6.2: 0.0.0.0 is nobody's, whatever ours is.
  '2/3': (_facts, message) =>
    message.includes('0.0.0.0')
      ? 'give the neighbour a router-id: it has none (FRR: bgp router-id; BIRD: router id)'
      : ANOTHER_IDENTIFIER,
  '2/6': () => 'give the neighbour a hold time of 0, or of 3 seconds and more',
  '2/7': () => 'activate a family at both ends: families here, address-family at the neighbour',
  '2': () =>
    'the OPEN of the neighbour is at fault: look for a newer version of it, or for what it is told to offer us',
  '3': () => 'the log has what was wrong with the UPDATE; its sender is at fault',
  '4': () => 'does the link lose packets one way, or does the neighbour hang? BFD would find out sooner',
  '6/10': () => 'switch BFD on at the neighbour, or strict off here: heddle show bfd',
};

/** The same of what was received. */
const RECEIVED: Readonly<Record<string, Advice>> = {
  '2/2': ({ as }) => `the neighbour takes us for another AS: its remote-as for us must be ${as}`,
  '2/3': () => ANOTHER_IDENTIFIER,
  '2/7': ({ neighbor }) =>
    `leave out what it does not take: capabilities under ${neighbor.configured ? neighbor.name : neighbor.interface}`,
  '2': () => 'the neighbour does not take our OPEN: its log says what it wants',
  '3': () => 'the neighbour found fault with an UPDATE of ours: its log says which',
  '4': () => 'the neighbour heard nothing from us for its hold time: does the link lose packets one way?',
  '6/1': ({ neighbor: { prefixes } }) =>
    `raise its prefix limit for us, or tell it less${prefixes.advertised > 0 ? ` (${countedPrefixes(prefixes.advertised)} now)` : ''}`,
  '6/2': () => 'it was shut down there on purpose: ask its operator',
  '6/3': () => 'the neighbour has no configuration for us any more',
  '6/5': ({ neighbor, as }) =>
    `configure us there: ${neighbor.localAddress ?? 'our address'} on this link, remote AS ${as}; or it waits after failures`,
  '6/8': () => 'the neighbour is out of resources: its log says of which',
  '6/10': () => 'BFD at the neighbour saw the path break: heddle show bfd',
};
