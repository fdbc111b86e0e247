/**
 * The shape of a configuration file. Keys are kebab-case as in YAML; `color` and `neighbor` spellings are accepted
 * beside the British ones. What spans several fields is judged in cross-checks.ts.
 */
import { z } from 'zod';
import { type Address, compareBytes, formatAddress } from '../../core/net/address.js';
import { contains, formatPrefix, type Prefix } from '../../core/net/prefix.js';
import type { HostPrefix } from '../../core/speaker/config.js';
import { balancingSettings } from './balancing-settings.js';
import { bfdSettings } from './bfd-settings.js';
import { controlSettings } from './control-settings.js';
import * as value from './file-values.js';
import { lifetimeKeys, lifetimesOf } from './lifetime-settings.js';
import { bmpSettings, mrtSettings } from './monitoring-settings.js';
import { neighbours, peerGroups } from './neighbour-settings.js';
import { ebpfSettings, planeSetting } from './plane-settings.js';
import { communityLists, policies, policyNames, prefixLists } from './policy-schema.js';
import { restart } from './restart-settings.js';
import { bandwidth, coloured, sessionKeys, sessionSettings } from './session-settings.js';
import { spelled } from './spelling.js';

const backed = {
  'backup-colours': z
    .array(value.colour, 'expected a list of colours')
    .optional()
    .describe('Session mode: the prefix goes over the sessions of these colours too, as a fallback. Default: none.'),
  'backup-colors': z.array(value.colour, 'expected a list of colours').optional().describe('As backup-colours.'),
};

/** The backup colours given, as the part of the prefix that they are; absent when there are none. */
function backupOf(given: { [key in keyof typeof backed]?: readonly number[] | undefined }, context: z.RefinementCtx) {
  const colours = spelled(given['backup-colours'], given['backup-colors'], 'backup-colours', context) ?? [];
  return colours.length > 0 ? { backupColours: [...new Set(colours)] } : {};
}

const linkBandwidth = z.strictObject({
  advertise: bandwidth
    .optional()
    .describe(
      'Octets a second that routes sent to neighbours are said to have, or auto: the speed of the link they are sent over. ' +
        'Default: what they came with.',
    ),
  use: value
    .flag()
    .optional()
    .describe('Share the traffic of equal paths by it, when each of them has it. Default: true.'),
});

const acceptedAs = value.asRules.describe(
  'AS numbers a neighbour may have: external, 65001, 65001-65010, or a list of these. Default: external.',
);

const fabricInterface = z
  .strictObject({ 'accept-remote-as': acceptedAs.optional(), ...sessionKeys })
  .nullable()
  .transform((given, context) => ({
    acceptRemoteAs: given?.['accept-remote-as'] ?? [{ kind: 'external' as const }],
    ...sessionSettings(given ?? {}, context),
  }));

const prefixEntry = z.strictObject({ prefix: value.prefix, ...coloured, ...backed }).transform((given, context) => {
  const colour = spelled(given.colour, given.color, 'colour', context);
  return { prefix: given.prefix, ...(colour !== undefined && { colour }), ...backupOf(given, context) };
});

const hostPrefix = z
  .strictObject({
    prefix: value.prefix,
    gateway: value.address.optional().describe("This router's address on the link. Default: the first one, ::1."),
    ...lifetimeKeys,
    ...coloured,
    ...backed,
  })
  .transform((given, context): HostPrefix => {
    const colour = spelled(given.colour, given.color, 'colour', context);
    const gateway = given.gateway ?? firstAddress(given.prefix);
    const lengthProblem = hostLengthProblem(given.prefix);
    if (lengthProblem !== undefined) context.addIssue({ code: 'custom', path: ['prefix'], message: lengthProblem });
    const gatewayProblem = lengthProblem === undefined ? hostGatewayProblem(given.prefix, gateway) : undefined;
    if (gatewayProblem !== undefined) context.addIssue({ code: 'custom', path: ['gateway'], message: gatewayProblem });
    return {
      prefix: given.prefix,
      gateway,
      ...lifetimesOf(given, context),
      ...(colour !== undefined && { colour }),
      ...backupOf(given, context),
    };
  });

function firstAddress(prefix: Prefix): Address {
  const address = Uint8Array.from(prefix.address);
  address[address.length - 1]! |= 1;
  return address;
}

/** RFC 4862 section 5.5.3: a prefix forms addresses only when it and the interface identifier make 128 bits. */
function hostLengthProblem(prefix: Prefix): string | undefined {
  const text = formatPrefix(prefix);
  if (prefix.address.length === 16) {
    return prefix.length === 64
      ? undefined
      : `${text} is not a /64: hosts form their addresses by SLAAC, which needs one`;
  }
  return prefix.length <= 31 ? undefined : `${text} leaves no room for a gateway and a host`;
}

