/** Subflows followed through kernels, in a fabric of heddle and BIRD: what the lookups say, and what the counters say of it. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { labUnusable, startLab } from '../../../test/harness/lab.js';
import { hostPlan } from '../host/host-plan.js';
import { livePort, uplinksOf } from '../host/host-ports.js';
import { tearDown } from '../lab/build.js';
import { run } from '../lab/command.js';
import { hostAddresses } from '../lab/hosts.js';
import { type Lab, namespaceOf } from '../lab/lab.js';
import { failLink, healLink, silenceLink } from '../lab/links.js';
import { poll } from '../lab/poll.js';
import { chosenSubflows } from './subflows.js';
import { type Trace, traceSubflow } from './trace.js';

const unusable = labUnusable({ peers: true });
if (unusable) console.log(`skipped: ${unusable}`);

const PATIENCE = { timeout: 120_000, interval: 200 };

describe.skipIf(unusable)('the trace of a subflow', () => {
  let lab: Lab;

  beforeAll(async () => {
    // No session ends while a link is silent.
    lab = await startLab(
      'name: trace\nspines: 3\nleaves: 2\nimplementations: { spine3: bird }\ntimers: { hold: 90 }\n',
    );
  });
  afterAll(() => tearDown(lab));

  async function traced(queuePair: number, sourcePort?: number): Promise<Trace> {
    const choice = { source: 'host1', destination: 'host2', queuePair, ...(sourcePort && { sourcePort }) };
    const [subflow] = await chosenSubflows(lab, choice);
    return traceSubflow(lab, subflow!);
  }
  const nodes = ({ hops }: Trace) => hops.map(({ node }) => node).join(' ');

  it('goes the way that the plan of the hosts says, over heddle and over BIRD', async () => {
    const uplinks = uplinksOf(lab.plan);
    const hosts = await Promise.all(
      lab.plan.hosts.map(async (host) => livePort(host, await hostAddresses(lab, host), uplinks, 2)),
    );
    const [plan] = hostPlan({ source: 'x', pattern: 'pair', hosts, uplinks }).connections;
    expect(plan?.queuePairs.map(({ gidIndex, spine }) => `${gidIndex} ${spine}`)).toEqual([
      '3 spine1',
      '5 spine2',
      '7 spine3',
    ]);
    const subflows = await chosenSubflows(lab, { source: 'host1', destination: 'host2' });
    for (const [index, subflow] of subflows.entries()) {
      let trace = await traceSubflow(lab, subflow);
      await expect
        .poll(async () => {
          trace = await traceSubflow(lab, subflow);
          return trace;
        }, PATIENCE)
        .toMatchObject({ confirmed: true, problem: null, differences: [], datagrams: 500 });
      expect(nodes(trace)).toBe(`host1 leaf1 ${plan?.queuePairs[index]?.spine} leaf2`);
      expect(trace.flow.sourcePort).toBe(plan?.queuePairs[index]?.sourcePort);
      expect(trace.hops[1]?.route).toMatchObject({ tier: 'preferred', members: 1 });
    }
  });

  it('knows which next hop of several the hash of the ports takes', async () => {
    await failLink(lab, 'leaf2:spine1');
    const split = async () => (await traced(1)).hops[1]?.route.members === 2;
    expect(await poll(split, PATIENCE)).toBe(true);
    const ways = new Set<string>();
    // The kernel draws the seed of its hash anew: 6 ports took one way of the two once in 32 labs, 40 do once in 2^39.
    for (let port = 50_000; ways.size < 2 && port < 50_040; port++) {
      const confirmed = async () => {
        const { confirmed, differences, hops } = await traced(1, port);
        if (confirmed && differences.length === 0) ways.add(hops.map(({ node }) => node).join(' '));
        return { confirmed, differences };
      };
      await expect.poll(confirmed, PATIENCE).toEqual({ confirmed: true, differences: [] });
    }
    expect(ways).toEqual(new Set(['host1 leaf1 spine2 leaf2', 'host1 leaf1 spine3 leaf2']));
    await healLink(lab, 'leaf2:spine1');
    expect(await poll(async () => nodes(await traced(1)) === 'host1 leaf1 spine1 leaf2', PATIENCE)).toBe(true);
  });

  it('names the interface that does not send what the tables send over it', async () => {
    await silenceLink(lab, 'spine2:leaf2', 'out');
    const trace = await traced(2);
    await healLink(lab, 'spine2:leaf2');
    expect(trace).toMatchObject({ confirmed: false, problem: null });
    expect(trace.arrived).toBeLessThan(100);
    expect(trace.differences).toEqual([
      expect.stringMatching(/^spine2 should send by to-leaf2: \d+ of 500 left there$/),
    ]);
  });

  it('ends where a kernel has no route', async () => {
    const drop = ['-n', namespaceOf(lab, 'leaf1'), '-6', 'route'];
    await run('ip', [...drop, 'add', 'blackhole', 'fc00:2:1:3::/64', 'metric', '1']);
    const trace = await traced(3);
    await run('ip', [...drop, 'del', 'blackhole', 'fc00:2:1:3::/64', 'metric', '1']);
    expect(trace).toMatchObject({ confirmed: false, arrived: expect.any(Number) });
    expect(trace.problem).toMatch(/^leaf1 drops the packet: /);
    expect(trace.arrived).toBeLessThan(100);
  });

  it('refuses ends and queue pairs that do not exist with one line', async () => {
    const asked = (source: string, destination: string, queuePair?: number) =>
      chosenSubflows(lab, { source, destination, ...(queuePair && { queuePair }) });
    await expect(asked('host1', 'host7')).rejects.toThrow('lab trace has no host host7; hosts: host1, host2');
    await expect(asked('host1', 'fd00::1')).rejects.toThrow('no host of lab trace has the address fd00::1');
    await expect(asked('host1', 'host1')).rejects.toThrow('host1 sends to itself over no link');
    await expect(asked('host1', 'host2', 4)).rejects.toThrow('host1 has no queue pair 4 with host2: there are 1 to 3');
  });
});
