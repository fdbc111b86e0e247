import { describe, expect, it } from 'vitest';
import { parseMac } from '../../core/net/eui64.js';
import type { AddressCondition, HostAddress } from '../lab/hosts.js';
import { type LabPlan, planLab } from '../lab/plan.js';
import { parseTopology } from '../lab/read-topology.js';
import { hostPlan } from './host-plan.js';
import { livePort, plannedPort, uplinksOf } from './host-ports.js';
import { ncclEnvironment } from './nccl-environment.js';

function planOf(extra = ''): LabPlan {
  const parsed = parseTopology(`name: x\nspines: 2\nleaves: 2\n${extra}`);
  if (!parsed.topology) throw new Error('a wrong topology');
  return planLab(parsed.topology);
}

const lab = planOf();
const uplinks = uplinksOf(lab);
const macs = ['02:00:00:00:00:01', '02:00:00:00:00:02'].map((text) => parseMac(text)!);
const planned = lab.hosts.map((host, index) => plannedPort(host, macs[index], uplinks, 2));

/** As the kernel of a host has them, the first prefix's last formed. */
function seen(host: number, conditions: readonly AddressCondition[]): HostAddress[] {
  return conditions.map((condition, index) => ({
    prefix: `fc00:${host}:1:${index + 1}::/64`,
    colour: index + 1,
    expected: `fc00:${host}:1:${index + 1}::${host}`,
    condition,
    usable: condition === 'preferred' || condition === 'deprecated',
    ...(condition !== 'missing' && { valid: 7000, preferred: 0, position: conditions.length - 1 - index }),
  }));
}

const live = (conditions: readonly AddressCondition[]) => [
  livePort(lab.hosts[0]!, seen(1, conditions), uplinks, 2),
  livePort(lab.hosts[1]!, seen(2, ['preferred', 'preferred']), uplinks, 2),
];

describe('the plan of a pair', () => {
  it('follows from MACs alone, with the ports that Linux picks', () => {
    const plan = hostPlan({ source: 'x', pattern: 'pair', hosts: planned, uplinks });
    expect(plan.even).toBe(true);
    expect(plan.connections[0]?.queuePairs).toEqual([
      {
        number: 1,
        uplink: 1,
        uplinkName: 'spine1',
        spine: 'spine1',
        colour: 1,
        source: 'fc00:1:1:1:0:ff:fe00:1',
        destination: 'fc00:2:1:1:0:ff:fe00:2',
        sourceQp: 17,
        destinationQp: 17,
        sourcePort: 0xc000 | (17 * 17),
        gidIndex: 3,
        destinationGidIndex: 3,
      },
      expect.objectContaining({ number: 2, spine: 'spine2', colour: 2, gidIndex: 5 }),
    ]);
  });

  it('has prefixes in place of the addresses of a host whose MAC is not known', () => {
    const hosts = [planned[0]!, plannedPort(lab.hosts[1]!, undefined, uplinks, 1)];
    const plan = hostPlan({ source: 'x', pattern: 'pair', hosts, uplinks });
    expect(plan.connections[0]?.queuePairs[1]).toMatchObject({
      source: 'fc00:1:1:2:0:ff:fe00:1',
      destination: 'fc00:2:1:2::/64',
      destinationGidIndex: 2,
    });
    expect(plan.problems).toEqual([expect.stringMatching(/^host2: MAC not known/)]);
  });

  it('takes GID indices from the order in which a host formed its addresses', () => {
    const [pair] = hostPlan({
      source: 'x',
      pattern: 'pair',
      hosts: live(['preferred', 'preferred']),
      uplinks,
    }).connections;
    expect(pair?.queuePairs.map(({ gidIndex }) => gidIndex)).toEqual([5, 3]);
  });

  it.each([
    [
      'missing',
      'host1: has no address in fc00:1:1:2::/64: the prefix is not advertised to it, or it forms none (colour 2)',
    ],
    ['tentative', 'host1: fc00:1:1:2::1 is not valid yet: duplicate address detection runs (colour 2)'],
    [
      'duplicate',
      'host1: fc00:1:1:2::1 is not valid: duplicate address detection found another node that has it (colour 2)',
    ],
    ['deprecated', 'host1: fc00:1:1:2::1 is deprecated: not for new queue pairs, and gone in 7000 s (colour 2)'],
  ] as const)('leaves out and names an address that is %s', (condition, problem) => {
    const plan = hostPlan({ source: 'x', pattern: 'pair', hosts: live(['preferred', condition]), uplinks });
    expect(plan.problems).toEqual([problem]);
    expect(plan.even).toBe(false);
    expect(plan.connections[0]?.queuePairs.map(({ spine }) => spine)).toEqual(['spine1']);
    expect(plan.connections[0]?.verdict).toContain('host1 has no usable address for spine2 (colour 2)');
  });

  it('counts the IPv4 addresses of a host, which are there before SLAAC', () => {
    const both = planOf('addressing: { ipv4: "10.{leaf}.{host}{uplink}.0/24" }\n');
    const hosts = both.hosts.map((host, index) => plannedPort(host, macs[index], uplinksOf(both), 2));
    const [pair] = hostPlan({ source: 'x', pattern: 'pair', hosts, uplinks: uplinksOf(both) }).connections;
    expect(pair?.queuePairs.map(({ gidIndex }) => gidIndex)).toEqual([7, 9]);
  });

  it('tells links to one spine apart', () => {
    expect(uplinksOf(planOf('links-per-pair: 2\n')).map(({ name, spine }) => `${name} ${spine}`)).toEqual([
      'spine1/1 spine1',
      'spine1/2 spine1',
      'spine2/1 spine2',
      'spine2/2 spine2',
    ]);
  });
});

