/** The `bmp` and `mrt` sections of a configuration file: what others are told of this router's sessions and routes. */
import { z } from 'zod';
import type { BmpStationConfig } from '../../core/speaker/monitoring/bmp-station.js';
import * as value from './file-values.js';

/** RFC 7854 section 3.2 leaves the port to the operator; this is what stations listen on unless told otherwise. */
const BMP_PORT = 11019;
const MEBIBYTE = 1024 * 1024;

export interface MrtConfig {
  readonly updates: string;
  /** Octets at which the file is put aside; 0 never. */
  readonly maximum: number;
}

const TABLES = ['adj-rib-in', 'adj-rib-out-pre-policy', 'adj-rib-out', 'loc-rib'] as const;
const ROUTES_EXPECTED = 'expected adj-rib-in, adj-rib-out-pre-policy, adj-rib-out or loc-rib';

export const bmpSettings = z.array(
  z
    .strictObject({
      collector: z
        .string('expected a host name or an address')
        .regex(/^[A-Za-z0-9][A-Za-z0-9.:_-]*$|^::/, 'expected a host name or an address')
        .describe('Monitoring station, a host name or an address.'),
      port: value
        .wholeNumber(1, 65535, 'a TCP port')
        .optional()
        .describe(`TCP port of the station. Default: ${BMP_PORT}.`),
      routes: z
        .array(z.enum(TABLES, ROUTES_EXPECTED), `expected a list of ${TABLES.join(', ')}`)
        .min(1, ROUTES_EXPECTED)
        .optional()
        .describe(
          'Tables it is told of: routes as received, before policy (adj-rib-in); routes chosen (loc-rib); what goes out before ' +
            'policy (adj-rib-out-pre-policy) and as it is sent (adj-rib-out), RFC 8671. Default: adj-rib-in and loc-rib.',
        ),
      statistics: value
        .wholeNumber(0, 86_400, 'seconds')
        .optional()
        .describe('Seconds between statistics; 0 sends none. Default: 60.'),
    })
    .transform(
      (given): BmpStationConfig => ({
        host: given.collector,
        port: given.port ?? BMP_PORT,
        routes: given.routes ?? ['adj-rib-in', 'loc-rib'],
        statistics: given.statistics ?? 60,
      }),
    ),
  'expected a list of monitoring stations',
);

export const mrtSettings = z
  .strictObject({
    updates: z
      .string('expected an absolute path')
      .regex(/^\//, 'expected an absolute path')
      .describe('File that messages of neighbours and changes of state are appended to (RFC 6396).'),
    'max-size': value
      .wholeNumber(0, 1_048_576, 'mebibytes')
      .optional()
      .describe(
        'MiB at which the file becomes FILE.1 and a new one begins; 0 never. SIGHUP opens it anew. Default: 64.',
      ),
  })
  .transform((given): MrtConfig => ({ updates: given.updates, maximum: (given['max-size'] ?? 64) * MEBIBYTE }));
