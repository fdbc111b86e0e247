/**
 * Row e: the preferred of four uplinks is gone, and sixteen bursty flows go over three that are rate-limited: by the hash of
 * a plain next-hop group of the kernel, and by heddle, which looks at the links.
 */
import { fileURLToPath } from 'node:url';
import { run } from '../../app/lab/command.js';
import { JsonChild } from '../../app/lab/json-child.js';
import type { BurstsAnswer, BurstsCommand, BurstsTask } from './bursts-protocol.js';
import { installByHand } from './by-hand.js';
import { flushForwarding } from './daemons.js';
import { ECMP, FIGURE, HEDDLE } from './figures.js';
import type { Ground } from './ground.js';
import { addressIn, HOST_ADDRESS, type Uplink, uplinkInterface } from './plan.js';
import type { Row, RowContext } from './row.js';
import { imbalanceOf } from './statistics.js';

const UPLINKS: readonly [Uplink, ...Uplink[]] = [1, 2, 3, 4];
const PREFERRED: Uplink = 1;
const LEFT = UPLINKS.filter((uplink) => uplink !== PREFERRED);
const MAIN = fileURLToPath(new URL('bursts-main.js', import.meta.url));

/** Octets a second of a link, and how much of what all three take is offered. */
const RATE = 1_000_000;
const OFFERED = 0.75;
const TBF = ['rate', `${RATE * 8}bit`, 'burst', '4000', 'limit', String(RATE / 10)];
const FLOWS = 16;
const PORT = 4791;
/** Milliseconds. */
const DURATION = 6_000;
const DRAIN = 400;

export const imbalance: Row = async (context) => {
  const { ground, subjects } = context;
  const { stage } = ground;
  const heddle = subjects.find(({ name }) => name === HEDDLE);
  await limitLinks(context, 'add');
  try {
    await flushForwarding(stage.lab);
    await installByHand(stage.names, UPLINKS, 1);
    await stage.failUplink(PREFERRED);
    await drive(context, ECMP);
    await stage.heal(PREFERRED);
    await flushForwarding(stage.lab);
    if (!heddle) return;
    for (const balancing of ['flowlet', 'adaptive'] as const) {
      await ground.with(heddle, { uplinks: UPLINKS, balancing }, async () => {
        await ground.setRoutes(UPLINKS, 1);
        await ground.settled(heddle, PREFERRED, 1);
        await stage.failUplink(PREFERRED);
        await ground.moved(PREFERRED, 1);
        await drive(context, `heddle, ${balancing}`);
        await stage.heal(PREFERRED);
      });
    }
  } finally {
    await limitLinks(context, 'del');
  }
};

async function limitLinks({ ground }: RowContext, action: 'add' | 'del'): Promise<void> {
  for (const uplink of LEFT) {
    const root = ['qdisc', action, 'dev', uplinkInterface(uplink), 'root'];
    await run('tc', ['-n', ground.stage.names.leaf, ...root, ...(action === 'add' ? ['tbf', ...TBF] : [])]);
  }
}

/** The same source ports for everybody in a round, others in the next one. */
async function drive({ ground, round, report, say }: RowContext, subject: string): Promise<void> {
  const { host, far } = ground.stage.names;
  const address = addressIn(0);
  const sourcePorts = Array.from({ length: FLOWS }, (_, flow) => 20_000 + 100 * round + flow);
  const rate = LEFT.length * RATE * OFFERED;
  const flows = { source: HOST_ADDRESS, address, port: PORT, sourcePorts, rate, duration: DURATION };
  const receiver = end(far, { kind: 'receive', address, port: PORT });
  const sender = end(host, { kind: 'send', ...flows });
  const { sent, received, loads } = await burst(ground, sender, receiver).finally(() => {
    for (const one of [sender, receiver]) one.end();
  });
  const goodput = (100 * received) / sent;
  report({ figure: FIGURE.imbalance, subject, value: imbalanceOf(loads) });
  report({ figure: FIGURE.goodput, subject, value: goodput });
  say(`${subject}: max / mean ${imbalanceOf(loads).toFixed(2)}, goodput ${goodput.toFixed(0)} %`);
}

async function burst(ground: Ground, sender: End, receiver: End) {
  const { leaf } = ground.stage.names;
  await Promise.all([sender.expect('ready'), receiver.expect('ready')]);
  const before = await sentOctets(leaf);
  sender.tell({ kind: 'go' });
  await ground.pause(DURATION);
  const sent = (await sender.expect('octets')).octets;
  await ground.pause(DRAIN);
  const after = await sentOctets(leaf);
  receiver.tell({ kind: 'go' });
  const received = (await receiver.expect('octets')).octets;
  const loads = LEFT.map((uplink) => (after.get(uplink) ?? 0) - (before.get(uplink) ?? 0));
  return { sent, received, loads };
}

type End = JsonChild<BurstsCommand, BurstsAnswer>;

function end(namespace: string, task: BurstsTask): End {
  return new JsonChild({ title: 'the bursty flows', namespace, script: MAIN, task });
}

interface QdiscJson {
  readonly dev: string;
  readonly kind: string;
  readonly bytes: number;
  readonly drops: number;
}

/** What each link was given: what it sent, and what its queue had no room for. */
async function sentOctets(namespace: string): Promise<ReadonlyMap<Uplink, number>> {
  const queues: readonly QdiscJson[] = JSON.parse(await run('tc', ['-n', namespace, '-s', '-j', 'qdisc', 'show']));
  return new Map(
    LEFT.map((uplink) => {
      const queue = queues.find(({ dev, kind }) => dev === uplinkInterface(uplink) && kind === 'tbf');
      return [uplink, (queue?.bytes ?? 0) + (queue?.drops ?? 0) * PACKET_ON_WIRE];
    }),
  );
}

/** 1000 octets behind UDP, IPv6 and Ethernet headers. */
const PACKET_ON_WIRE = 1062;
