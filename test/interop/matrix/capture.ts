/** What went over link `plain`, as tcpdump at the peer's end saw it: evidence that neither side can colour. */
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { parsePrefix } from '../../../src/core/net/prefix.js';
import type { Capability } from '../../../src/core/wire/bgp/message.js';
import { decodeOpen } from '../../../src/core/wire/bgp/open.js';
import { messagesIn } from '../../harness/captured-messages.js';
import type { PeerContext } from './peers/peer.js';
import { type End, linkLocal, sessionAddress } from './plan.js';
import { until } from './until.js';

const FILE = 'plain.pcap';
const HEADER_OCTETS = 19;

export interface SeenMessage {
  readonly from: End;
  readonly type: number;
  readonly body: Uint8Array;
  /** Of the whole message. */
  readonly octets: number;
}

export async function startCapture(context: PeerContext): Promise<void> {
  const options = ['-i', 'plain', '-U', '--immediate-mode', '-Z', 'root', '-w', `/lab/${FILE}`];
  await context.assist('tcpdump', 'tcpdump', ...options, 'tcp', 'port', '179');
  const file = join(context.folder, FILE);
  await until(() => existsSync(file) && statSync(file).size > 0, 'tcpdump has started');
}

export function capturedMessages(context: PeerContext): readonly SeenMessage[] {
  const ours = [sessionAddress(context.addressing, 'plain', 1), linkLocal('plain', 1)];
  return messagesIn(FILE, readFileSync(join(context.folder, FILE))).map(({ stream, type, body }) => ({
    from: ours.some((address) => stream.startsWith(`${address}:`)) ? 1 : 2,
    type,
    body,
    octets: HEADER_OCTETS + body.length,
  }));
}

const OPEN = 1;

/** Capabilities of each OPEN of the peer, in the order in which they were sent. */
function peerCapabilities(context: PeerContext): readonly (readonly Capability[])[] {
  const opens = capturedMessages(context).filter(({ from, type }) => from === 2 && type === OPEN);
  return opens.map(({ body }) => {
    const open = decodeOpen(body);
    return open.kind === 'open' ? open.capabilities : [];
  });
}

const IPV6 = 2;

/** What each OPEN of the peer said about a restart (RFC 4724 section 3): whether IPv6 was forwarded on. */
export function peerRestarts(context: PeerContext): readonly { readonly preserved: boolean }[] {
  return peerCapabilities(context).map((capabilities) => {
    const restart = capabilities.find((capability) => capability.kind === 'graceful-restart');
    const families = restart?.families ?? [];
    return { preserved: families.some(({ afi, forwardingPreserved }) => afi === IPV6 && forwardingPreserved) };
  });
}

const RECEIVE = 1;
const SEND = 2;

/** Directions of path identifiers for IPv6 that the peer's last OPEN offers (RFC 7911 section 4). */
export function peerAddPath(context: PeerContext): { readonly receive: boolean; readonly send: boolean } {
  const capabilities = peerCapabilities(context).at(-1) ?? [];
  const modes = capabilities.flatMap((capability) =>
    capability.kind === 'add-path' ? capability.families.filter(({ afi }) => afi === IPV6) : [],
  );
  const offers = (bit: number) => modes.some(({ mode }) => (mode & bit) !== 0);
  return { receive: offers(RECEIVE), send: offers(SEND) };
}

const UPDATE = 2;
/** MP_UNREACH_NLRI for IPv6 unicast without a prefix, its attribute length in one octet or two (RFC 4724 section 2). */
const END_OF_RIB = ['00000006800f03000201', '00000007900f0003000201'];

/** Whether the peer's End-of-RIB for IPv6 came before a /64 after its last OPEN: then a helper has to drop that /64. */
export function endedBeforeRoute(context: PeerContext, prefix: string): boolean {
  const messages = capturedMessages(context).filter(({ from }) => from === 2);
  const session = messages.slice(messages.findLastIndex(({ type }) => type === OPEN) + 1);
  const updates = session.filter(({ type }) => type === UPDATE).map(({ body }) => Buffer.from(body).toString('hex'));
  const wanted = Buffer.from([64, ...parsePrefix(prefix)!.address.subarray(0, 8)]).toString('hex');
  const end = updates.findIndex((update) => END_OF_RIB.includes(update));
  const route = updates.findIndex((update) => update.includes(wanted));
  return end >= 0 && (route < 0 || end < route);
}

/** AIGP (RFC 7311 section 3): attribute 26 with its one TLV, before the value. */
const AIGP = '801a0b01000b';

export function leafSentAigp(context: PeerContext, value: number): boolean {
  const wanted = AIGP + value.toString(16).padStart(16, '0');
  return capturedMessages(context).some(
    ({ from, body }) => from === 1 && Buffer.from(body).toString('hex').includes(wanted),
  );
}
