/** The keys under `transport` of a study: what hosts do. */
import { z } from 'zod';
import { type DcqcnKey, dcqcnValue } from './dcqcn-keys.js';
import { byProfile } from './profile-values.js';
import type { Marks } from './profiles.js';
import {
  formatOctets,
  formatRate,
  formatShare,
  formatStep,
  formatTime,
  octets,
  rate,
  someOctets,
  someShare,
  span,
  step,
} from './quantities.js';

const codePoint = z.int().min(0).max(63);

function numeric(key: DcqcnKey, format: (value: number) => string): string {
  return byProfile(({ dcqcn }) => {
    const value = dcqcnValue(dcqcn, key);
    return typeof value === 'number' ? format(value) : undefined;
  });
}

function stepwise(key: DcqcnKey): string {
  return byProfile(({ dcqcn }) => {
    const value = dcqcnValue(dcqcn, key);
    return typeof value === 'object' ? formatStep(value) : undefined;
  });
}

const markOf = (kind: keyof Marks) => byProfile(({ marks }) => `${marks[kind]}`);

const dcqcn = z
  .strictObject({
    gain: someShare
      .optional()
      .describe(
        `g: how far alpha goes towards 1 at a notice, or towards 0 without one. ${numeric('gain', formatShare)}`,
      ),
    'cnp-interval': span
      .optional()
      .describe(
        `the least time between CNPs that a receiver sends for a queue pair. ${numeric('cnp-interval', formatTime)}`,
      ),
    'alpha-interval': span
      .optional()
      .describe(`time without notices after which alpha falls. ${numeric('alpha-interval', formatTime)}`),
    'cut-interval': span
      .optional()
      .describe(`how often a sender looks whether it is to cut its rate. ${numeric('cut-interval', formatTime)}`),
    'increase-interval': span
      .optional()
      .describe(`time between two increases of a rate. ${numeric('increase-interval', formatTime)}`),
    'increase-octets': someOctets
      .optional()
      .describe(`octets sent between two increases of a rate. ${numeric('increase-octets', formatOctets)}`),
    'fast-recovery': z
      .int()
      .min(1)
      .max(1000)
      .optional()
      .describe(
        `F: increases after a cut that only halve the way back to the rate before it. ${numeric('fast-recovery', String)}`,
      ),
    'additive-step': step
      .optional()
      .describe(
        `R_AI: what an increase after fast recovery adds to the target, as a rate or as a share of that of the line. ${stepwise('additive-step')}`,
      ),
    'hyper-step': step
      .optional()
      .describe(`R_HAI: what the increases after those add, likewise. ${stepwise('hyper-step')}`),
    'least-rate': rate.optional().describe(`no sender is cut below it. ${numeric('least-rate', formatRate)}`),
  })
  .describe(
    "parameters of DCQCN. Its kind is the profile's: by CNPs, as in the paper, or by bits that ACKs echo, as in the ns-3 models; keys of the other kind are refused",
  );

export const transport = z
  .strictObject({
    payload: someOctets
      .optional()
      .describe(`the most payload of a packet, octets. ${byProfile(({ sizes }) => `${sizes.payload}`)}`),
    overhead: octets
      .optional()
      .describe(
        `what a data packet has on the wire besides payload, octets. ${byProfile(({ sizes }) => `${sizes.overhead}`)}`,
      ),
    reliability: z
      .enum(['go-back-n', 'irn', 'placing'])
      .optional()
      .describe(`what NICs do about packets out of order. ${byProfile(({ reliability }) => reliability)}`),
    'congestion-control': z
      .enum(['dcqcn', 'none'])
      .default('dcqcn')
      .describe("how senders follow congestion: the profile's DCQCN, or not at all (line rate, PFC alone)"),
    dcqcn: dcqcn.prefault({}),
    dscp: codePoint.optional().describe(`the code point of data. ${markOf('data')}`),
    'cnp-dscp': codePoint.optional().describe(`the code point of CNPs. ${markOf('notice')}`),
    'ack-dscp': codePoint
      .optional()
      .describe(
        `the code point of ACKs and NAKs; NICs that mark them as their data: the same as dscp. ${markOf('acknowledgement')}`,
      ),
  })
  .describe("what hosts do; what is absent is the profile's");
