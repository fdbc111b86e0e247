/** One message in words: a line for the list, and the lines under it that `-v` adds. */
import { formatAddress } from '../../core/net/address.js';
import { formatMac } from '../../core/net/eui64.js';
import { formatIdentifier } from '../../core/net/identifier.js';
import { formatPrefix } from '../../core/net/prefix.js';
import { BFD_DIAGNOSTICS, BFD_STATES, type BfdControlPacket } from '../../core/wire/bfd.js';
import { formatAsPath } from '../../core/wire/bgp/attributes/as-path.js';
import { capabilityNames } from '../../core/wire/bgp/capabilities/capability-names.js';
import { colourOf } from '../../core/wire/bgp/colour.js';
import { formatAttributes } from '../../core/wire/bgp/format.js';
import type { OpenMessage, RouteRefreshMessage } from '../../core/wire/bgp/message.js';
import { describeNotification } from '../../core/wire/bgp/notification.js';
import type { PathAttributes } from '../../core/wire/bgp/path-attributes.js';
import type { NdMessage, NdOption } from '../../core/wire/icmpv6/nd-message.js';
import type { DecodedMessage } from './bgp-dialogue.js';
import type { ReplayContent, TcpContent } from './replay-event.js';
import type { ReplayedRoute, RouteList, UpdateContents } from './update-contents.js';

export interface MessageText {
  readonly summary: string;
  readonly details: readonly string[];
}

/** Prefixes in a summary before the rest is only counted. */
const LISTED_PREFIXES = 4;

export function messageText(content: ReplayContent): MessageText {
  switch (content.kind) {
    case 'bgp':
      return bgpText(content.message);
    case 'nd':
      return ndText(content.message);
    case 'bfd':
      return bfdText(content.packet);
    case 'tcp':
      return plain(tcpSummary(content));
    case 'note':
      return plain(content.text);
    case 'closed':
      return plain(content.how);
    case 'state':
      return plain(`${content.from} -> ${content.to}`);
  }
}

function plain(summary: string): MessageText {
  return { summary, details: [] };
}

function bgpText(message: DecodedMessage): MessageText {
  switch (message.kind) {
    case 'open':
      return openText(message);
    case 'update':
      return updateText(message);
    case 'keepalive':
      return plain('');
    case 'notification':
      return plain(describeNotification(message));
    case 'route-refresh':
      return plain(refreshSummary(message));
    case 'error':
      return plain(`${message.reason} (${message.code}/${message.subcode})`);
  }
}

function openText(open: OpenMessage): MessageText {
  const fqdn = open.capabilities.find((capability) => capability.kind === 'fqdn');
  const name = fqdn ? `  ${fqdn.hostname}` : '';
  return {
    summary: `AS ${open.asn}  id ${formatIdentifier(open.identifier)}  hold ${open.holdTime} s${name}`,
    details: [`capabilities: ${open.capabilities.flatMap(capabilityNames).join(', ') || 'none'}`],
  };
}

const REFRESH_SUBTYPES = ['request', 'beginning', 'end'] as const;

function refreshSummary({ afi, safi, subtype }: RouteRefreshMessage): string {
  return `${REFRESH_SUBTYPES[subtype] ?? `subtype ${subtype}`}  AFI ${afi} SAFI ${safi}`;
}

function updateText(update: UpdateContents): MessageText {
  const { announced, withdrawn, unread, errors, endOfRib } = update;
  const parts = [
    ...(endOfRib ? [`End-of-RIB ${endOfRib}`] : []),
    ...withdrawn.map((list) => `withdrawn ${prefixSummary(list)}`),
    ...announced.map((list) => [prefixSummary(list), ...attributeSummary(list.attributes)].join('  ')),
    ...unread.map(({ afi, safi }) => `AFI ${afi} SAFI ${safi}, which is not read`),
    ...errors.map(({ action, reason }) => `${action}: ${reason}`),
  ];
  return {
    summary: parts.join('  '),
    details: [
      ...withdrawn.map((list) => `withdrawn: ${list.routes.map(routeText).join(' ')}`),
      ...announced.flatMap((list) => [
        `announced: ${list.routes.map(routeText).join(' ')}`,
        ...attributeDetails(list.attributes),
      ]),
    ],
  };
}

