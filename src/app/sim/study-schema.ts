/**
 * A study: one fabric, one workload, the schemes to compare on them. Each key says what it is; `heddle sim schema` prints all of it as a JSON Schema, and
 * docs/study.md is written from that.
 */
import { z } from 'zod';
import { SCHEMES } from '../../simulator/schemes/catalogue.js';
import { FLOW_SIZES } from '../../simulator/workload/flow-sizes.js';
import { OPERATIONS } from '../../simulator/workload/group-operation.js';
import { PROFILE_NAMES } from './profiles.js';
import { octets, rate, share, someOctets, someShare, span, time } from './quantities.js';
import { switches } from './switch-schema.js';
import { transport } from './transport-schema.js';

const count = z.int().min(1);
const name = z.string().min(1);
const rates = z.union([rate, z.array(rate).min(1)], { error: 'expected a rate such as 100G, or a list of rates' });

const uplinks = {
  'host-rate': rates
    .prefault('400G')
    .describe("rate of the hosts' links, such as 400G; a list: leaf after leaf, over again"),
  'uplink-rate': rates
    .prefault('400G')
    .describe('rate of links between leaves and spines; a list: spine after spine, over again'),
  'parallel-links': count.default(1).describe('links between a leaf and a spine'),
  delay: time.prefault('1us').describe('propagation of each link, such as 1us'),
};

const topology = z
  .strictObject({
    'leaf-spine': z
      .strictObject({
        leaves: count.describe('leaves of the fabric'),
        spines: count.describe('spines of the fabric'),
        'hosts-per-leaf': count.describe('hosts (ports of NICs) at each leaf'),
        ...uplinks,
      })
      .optional()
      .describe('two tiers: every leaf has a link to every spine'),
    rails: z
      .strictObject({
        stripes: count.describe('stripes, each with leaves of its own'),
        rails: count.describe('GPUs of a server, and leaves of a stripe'),
        'servers-per-stripe': count.describe('servers of each stripe'),
        spines: count.describe('spines, which all stripes share'),
        ...uplinks,
      })
      .optional()
      .describe('rail-optimised: GPU n of every server of a stripe is at leaf n of the stripe'),
    'fat-tree': z
      .strictObject({
        k: z.int().min(2).multipleOf(2).describe('ports of a switch, even: k pods of k/2 leaves and k/2 spines'),
        'hosts-per-leaf': count
          .optional()
          .describe('hosts at each leaf; more than k/2 is oversubscribed. Default: k/2.'),
        'host-rate': uplinks['host-rate'],
        'uplink-rate': rate.prefault('400G').describe('rate of links between switches'),
        delay: uplinks.delay,
      })
      .optional()
      .describe('three tiers of switches with k ports'),
    'ns3-file': name.optional().describe('a topology in the text form of the public ns-3 models, beside this file'),
  })
  .describe('the fabric: one of these');

const connections = {
  'queue-pairs': z.int().min(1).max(64).default(1).describe('of each connection; RLB has one for each uplink'),
  spread: z
    .enum(['split', 'round-robin'])
    .default('split')
    .describe('each message is cut over the queue pairs, or messages take them in turn'),
};

const sizes = z.union(
  [
    z.enum(FLOW_SIZES.map(({ name }) => name) as [string, ...string[]]),
    z.array(z.tuple([octets, share])).min(2),
    z.strictObject({
      file: name.describe(
        'a file beside this one, with octets and the per cent of flows of at most so many on each line',
      ),
    }),
  ],
  {
    error: `expected one of ${FLOW_SIZES.map(({ name }) => name).join(', ')}, or points such as [[0, 0%], [4KB, 60%], [1MB, 100%]], or { file: sizes.txt }`,
  },
);

const arrivals = {
  sizes: sizes.describe(
    'a published distribution of flow sizes by its name, or points of one of your own (octets, and the share of flows of at most so many), or a file of such points',
  ),
  load: someShare.describe('of the capacity between leaves and spines; hosts send this over the oversubscription'),
  duration: span.describe('flows start within this time'),
};

