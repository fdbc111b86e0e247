/** The keys under `switches` of a study: buffers, marking, pauses, classes of service. */
import { z } from 'zod';
import { byProfile } from './profile-values.js';
import { formatOctets, formatShare, formatTime, octets, share, someOctets, span } from './quantities.js';

const WATCHDOG_TIME = '200ms';

const watchdog = z.union(
  [
    z.boolean(),
    z.strictObject({
      detect: span.prefault(WATCHDOG_TIME).describe('a queue that is paused for so long without a break is given up'),
      restore: span.prefault(WATCHDOG_TIME).describe('for how long it is given up'),
      action: z
        .enum(['drop', 'forward'])
        .default('drop')
        .describe('what becomes of its packets meanwhile: lost, or sent in spite of the pauses'),
    }),
  ],
  { error: 'expected true, false, or settings such as { detect: 200ms, action: drop }' },
);

const pfc = z.union(
  [
    z.boolean(),
    z.strictObject({
      alpha: z
        .number()
        .positive()
        .max(64)
        .optional()
        .describe(
          `the dynamic threshold (XOFF): of what is left of the shared buffer, how much an ingress queue may take before its neighbour pauses. ${byProfile(({ buffer }) => `${buffer.ingressAlpha}`)}`,
        ),
      'xon-offset': octets
        .optional()
        .describe(
          `how far below that threshold the neighbour may go on (XON). ${byProfile(({ buffer }) => formatOctets(buffer.resumeOffset))}`,
        ),
      headroom: octets
        .optional()
        .describe(
          'set aside at each port for what still comes after a pause; with less than its link needs packets are lost. Default: two times the delay at line rate, and two packets.',
        ),
      watchdog: watchdog
        .optional()
        .describe(
          `queues that are paused for too long are given up. ${byProfile(({ switches }) => (switches.watchdog ? `true, ${formatTime(switches.watchdog.detect)}` : 'false'))}`,
        ),
    }),
  ],
  { error: 'expected true, false, or settings such as { alpha: 0.125, xon-offset: 8KB }' },
);

const codePoints = {
  dscp: z.array(z.int().min(0).max(63)).optional(),
  pcp: z.array(z.int().min(0).max(7)).optional(),
};

/** The points that lead into a class, as the validated design has them. */
const classOf = (index: 0 | 1, what: string) => {
  const points = (key: 'dscp' | 'pcp') => byProfile(({ classes }) => `[${classes[index]![key].join(', ')}]`);
  return z
    .strictObject({
      dscp: codePoints.dscp.describe(`code points of IP packets, 0 to 63. ${points('dscp')}`),
      pcp: codePoints.pcp.describe(`priorities of tagged frames, 0 to 7. ${points('pcp')}`),
    })
    .optional()
    .describe(what);
};

const classes = z
  .strictObject({
    'no-loss': classOf(1, 'the lossless class of RDMA: neighbours are told to pause before its buffer is full'),
    control: classOf(0, 'the class that goes strictly first: CNPs'),
  })
  .describe('which code points lead into which class of service; all others are best effort');

export const switches = z
  .strictObject({
    buffer: someOctets
      .optional()
      .describe(`the shared buffer of a switch. ${byProfile(({ buffer }) => formatOctets(buffer.size))}`),
    'egress-alpha': z
      .number()
      .positive()
      .max(64)
      .optional()
      .describe(
        `of what is left of it, how much an egress queue of a class with loss may take before packets are dropped. ${byProfile(({ buffer }) => `${buffer.egressAlpha}`)}`,
      ),
    ecn: z
      .strictObject({
        minimum: octets
          .optional()
          .describe(
            `Kmin: nothing is marked in a queue of so many octets. ${byProfile(({ switches }) => formatOctets(switches.marking.minimum))}`,
          ),
        maximum: octets
          .optional()
          .describe(
            `Kmax: everything is marked beyond so many. ${byProfile(({ switches }) => formatOctets(switches.marking.maximum))}`,
          ),
        probability: share
          .optional()
          .describe(
            `Pmax: the share that is marked at the maximum. ${byProfile(({ switches }) => formatShare(switches.marking.probability))}`,
          ),
      })
      .prefault({})
      .describe('marking by the length of an egress queue; the defaults are lowered where PFC could pause before them'),
    pfc: pfc.default(true).describe('neighbours are told to pause before the buffer is full; settings of that'),
    'pfc-before-ecn': z
      .boolean()
      .default(false)
      .describe('true: run a fabric in which PFC may pause before ECN marks, which is refused otherwise'),
    classes: classes.prefault({}),
  })
  .describe("what switches do; what is absent is the profile's");
