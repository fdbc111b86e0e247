import { execFileSync } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createNamespace, deleteNamespace, inNamespace, namespacesUnusable } from '../../../../test/harness/netns.js';
import { PayloadWriter, parseAttributes, textOf, u32Of } from './attributes.js';
import { FLAG, GROUP, MESSAGE, type NetlinkRequest } from './message.js';
import { type NetlinkEvent, RouteNetlink } from './route-netlink.js';

const NAMESPACE = 'nd-netlink';
const NHA_ID = 1;
const NHA_BLACKHOLE = 4;
const NHA_OIF = 5;
const IFLA_IFNAME = 3;
const unusable = namespacesUnusable();
if (unusable) console.log(`skipped: ${unusable}`);

function nextHop(id: number, oif?: number): NetlinkRequest {
  const writer = new PayloadWriter(Uint8Array.of(10, 0, 0, 0, 0, 0, 0, 0)).u32(NHA_ID, id);
  const payload = (
    oif === undefined ? writer.data(NHA_BLACKHOLE, new Uint8Array()) : writer.u32(NHA_OIF, oif)
  ).finish();
  return { type: MESSAGE.newNextHop, flags: FLAG.create | FLAG.replace, payload };
}

describe.skipIf(unusable)('RouteNetlink on a real kernel', () => {
  let netlink: RouteNetlink;
  beforeAll(() => {
    createNamespace(NAMESPACE);
    netlink = inNamespace(NAMESPACE, () => new RouteNetlink());
  });
  afterAll(() => {
    netlink.close();
    deleteNamespace(NAMESPACE);
  });

  it('dumps links', async () => {
    const messages = await netlink.dump(MESSAGE.getLink, new Uint8Array(16));
    expect(messages.map((message) => textOf(parseAttributes(message.payload, 16).get(IFLA_IFNAME)))).toContain('lo');
  });

  it('applies a batch in order and maps each failure to its request', async () => {
    const missingDevice = 4711;
    const batch = Array.from({ length: 1000 }, (_, index) =>
      index % 100 === 7 ? nextHop(index + 1, missingDevice) : nextHop(index + 1),
    );
    const failures = await netlink.request(batch);
    expect(failures.map(({ index }) => index)).toEqual([7, 107, 207, 307, 407, 507, 607, 707, 807, 907]);
    expect(failures[0]).toMatchObject({ code: 'EINVAL', message: 'Invalid device index' });
    const ids = (await netlink.dump(MESSAGE.getNextHop, new Uint8Array(8))).map((message) =>
      u32Of(parseAttributes(message.payload, 8).get(NHA_ID)),
    );
    expect(ids).toHaveLength(990);
  });

  it('reports multicast events, and an overrun when the reader is too slow', async () => {
    const events: NetlinkEvent[] = [];
    const stop = inNamespace(NAMESPACE, () => netlink.subscribe([GROUP.nextHop], (event) => events.push(event)));
    await netlink.request([nextHop(5000)]);
    await expect.poll(() => events.length).toBe(1);
    expect(events[0]).toMatchObject({ kind: 'message', message: { type: MESSAGE.newNextHop } });
    // The test holds the event loop while another process makes more events than the receive buffer takes.
    const lines = Array.from({ length: 30000 }, (_, index) => `nexthop replace id ${index + 1} blackhole`).join('\n');
    execFileSync('ip', ['-n', NAMESPACE, '-batch', '-'], { input: lines });
    await expect.poll(() => events.some(({ kind }) => kind === 'overrun')).toBe(true);
    const seen = events.length;
    await netlink.request([nextHop(6000)]);
    await expect.poll(() => events.length).toBeGreaterThan(seen);
    stop();
  });

  it('rejects what is not answered when it is closed', async () => {
    const other = inNamespace(NAMESPACE, () => new RouteNetlink());
    const answer = other.request([nextHop(7000)]);
    other.close();
    await expect(answer).rejects.toThrow('closed');
    await expect(other.request([nextHop(7000)])).rejects.toThrow('closed');
  });
});
