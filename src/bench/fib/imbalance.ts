/**
 * Row e: the preferred of four uplinks is gone, and sixteen bursty flows go over three that are rate-limited: by the hash of
 * a plain next-hop group of the kernel, and by heddle, which looks at the links.
 */
import { prepareBursts } from '../../app/lab/bursts.js';
import { run } from '../../app/lab/command.js';
import { offeredPackets } from '../../app/lab/counters.js';
import { ROCE_PORT } from '../../app/lab/probe.js';
import { flushForwarding } from '../common/daemons.js';
import { imbalanceOf } from '../common/statistics.js';
import { installByHand } from './by-hand.js';
import { ECMP, FIGURE, HEDDLE } from './figures.js';
import { addressIn, HOST_ADDRESS, type Uplink, uplinkInterface } from './plan.js';
import { measureOne, type Row, type RowContext } from './row.js';

const UPLINKS: readonly [Uplink, ...Uplink[]] = [1, 2, 3, 4];
const PREFERRED: Uplink = 1;
const LEFT = UPLINKS.filter((uplink) => uplink !== PREFERRED);

/** Octets a second of a link, and how much of what all three take is offered. */
const RATE = 1_000_000;
const OFFERED = 0.75;
const TBF = ['rate', `${RATE * 8}bit`, 'burst', '4000', 'limit', String(RATE / 10)];
const FLOWS = 16;
/** Milliseconds. */
const DURATION = 6_000;
const SHAPE = { burst: 40, pause: 80 };

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
      const work = async () => {
        await ground.setRoutes(UPLINKS, 1);
        await ground.settled(heddle, PREFERRED, 1);
        await stage.failUplink(PREFERRED);
        await ground.moved(PREFERRED, 1);
        await drive(context, `heddle, ${balancing}`);
        await stage.heal(PREFERRED);
      };
      await measureOne(context, heddle, { options: { uplinks: UPLINKS, balancing }, work });
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
  const { host, far, leaf } = ground.stage.names;
  const bursts = await prepareBursts(host, far, {
    ...{ source: HOST_ADDRESS, address: addressIn(0), port: ROCE_PORT, rate: LEFT.length * RATE * OFFERED, ...SHAPE },
    sourcePorts: Array.from({ length: FLOWS }, (_, flow) => 20_000 + 100 * round + flow),
  });
  try {
    const before = await offeredPackets(leaf);
    bursts.begin();
    await ground.pause(DURATION);
    const { sent, received } = await bursts.stop();
    const after = await offeredPackets(leaf);
    const offered = LEFT.map(uplinkInterface).map((name) => (after.get(name) ?? 0) - (before.get(name) ?? 0));
    const goodput = (100 * received) / sent;
    report({ figure: FIGURE.imbalance, subject, value: imbalanceOf(offered) });
    report({ figure: FIGURE.goodput, subject, value: goodput });
    say(`${subject}: max / mean ${imbalanceOf(offered).toFixed(2)}, goodput ${goodput.toFixed(0)} %`);
  } finally {
    bursts.abandon();
  }
}