function prefixSummary({ routes }: RouteList): string {
  const listed = routes.slice(0, LISTED_PREFIXES).map(routeText).join(' ');
  const rest = routes.length - LISTED_PREFIXES;
  return rest > 0 ? `${listed} and ${rest} more` : listed;
}

function routeText({ prefix, pathId }: ReplayedRoute): string {
  return pathId === undefined ? formatPrefix(prefix) : `${formatPrefix(prefix)} path ${pathId}`;
}

function attributeSummary(attributes: PathAttributes | undefined): string[] {
  if (!attributes) return [];
  const { asPath, nextHop, aigp } = attributes;
  const colour = colourOf(attributes);
  const gateway = nextHop?.linkLocal ?? nextHop?.global;
  return [
    `AS path ${formatAsPath(asPath) || 'empty'}`,
    ...(gateway ? [`next hop ${formatAddress(gateway)}`] : []),
    ...(colour === undefined ? [] : [`colour ${colour}`]),
    ...(aigp ? [`AIGP ${aigp.metric}`] : []),
  ];
}

function attributeDetails(attributes: PathAttributes | undefined): string[] {
  if (!attributes) return ['no usable attributes'];
  return Object.entries(formatAttributes(attributes)).map(
    ([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`,
  );
}

function ndText(message: NdMessage): MessageText {
  const details = message.options.map(optionText);
  switch (message.kind) {
    case 'router-solicitation':
      return { summary: '', details };
    case 'neighbor-solicitation':
    case 'neighbor-advertisement':
      return { summary: `target ${formatAddress(message.target)}`, details };
    case 'router-advertisement':
      return {
        summary: [`lifetime ${message.routerLifetime} s`, ...details].join('  '),
        details: [
          `hop limit ${message.hopLimit}, reachable ${message.reachableTime} ms, retransmit ${message.retransmitTimer} ms`,
          `preference ${message.preference}${message.managed ? ', managed' : ''}${message.otherConfiguration ? ', other configuration' : ''}`,
        ],
      };
  }
}

function optionText(option: NdOption): string {
  switch (option.kind) {
    case 'source-link-layer-address':
    case 'target-link-layer-address':
      return formatMac(option.address);
    case 'mtu':
      return `MTU ${option.mtu}`;
    case 'prefix-information':
      return `prefix ${formatPrefix(option.prefix)}${option.autonomous ? ' autonomous' : ''}${option.onLink ? ' on-link' : ''}`;
    case 'route-information':
      return `route ${formatPrefix(option.prefix)}`;
    case 'unknown':
      return `option ${option.type}`;
  }
}

function bfdText(packet: BfdControlPacket): MessageText {
  const flags = [packet.poll ? 'poll' : '', packet.final ? 'final' : ''].filter((flag) => flag !== '');
  const reason = packet.diagnostic === 0 ? '' : (BFD_DIAGNOSTICS[packet.diagnostic] ?? `reason ${packet.diagnostic}`);
  return {
    summary: [BFD_STATES[packet.state], ...flags, reason].filter((word) => word !== '').join('  '),
    details: [
      `discriminators ${packet.myDiscriminator} and ${packet.yourDiscriminator}, multiplier ${packet.detectMultiplier}`,
      `sends every ${packet.desiredMinTxInterval} us, takes every ${packet.requiredMinRxInterval} us`,
    ],
  };
}

function tcpSummary({ sourcePort, destinationPort, hopLimit, signed }: TcpContent): string {
  const key = signed === undefined ? '' : `  signed (${signed === 'md5' ? 'MD5' : 'TCP-AO'})`;
  return `port ${sourcePort} to ${destinationPort}  hop limit ${hopLimit}${key}`;
}
