/** What schemes' own counters say: flowlets that never came, or went in herds, the fallback of RLB, reorder queues, paths that nobody knew. Pure. */
import { aRun, type Evidence, type Finder, grouped, ofScheme, percent, schemeName, total } from './evidence.js';

/** Of flowlets that go another way than the one before, or packets that are held: fewer are not worth a sentence. */
const FEW_MOVES = 0.05;
/** Flowlets that followed the one before, over those that would by chance; of fewer nothing is said. */
const HERD = 1.5;
const ENOUGH_FLOWLETS = 100;
/** Of flows. */
const MANY_UNKNOWN = 0.5;

export const fewFlowlets: Finder = (evidence) => {
  const flowlets = ofScheme(evidence, 'flowlets');
  const moves = ofScheme(evidence, 'moves');
  if (schemeName(evidence) === 'rlb' || flowlets === 0 || moves > FEW_MOVES * flowlets) return undefined;
  const byChance = schemeName(evidence) === 'letflow' ? ', by chance, as with ECMP' : '';
  return {
    scheme: evidence.scheme,
    kind: 'few-flowlets',
    text: `Of ${grouped(flowlets)} flowlets ${moves === 0 ? 'none' : grouped(moves)} left the way of the one before: paced RDMA traffic hardly pauses, so that flows keep the way that their first packet was given${byChance}.`,
    values: { flowlets, moves },
  };
};

export const herds: Finder = (evidence) => {
  const [soonAfter, followed] = [ofScheme(evidence, 'soonAfter'), ofScheme(evidence, 'followed')];
  const chance = ofScheme(evidence, 'followedByChance');
  if (soonAfter < ENOUGH_FLOWLETS || followed < HERD * chance) return undefined;
  return {
    scheme: evidence.scheme,
    kind: 'herd',
    text: `Flowlets went in herds: of those that a switch placed within a probe interval of the one before, ${percent(followed / soonAfter)} took the same port as that (${percent(chance / soonAfter)} would by chance). New flowlets to one leaf all go to the port that was least busy by the last probe, until the next.`,
    values: { soonAfter, followed, chance },
  };
};

export const fallback: Finder = (evidence) => {
  const flowlets = ofScheme(evidence, 'flowlets');
  if (schemeName(evidence) !== 'rlb' || flowlets === 0) return undefined;
  return {
    scheme: evidence.scheme,
    kind: 'fallback',
    text: `Segments met several equal ways, where the link of their colour was gone or has parallel ones, and load balancing placed ${aRun(flowlets, 'flowlets', evidence)}.`,
    values: { flowlets },
  };
};

export const reorderQueues: Finder = (evidence) => {
  const { runs, scheme } = evidence;
  const kept = ofScheme(evidence, 'kept');
  if (schemeName(evidence) !== 'conweave' || kept === 0) return undefined;
  const [byClock, without] = [ofScheme(evidence, 'releasedByClock'), ofScheme(evidence, 'withoutQueue')];
  const queues = mostOf(evidence, 'reorderQueuesAtMost');
  const octets = mostOf(evidence, 'reorderOctetsAtMost');
  const late =
    byClock > 0 ? ` ${aRun(byClock, 'queues', evidence)} were let go by the clock, for their TAIL had not come.` : '';
  const none =
    without > 0 ? ` For ${aRun(without, 'packets', evidence)} no queue was free: they went on out of order.` : '';
  const share =
    kept /
    Math.max(
      1,
      total(runs, ({ packets }) => packets.data),
    );
  return {
    scheme,
    kind: 'reorder-queues',
    text: `ConWeave moved flows ${aRun(ofScheme(evidence, 'moves'), 'times', evidence)} and held ${aRun(kept, 'packets', evidence)} (${percent(share)}) at last leaves until their order was restored, in ${queues} queues and ${grouped(Math.round(octets / 1000))} KB at most.${late}${none}`,
    values: { kept, queues, octets, releasedByClock: byClock, withoutQueue: without },
  };
};

function mostOf({ runs }: Evidence, counter: string): number {
  return runs.reduce((most, run) => Math.max(most, run.ofScheme[counter] ?? 0), 0);
}

export const pathsUnknown: Finder = (evidence) => {
  const hashed = ofScheme(evidence, 'hashed');
  const chosen = hashed + ofScheme(evidence, 'unused') + ofScheme(evidence, 'reused');
  if (schemeName(evidence) !== 'caver' || chosen === 0 || hashed < MANY_UNKNOWN * chosen) return undefined;
  return {
    scheme: evidence.scheme,
    kind: 'paths-unknown',
    text: `${percent(hashed / chosen)} of flows began where CAVER knew no path yet, and went by hash, as with ECMP: it learns from acknowledgements, and these flows all began before any came.`,
    values: { hashed, chosen },
  };
};
