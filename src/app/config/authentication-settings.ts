/** `tcp-ao`: a master key tuple of TCP-AO (RFC 5925 section 3.1). */
import { z } from 'zod';
import type { AuthenticationKey } from '../../core/ports/transport.js';
import * as value from './file-values.js';

const keyId = value.wholeNumber(0, 255, 'a key id');

export const authenticationKey = z
  .strictObject({
    id: keyId.describe('KeyID of what is sent.'),
    'receive-id': keyId.optional().describe('KeyID of what is received. Default: id.'),
    algorithm: z
      .enum(['hmac-sha-1-96', 'aes-128-cmac-96'], 'expected hmac-sha-1-96 or aes-128-cmac-96')
      .optional()
      .describe('As in RFC 5926. Default: hmac-sha-1-96.'),
    password: value.password.describe('The same at the neighbour.'),
  })
  .transform(
    ({ id, 'receive-id': receiveId = id, algorithm = 'hmac-sha-1-96', password }): AuthenticationKey => ({
      sendId: id,
      receiveId,
      algorithm,
      password,
    }),
  );
