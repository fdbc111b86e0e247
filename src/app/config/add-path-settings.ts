/** The `add-path` key of a session (RFC 7911): for all families, and for one what differs there. */
import { z } from 'zod';
import { FAMILIES } from '../../core/net/family.js';
import type { PathSelection } from '../../core/rib/path-selection.js';
import type { AddPathConfig, AddPathDirections } from '../../core/speaker/add-path.js';
import * as value from './file-values.js';

const MOST_PATHS = 64;
const SEND_EXPECTED = `expected off, all, multipath, or { best: 1 to ${MOST_PATHS} }`;

const directions = {
  receive: value.flag().optional().describe('The neighbour may send several paths of a prefix. Default: false.'),
  send: z
    .union(
      [
        z.enum(['off', 'all', 'multipath']),
        z.strictObject({
          best: value
            .wholeNumber(1, MOST_PATHS, 'a number of paths')
            .describe('So many, in the order of the decision.'),
        }),
      ],
      SEND_EXPECTED,
    )
    .optional()
    .describe(
      'Paths of a prefix to send: off, the best alone and without identifiers; all eligible ones; multipath, those equal to the ' +
        'best; best, so many in the order of the decision. Default: off.',
    ),
};

const oneFamily = z.strictObject(directions);

export const addPath = z
  .strictObject({
    ...directions,
    ipv6: oneFamily.optional().describe('What differs for IPv6 unicast.'),
    ipv4: oneFamily.optional().describe('What differs for IPv4 unicast.'),
  })
  .transform(({ ipv6 = {}, ipv4 = {}, ...common }): AddPathConfig => {
    const own = { 'ipv6-unicast': ipv6, 'ipv4-unicast': ipv4 };
    return Object.fromEntries(FAMILIES.map((family) => [family, settled({ ...common, ...own[family] })]));
  });

interface GivenDirections {
  readonly receive?: boolean | undefined;
  readonly send?: 'off' | PathSelection | undefined;
}

function settled({ receive = false, send = 'off' }: GivenDirections): AddPathDirections {
  return send === 'off' ? { receive } : { receive, send };
}