describe('the plan of a job', () => {
  it('says what each uplink of each leaf carries', () => {
    const plan = hostPlan({ source: 'x', pattern: 'ring', hosts: planned, uplinks });
    expect(plan.connections.map(({ source, destination }) => `${source} ${destination}`)).toEqual([
      'host1 host2',
      'host2 host1',
    ]);
    expect(plan.loads).toEqual(
      ['leaf1', 'leaf2'].flatMap((leaf) => ['spine1', 'spine2'].map((uplink) => ({ leaf, uplink, out: 1, in: 1 }))),
    );
    expect(plan.even).toBe(true);
  });
});

describe('the environment of NCCL', () => {
  it('has a GID index for each queue pair, and the one that NCCL itself takes', () => {
    const plan = hostPlan({ source: 'x', pattern: 'ring', hosts: planned, uplinks, queuePairs: 3 });
    const lines = ncclEnvironment(plan).filter((line) => line !== '' && !line.startsWith('#'));
    expect(lines.slice(0, lines.length / 2)).toEqual([
      'NCCL_IB_QPS_PER_CONNECTION=3',
      'NCCL_IB_SPLIT_DATA_ON_QPS=1',
      'NCCL_IB_ROCE_VERSION_NUM=2',
      'NCCL_IB_ADDR_FAMILY=AF_INET6',
      'NCCL_IB_GID_INDEX=3',
      'HEDDLE_QP_GID_INDEX=3,5,3',
      'HEDDLE_QP_SOURCE=fc00:1:1:1:0:ff:fe00:1,fc00:1:1:2:0:ff:fe00:1,fc00:1:1:1:0:ff:fe00:1',
      'HEDDLE_QP_UPLINK=spine1,spine2,spine1',
      'HEDDLE_QP_DESTINATION_HOST2=fc00:2:1:1:0:ff:fe00:2,fc00:2:1:2:0:ff:fe00:2,fc00:2:1:1:0:ff:fe00:2',
    ]);
  });

  it('says when there is nothing to bind', () => {
    const hosts = live(['missing', 'missing']);
    expect(ncclEnvironment(hostPlan({ source: 'x', pattern: 'pair', hosts, uplinks }))).toEqual([
      '# host1: no queue pair has an address at both ends',
    ]);
  });
});
