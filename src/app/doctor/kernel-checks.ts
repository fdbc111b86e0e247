/** What the kernel can do, against what a configuration asks of it. */
import { listed } from '../../core/net/counted.js';
import { NATIVE_PACKAGES, type NativePackage } from '../../edge/linux/diagnosis/features.js';
import type { RoutingTables } from '../../edge/linux/diagnosis/routing-tables.js';
import type { ForwardingSwitch } from '../../edge/linux/forwarding-switches.js';
import type { DaemonConfig } from '../config/daemon-config.js';
import { type Finding, ok, problem, warning } from './finding.js';
import { switchAction } from './switch-action.js';

export function checkVersion(release: string): Finding {
  const [major = 0, minor = 0] = release.split('.').map(Number);
  if (major > 5 || (major === 5 && minor >= 13)) return ok('kernel.version', `Linux ${release}`);
  const whole = major === 5 && minor >= 3;
  return (whole ? warning : problem)('kernel.version', {
    found: `Linux ${release}`,
    meaning: whole
      ? 'next-hop groups are there, resilient ones (5.13) are not: flows move when a member comes or goes'
      : 'there are no next-hop objects (5.3), over which all routes are written',
    action: 'run Linux 5.13 or newer; 6.6 for the eBPF plane, 6.7 for TCP-AO',
  });
}

/** @param disabled net.ipv6.conf.all.disable_ipv6; undefined where there is no IPv6 */
export function checkIpv6(disabled: number | undefined): Finding {
  if (disabled === 0) return ok('kernel.ipv6', 'IPv6 is on');
  return problem('kernel.ipv6', {
    found: disabled === undefined ? 'this kernel has no IPv6' : 'IPv6 is off on all interfaces',
    meaning: 'neighbours are found by IPv6 router advertisements, and sessions run over link-local addresses',
    action:
      disabled === undefined
        ? 'start the kernel without ipv6.disable=1, with the ipv6 module'
        : 'sysctl -w net.ipv6.conf.all.disable_ipv6=0',
  });
}

export function checkNextHops({ nextHopObstacle, resilientObstacle }: RoutingTables): Finding {
  if (nextHopObstacle !== undefined)
    return problem('kernel.next-hops', {
      found: `no next-hop objects: ${nextHopObstacle}`,
      meaning: 'no route can be written',
      action: 'run Linux 5.3 or newer',
    });
  if (resilientObstacle === undefined) return ok('kernel.next-hops', 'next-hop objects, and resilient groups of them');
  return warning('kernel.next-hops', {
    found: `no resilient groups: ${resilientObstacle}`,
    meaning: 'plain groups are used: all flows of a fallback may move when one of its members comes or goes',
    action: 'run Linux 5.13 or newer',
  });
}

/** Of the whole machine; those of an interface are with the links. What may be set is told among the changes. */
export function checkForwarding(switches: readonly ForwardingSwitch[], manage: boolean): Finding[] {
  const absent = switches.filter(({ before }) => before === undefined);
  const wrong = switches.filter(({ before, value }) => before !== undefined && before !== value);
  if (absent.length === 0 && (wrong.length === 0 || manage)) {
    const later = wrong.length === 0 ? 'as needed' : `${wrong.map(({ name }) => name).join(', ')} will be set`;
    return [ok('kernel.forwarding', `forwarding, and hashes over ports: ${later}`)];
  }
  return [...absent, ...(manage ? [] : wrong)].map(({ name, value, before, why }) =>
    problem('kernel.forwarding', {
      found: before === undefined ? `this kernel has no ${name}` : `${name} is ${before}, must be ${value}`,
      meaning: `${why}; the daemon refuses to start`,
      action: before === undefined ? 'run a kernel that has it' : switchAction(name, value),
    }),
  );
}

export interface SigningObstacles {
  readonly md5: string | undefined;
  readonly ao: string | undefined;
}

/** Signatures of TCP: a problem only where a session asks for them. */
export function checkSigning({ md5, ao }: SigningObstacles, config: DaemonConfig | undefined): Finding[] {
  const sessions = [...(config?.speaker.fabric ?? []), ...(config?.speaker.neighbours ?? [])];
  const withPassword = sessions.filter(({ password }) => password !== undefined).map(({ name }) => name);
  const withKey = sessions.filter(({ authenticationKey }) => authenticationKey !== undefined).map(({ name }) => name);
  return [
    signing('kernel.tcp-md5', 'TCP MD5 signatures (RFC 2385)', md5, withPassword),
    signing('kernel.tcp-ao', 'TCP-AO (RFC 5925)', ao, withKey),
  ];
}

function signing(
  check: 'kernel.tcp-md5' | 'kernel.tcp-ao',
  what: string,
  obstacle: string | undefined,
  users: readonly string[],
): Finding {
  const used = users.length === 0 ? '; no session uses it' : `; used by ${listed(users)}`;
  if (obstacle === undefined) return ok(check, `the kernel has ${what}${used}`);
  if (users.length === 0) return ok(check, `${obstacle}${used}`);
  return problem(check, {
    found: `${obstacle}${used}`,
    meaning: 'these sessions would not come up, and the daemon refuses the configuration',
    action:
      check === 'kernel.tcp-md5'
        ? 'run a kernel with CONFIG_TCP_MD5SIG'
        : 'run Linux 6.7 or newer with CONFIG_TCP_AO, or use password',
  });
}

export interface BpfState {
  readonly bpf: string | undefined;
  readonly tcx: string | undefined;
  /** The kernel says what its types are (/sys/kernel/btf). */
  readonly btf: boolean;
}

export function checkEbpf({ bpf, tcx, btf }: BpfState, wanted: boolean): Finding {
  const place = tcx === undefined ? 'tcx and XDP' : `clsact and XDP; ${tcx}`;
  const found = bpf ?? `bpf(2) with ${place}; ${btf ? 'BTF' : 'no BTF (programs of ours need none)'}`;
  if (!wanted) return ok('kernel.ebpf', `${found}; the configuration does not ask for an eBPF plane`);
  if (bpf === undefined) return ok('kernel.ebpf', found);
  return warning('kernel.ebpf', {
    found,
    meaning: 'the kernel would forward in place of the eBPF plane',
    action: 'run it as root, or with CAP_BPF, CAP_NET_ADMIN and CAP_PERFMON',
  });
}

export function checkPackages(obstacleOf: (name: NativePackage) => string | undefined): Finding[] {
  const obstacles = NATIVE_PACKAGES.flatMap((name) => {
    const found = obstacleOf(name);
    return found === undefined ? [] : [{ name, found }];
  });
  if (obstacles.length === 0) return [ok('packages', `native packages load: ${NATIVE_PACKAGES.join(', ')}`)];
  return obstacles.map(({ name, found }) =>
    problem('packages', {
      subject: name,
      found,
      meaning: 'the daemon cannot start; checking, replay and simulation work',
      action: `install a C++ compiler, make and python3, then npm rebuild ${name}`,
    }),
  );
}