const workload = z
  .strictObject({
    poisson: z.strictObject(arrivals).optional().describe('random flows between random hosts'),
    permutation: z
      .strictObject({
        octets: someOctets.describe('of each flow'),
        start: time.prefault('0us').describe('when all of them start'),
        within: time
          .prefault('0us')
          .describe('flows start at random moments within so long after that; 0us: all at once'),
        stride: count
          .optional()
          .describe('each host sends to the one so many further on. Default: a random other one.'),
      })
      .optional()
      .describe('every host sends to one other, all at about the same time'),
    incast: z
      .strictObject({
        octets: someOctets.describe('of each flow'),
        receiver: name.describe('the host that all send to, such as host1'),
        senders: count.describe('how many send, those of other leaves first'),
      })
      .optional()
      .describe('many hosts send to one at once'),
    collective: z
      .strictObject({
        kind: z.enum(OPERATIONS).describe('what the ranks do together'),
        octets: someOctets.describe("of the whole buffer of a rank, as NCCL's tests count it"),
        groups: z
          .enum(['one', 'rails'])
          .default('one')
          .describe(
            'one: all hosts are one group; rails: a group for each rail of a topology of rails, of its hosts in all stripes',
          ),
        ranks: z
          .enum(['in-order', 'across-leaves'])
          .default('in-order')
          .describe(
            'in-order: hosts by their numbers, so that most neighbours of a ring are at the same leaf; across-leaves: neighbours are at different leaves',
          ),
        ...connections,
      })
      .optional()
      .describe("a collective operation of NCCL's kind, of all hosts"),
    training: z
      .strictObject({
        stages: count.describe('of the pipeline; hosts are given to stages in order, equally many each'),
        'micro-batches': count.describe('of each iteration'),
        activations: someOctets.describe('of a micro-batch between stages'),
        gradients: someOctets.describe('of a stage, reduced among its replicas'),
        forward: time.describe('that a stage computes for a micro-batch'),
        backward: time.describe('that a stage computes for a micro-batch on the way back'),
        iterations: count.default(1).describe('how many'),
        ...connections,
      })
      .optional()
      .describe('pipeline and data parallel training'),
    'flow-file': name.optional().describe("flows of a file beside this one, in heddle's form or that of ns-3"),
  })
  .describe('what hosts send: one of these');

const failure = z
  .strictObject({
    at: time.describe('after the start of the run'),
    link: name.describe('such as leaf1:spine2, or leaf1:spine2/2 for the second of parallel links'),
    until: time.optional().describe('when it is over, after the start of the run. Default: never.'),
    rate: rate.optional().describe('the link goes on at this rate, and routing does not notice'),
    loss: someShare.optional().describe('the link loses this share of packets, and routing does not notice'),
  })
  .describe('a link that fails; with neither rate nor loss it is down');

const schemeNames = SCHEMES.map(({ name }) => name);
const scheme = z.union(
  [
    name,
    z.record(
      z.string(),
      z
        .record(
          z.string(),
          z.union([z.number(), z.boolean(), z.string()], { error: 'expected a number, text, true or false' }),
          { error: 'expected options such as { gap: 100 }' },
        )
        .nullable(),
    ),
  ],
  { error: 'expected the name of a scheme, or one with options such as { letflow: { gap: 100 } }' },
);

const unique = (values: readonly number[]) => new Set(values).size === values.length;

/** Routers that take longer than this lose their sessions. */
const tableDelay = time.refine((delay) => delay <= 10e12, 'expected a time such as 2ms (ns, us, ms, s), 10 s at most');

const sweepValue = z.union([z.string(), z.number(), z.boolean()], {
  error: 'expected a value such as 50%, 4 or true',
});

export const studySchema = z.strictObject({
  name: name.describe('of the study, for titles'),
  description: z.string().optional().describe('what it shows'),
  profile: z
    .enum(PROFILE_NAMES)
    .default('rocev2')
    .describe(
      'where values come from that are not given: an AI fabric of today; DCQCN as in its paper, for 40G; or the public ns-3 models. They are not mixed',
    ),
  topology,
  transport: transport.prefault({}),
  switches: switches.prefault({}),
  workload,
  background: z
    .strictObject(arrivals)
    .optional()
    .describe('random flows beside the workload, counted by themselves; the run is over when the workload is'),
  measure: z
    .strictObject({
      from: time.prefault('0us').describe('flows count that start from then on: before, the fabric fills'),
      until: span.optional().describe('and before then. Default: to the end.'),
    })
    .optional()
    .describe('slowdowns and imbalance of a part of the run only, the steady one'),
  failures: z.array(failure).default([]).describe('what happens to links during the run'),
  'table-delay': tableDelay
    .prefault('1ms')
    .describe('what a router takes from learning something to working its tables'),
  schemes: z
    .array(scheme, { error: 'expected a list of schemes such as [ecmp, rlb]' })
    .min(1)
    .describe(`names, with options under a name: ${schemeNames.join(', ')}`),
  seeds: z
    .union([count, z.array(z.int().min(0)).min(1).refine(unique, 'a seed stands there twice; expected each once')], {
      error: 'expected a number of seeds such as 3, or a list of seeds such as [4, 7]',
    })
    .default(1)
    .describe('how many runs a scheme, or their seeds'),
  sweep: z
    .record(z.string(), z.array(sweepValue).min(1))
    .default({})
    .describe(
      'keys of this file, such as workload.poisson.load, with the values that each takes in turn; the study is run with every combination',
    ),
  limit: span.prefault('1s').describe('a run ends here, done or not'),
  'sample-interval': span.prefault('100us').describe('how often imbalance and queues are looked at'),
});

export type StudyFile = z.output<typeof studySchema>;