function hostGatewayProblem(prefix: Prefix, gateway: Address): string | undefined {
  const text = formatAddress(gateway);
  if (!contains(prefix, gateway)) return `gateway ${text} is outside ${formatPrefix(prefix)}`;
  const hostBits = prefix.address.length * 8 - prefix.length;
  if (hostBits > 1 && compareBytes(gateway, prefix.address) === 0) {
    return `${text} is the address of the whole ${formatPrefix(prefix)}, not of one router in it`;
  }
  return undefined;
}

const timers = z
  .strictObject({
    hold: value.holdTime.optional().describe('Hold time offered, seconds. Default: 9.'),
    'connect-retry': value.connectRetry.optional().describe('Seconds between attempts to connect. Default: 10.'),
    'send-hold': value
      .wholeNumber(0, 65535, 'seconds')
      .optional()
      .describe(
        'Seconds a peer may take no bytes before it is dropped (RFC 9687); 0 is off. Default: 480, or twice hold if that is more.',
      ),
    'router-advertisement': value.seconds(1, 1800).optional().describe('Seconds between steady RAs. Default: 10.'),
    'neighbour-lifetime': value
      .seconds(1, 9000)
      .optional()
      .describe('Seconds a silent neighbour stays known. Default: three times router-advertisement.'),
    'neighbor-lifetime': value.seconds(1, 9000).optional().describe('As neighbour-lifetime.'),
  })
  .transform((given, context) => {
    const advertisement = given['router-advertisement'] ?? 10;
    const lifetime = spelled(given['neighbour-lifetime'], given['neighbor-lifetime'], 'neighbour-lifetime', context);
    const hold = given.hold ?? 9;
    const sendHold = given['send-hold'] ?? Math.max(480, 2 * hold);
    if (sendHold !== 0 && sendHold <= hold) {
      const message = `send-hold ${sendHold} must be longer than hold ${hold} (RFC 9687 section 3.1)`;
      context.addIssue({ code: 'custom', path: ['send-hold'], message });
    }
    if (lifetime !== undefined && lifetime <= advertisement) {
      const message = `neighbours would expire between two RAs: longer than router-advertisement (${advertisement}) needed`;
      context.addIssue({ code: 'custom', path: ['neighbour-lifetime'], message });
    }
    return {
      hold,
      connectRetry: given['connect-retry'] ?? 10,
      sendHold,
      routerAdvertisement: Math.round(advertisement * 1000),
      neighbourLifetime: Math.round((lifetime ?? 3 * advertisement) * 1000),
    };
  });

const dpf = z
  .strictObject({
    mode: z
      .enum(['policy', 'session'], 'expected policy or session')
      .optional()
      .describe(
        'policy: every route on every session, AIGP on the session of its colour. session: an interface of a colour, on leaf ' +
          'and spine, carries only the routes of that colour and those without one. Default: policy.',
      ),
    'aigp-origin': value
      .wholeNumber(0, Number.MAX_SAFE_INTEGER)
      .optional()
      .describe('AIGP put on the preferred session. Default: 0.'),
    'aigp-step': value
      .wholeNumber(1, Number.MAX_SAFE_INTEGER)
      .optional()
      .describe('Added to AIGP when next hop becomes this router (RFC 7311 section 3.4). Default: 1.'),
  })
  .transform((given) => ({
    mode: given.mode ?? ('policy' as const),
    aigpOrigin: BigInt(given['aigp-origin'] ?? 0),
    aigpStep: BigInt(given['aigp-step'] ?? 1),
  }));

const fib = z
  .strictObject({
    buckets: value.wholeNumber(1, 65535).optional().describe('Buckets of a fallback group. Default: 128.'),
    'idle-timer': value
      .seconds(0, 3600)
      .optional()
      .describe('Seconds a bucket is idle before it may move (0.01 is the least that counts). Default: 0.02.'),
    install: z
      .boolean('expected true or false')
      .optional()
      .describe(
        'False puts no route into the kernel: a route reflector or route server beside the way of the packets. Default: true.',
      ),
  })
  .transform((given) => ({
    buckets: given.buckets ?? 128,
    idleTimer: given['idle-timer'] ?? 0.02,
    ...(given.install === false && { install: false }),
  }));

const hostInterface = z.strictObject({
  prefixes: z
    .array(hostPrefix, 'expected a list of prefixes')
    .min(1, 'expected at least one prefix')
    .describe('Prefixes of the hosts on the link, each with our address there.'),
});

