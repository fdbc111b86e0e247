/** `plane` and `ebpf`: who forwards packets (core/ebpf-plane). Names as in Junos where it has the knob. */
import { z } from 'zod';
import type { BalancingConfig } from '../../core/dlb/load-balancer.js';
import type { ChoiceOptions } from '../../core/ebpf-plane/choose.js';
import type { EbpfPlaneOptions } from '../../core/ebpf-plane/plane-options.js';
import { seconds, wholeNumber } from './file-values.js';

export const planeSetting = z
  .enum(['kernel', 'ebpf'], 'expected kernel or ebpf')
  .optional()
  .describe(
    'Who forwards: the kernel by its routes, or programs of ours before it, with the same routes below. Default: kernel.',
  );

const reactive = z
  .strictObject({
    'quality-delta': wholeNumber(1, 7).optional().describe('Bands that the best port must be ahead. Default: 6.'),
    'prob-threshold': wholeNumber(1, 255)
      .optional()
      .describe('Of 256 packets that could move their flow, how many do. Default: 3.'),
  })
  .describe('flowlet: flows that never pause may move too, which can reorder packets. Default: they do not.');

export const ebpfSettings = z
  .strictObject({
    mode: z
      .enum(['flowlet', 'per-packet', 'assigned-flow'], 'expected flowlet, per-packet or assigned-flow')
      .optional()
      .describe(
        'How packets are spread over several ports. flowlet: a flow that pauses may move. per-packet: every packet to a port of the ' +
          'best quality, in turn. assigned-flow: a flow stays where it is. Default: flowlet.',
      ),
    inactivity: seconds(0.000016, 0.032)
      .optional()
      .describe('flowlet: seconds without a packet after which the next may go elsewhere. Default: 0.000128.'),
    flowsets: wholeNumber(256, 32768).optional().describe('Entries of the table of flows. Default: 2048.'),
    reactive: reactive.optional(),
    opcodes: z
      .array(wholeNumber(0, 255), 'expected a list of RDMA operation codes, 0 to 255')
      .min(1, 'expected at least one operation code')
      .optional()
      .describe(
        'Operations of RoCEv2 (BTH opcode) that are spread; what else there is goes by its hash. Default: all packets are.',
      ),
    sampling: seconds(0.000001, 0.01)
      .optional()
      .describe('Seconds between two looks at the load of the ports. Default: 0.000016.'),
    attach: z
      .enum(['auto', 'native', 'generic', 'tc', 'clsact'], 'expected auto, native, generic, tc or clsact')
      .optional()
      .describe(
        'Where the programs stand: native (XDP in the driver), generic (XDP behind it), tc (traffic control), clsact (the same as ' +
          'kernels before Linux 6.6 have it, which have it for tc too). auto: native where there is a device whose driver can, else tc. ' +
          'Default: auto.',
      ),
    prefixes: wholeNumber(16, 1_048_576, 'prefixes')
      .optional()
      .describe('The most it holds, those of others too. Default: 16384.'),
  })
  .refine(
    ({ mode = 'flowlet', reactive: given }) => mode === 'flowlet' || given === undefined,
    'reactive is for mode: flowlet',
  );

type EbpfSettings = z.output<typeof ebpfSettings>;

const CLASSES = 4096;

export function ebpfPlaneOptions(given: EbpfSettings, { quality }: BalancingConfig): EbpfPlaneOptions {
  return {
    sizes: { prefixes: given.prefixes ?? 16_384, classes: CLASSES, flowsets: given.flowsets ?? 2048 },
    choice: choiceOf(given, quality),
    ...(given.opcodes && { opcodes: given.opcodes }),
    attach: given.attach ?? 'auto',
    loadWeight: quality.loadWeight,
  };
}

function choiceOf(given: EbpfSettings, { minimum, maximum }: BalancingConfig['quality']): ChoiceOptions {
  const sampled = { minimum, maximum, sampling: nanoseconds(given.sampling ?? 0.000_016) };
  const mode = given.mode ?? 'flowlet';
  if (mode !== 'flowlet') return { ...sampled, mode };
  return {
    ...sampled,
    mode,
    inactivity: nanoseconds(given.inactivity ?? 0.000_128),
    ...(given.reactive && {
      reactive: {
        qualityDelta: given.reactive['quality-delta'] ?? 6,
        probability: given.reactive['prob-threshold'] ?? 3,
      },
    }),
  };
}

function nanoseconds(value: number): number {
  return Math.round(value * 1e9);
}
