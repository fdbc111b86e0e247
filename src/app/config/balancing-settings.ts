/** `load-balancing`: how the traffic of several next hops is spread (core/dlb). Names as in Junos where it has the knob. */
import { z } from 'zod';
import type { BalancingConfig } from '../../core/dlb/load-balancer.js';
import { seconds, wholeNumber } from './file-values.js';

const quantization = z
  .strictObject({
    min: wholeNumber(0, 99, 'per cent')
      .optional()
      .describe('Score below which a link is in the best band. Default: 20.'),
    max: wholeNumber(1, 100, 'per cent').optional().describe('Score above which it is in the worst. Default: 80.'),
    'rate-weightage': wholeNumber(0, 100, 'per cent')
      .optional()
      .describe("Part of the load in the score; the rest is the queue's. Default: 50."),
  })
  .refine(({ min = 20, max = 80 }) => min < max, 'min must be less than max');

export const balancingSettings = z
  .strictObject({
    mode: z
      .enum(['flowlet', 'adaptive', 'assigned-flow', 'off'], 'expected flowlet, adaptive, assigned-flow or off')
      .optional()
      .describe(
        'flowlet: shares follow the quality of the links, and what pauses moves. adaptive: a scan shifts shares by what each ' +
          'next hop carries. assigned-flow: a flow stays where its hash puts it. off: no shares are changed. Default: flowlet.',
      ),
    interval: seconds(0.01, 60).optional().describe('Seconds between looks at the links. Default: 0.1.'),
    quantization: quantization.optional().describe('From load and queue of a link to its quality, 0 to 7.'),
    smoothing: seconds(0, 60).optional().describe('Seconds that load and queue are averaged over. Default: 0.3.'),
    'queue-reference': seconds(0.0001, 10)
      .optional()
      .describe('Seconds at line rate that a full queue (100 per cent) takes to leave. Default: 0.02.'),
    'quality-delta': wholeNumber(1, 7)
      .optional()
      .describe('Bands between the best and the worst link from which traffic moves. Default: 2.'),
    'scan-interval': seconds(1, 150).optional().describe('adaptive: seconds between scans. Default: 30.'),
    tolerance: wholeNumber(1, 100, 'per cent')
      .optional()
      .describe('adaptive: per cent that a next hop may be off its due. Default: 20.'),
  })
  .transform((given): BalancingConfig => {
    const milliseconds = (value: number) => Math.round(value * 1000);
    return {
      mode: given.mode ?? 'flowlet',
      interval: milliseconds(given.interval ?? 0.1),
      quality: {
        minimum: given.quantization?.min ?? 20,
        maximum: given.quantization?.max ?? 80,
        loadWeight: given.quantization?.['rate-weightage'] ?? 50,
        smoothing: given.smoothing ?? 0.3,
        queueReference: given['queue-reference'] ?? 0.02,
      },
      flowlet: { qualityDelta: given['quality-delta'] ?? 2, ...CONTROL },
      adaptive: {
        tolerance: given.tolerance ?? 20,
        moves: MOVES_IN_A_SCAN,
        scanInterval: milliseconds(given['scan-interval'] ?? 30),
      },
    };
  });

/** Found with the modelled group of core/dlb: faster ones chase their own changes, slower ones leave bursts alone. */
const CONTROL = { persistence: 2, settle: 2, gain: 0.6 } as const;
const MOVES_IN_A_SCAN = 8;