/** Top-level keys one by one, so that a section can be judged while another is broken. */
export const sections = {
  name: value.nodeName,
  role: z.enum(['leaf', 'spine'], 'expected leaf or spine').describe('A leaf originates; a spine passes on.'),
  as: value.asNumber.describe("This router's AS number."),
  'router-id': value.routerId.optional().describe('BGP identifier. Default: the AS number as a dotted quad.'),
  'cluster-id': value.routerId
    .optional()
    .describe('Of this route reflector and those beside it (RFC 4456). Default: router-id.'),
  families: value.families.optional().describe('Address families of the sessions. Default: both.'),
  port: value
    .wholeNumber(1, 65535, 'a TCP port')
    .optional()
    .describe('TCP port of BGP, here and at neighbours. Default: 179.'),
  fabric: z
    .record(value.interfaceName, fabricInterface, 'expected interfaces, each with its settings (or none)')
    .optional()
    .describe('Interfaces towards other routers.'),
  neighbors: neighbours.optional(),
  neighbours: neighbours.optional(),
  'peer-groups': peerGroups.optional(),
  hosts: z
    .record(value.interfaceName, hostInterface, 'expected interfaces, each with its prefixes')
    .optional()
    .describe('Interfaces towards hosts.'),
  advertise: z
    .array(prefixEntry, 'expected a list of prefixes')
    .optional()
    .describe('Prefixes originated without a host interface.'),
  'prefix-lists': prefixLists.optional(),
  'community-lists': communityLists.optional(),
  policies: policies.optional(),
  import: policyNames.optional().describe('Policies for what comes in, where an interface names none of its own.'),
  export: policyNames.optional().describe('Policies for what goes out, where an interface names none of its own.'),
  dpf: dpf.optional().describe('Deterministic path forwarding: how colours choose paths.'),
  'graceful-restart': restart.optional().describe('Graceful restart (RFC 4724). Default: none.'),
  'hold-down': value.holdDown
    .optional()
    .describe(
      'Seconds that the session of a neighbour which was away must be up before its paths are preferred again. Default: 0.',
    ),
  'wait-for-convergence': value
    .wholeNumber(1, 3600, 'seconds')
    .optional()
    .describe(
      'Seconds after a start for which no route is selected or told until all neighbours have sent theirs (End-of-RIB). ' +
        'Default: not at all.',
    ),
  bfd: bfdSettings.optional().describe('BFD on every fabric interface that does not say otherwise. Default: none.'),
  'next-next-hop': value
    .flag()
    .optional()
    .describe('Tell neighbours, in routes that are passed on, the routers behind this one (NNHN). Default: false.'),
  'accept-as-sets': value
    .flag()
    .optional()
    .describe(
      'Use routes with an AS_SET in their AS_PATH. Default: false, such a route counts as withdrawn (RFC 9774).',
    ),
  'link-bandwidth': linkBandwidth.optional().describe('Unequal-cost multipath (RFC 10005).'),
  timers: timers.optional().describe('Of sessions and of router advertisements.'),
  fib: fib.optional().describe('Routes and groups of next hops in the kernel.'),
  'load-balancing': balancingSettings.optional().describe('How the traffic of several next hops is spread.'),
  plane: planeSetting,
  ebpf: ebpfSettings.optional().describe('How the programs of `plane: ebpf` balance, and where they stand.'),
  sysctl: z
    .enum(['set', 'check'], 'expected set or check')
    .optional()
    .describe('Kernel switches the fabric needs: set them, or only check them and refuse. Default: set.'),
  bmp: bmpSettings.optional().describe('Monitoring stations (BMP, RFC 7854). Default: none.'),
  mrt: mrtSettings.optional().describe('Recording in MRT files (RFC 6396). Default: none.'),
  'control-socket': value.socketPath
    .optional()
    .describe('Socket that `heddle show` and other commands use. Default: /run/heddle/NAME.sock.'),
  control: controlSettings.optional().describe('The control API over TCP, beside the socket. Default: none.'),
  'log-level': z
    .enum(['debug', 'info', 'warn', 'error'], 'expected debug, info, warn or error')
    .optional()
    .describe('The least that is logged. Default: info.'),
  rehearsal: value
    .flag()
    .optional()
    .describe(
      'Once started, play a small network inside the process, so that the first failure is handled as fast as later ones. Default: true.',
    ),
};

export const fileSchema = z.strictObject(sections).meta({
  title: 'heddle configuration',
  description: 'One leaf or one spine.',
  anyOf: [{ required: ['fabric'] }, { required: ['neighbors'] }, { required: ['neighbours'] }],
});

export type FileConfig = z.output<typeof fileSchema>;
