/** Names of NOTIFICATION codes and subcodes (RFC 4271 section 4.5, 4486, 5492, 6608, 7313, 8538, 9234, 9384, 9687). */

interface CodeNames {
  readonly name: string;
  readonly subcodes: Readonly<Record<number, string>>;
}

const CODES: Readonly<Record<number, CodeNames>> = {
  1: {
    name: 'Message Header Error',
    subcodes: { 1: 'Connection Not Synchronized', 2: 'Bad Message Length', 3: 'Bad Message Type' },
  },
  2: {
    name: 'OPEN Message Error',
    subcodes: {
      1: 'Unsupported Version Number',
      2: 'Bad Peer AS',
      3: 'Bad BGP Identifier',
      4: 'Unsupported Optional Parameter',
      5: 'Authentication Failure',
      6: 'Unacceptable Hold Time',
      7: 'Unsupported Capability',
      8: 'Grouping Conflict',
      11: 'Role Mismatch',
    },
  },
  3: {
    name: 'UPDATE Message Error',
    subcodes: {
      1: 'Malformed Attribute List',
      2: 'Unrecognized Well-known Attribute',
      3: 'Missing Well-known Attribute',
      4: 'Attribute Flags Error',
      5: 'Attribute Length Error',
      6: 'Invalid ORIGIN Attribute',
      7: 'AS Routing Loop',
      8: 'Invalid NEXT_HOP Attribute',
      9: 'Optional Attribute Error',
      10: 'Invalid Network Field',
      11: 'Malformed AS_PATH',
    },
  },
  4: { name: 'Hold Timer Expired', subcodes: {} },
  5: {
    name: 'Finite State Machine Error',
    subcodes: {
      1: 'Unexpected Message in OpenSent State',
      2: 'Unexpected Message in OpenConfirm State',
      3: 'Unexpected Message in Established State',
    },
  },
  6: {
    name: 'Cease',
    subcodes: {
      1: 'Maximum Number of Prefixes Reached',
      2: 'Administrative Shutdown',
      3: 'Peer De-configured',
      4: 'Administrative Reset',
      5: 'Connection Rejected',
      6: 'Other Configuration Change',
      7: 'Connection Collision Resolution',
      8: 'Out of Resources',
      9: 'Hard Reset',
      10: 'BFD Down',
    },
  },
  7: { name: 'ROUTE-REFRESH Message Error', subcodes: { 1: 'Invalid Message Length' } },
  8: { name: 'Send Hold Timer Expired', subcodes: {} },
};

/** `Cease/Administrative Shutdown (6/2)`; without a second name when the subcode has none. */
export function notificationName(code: number, subcode: number): string {
  const names = CODES[code];
  const name = names?.name ?? 'Unknown Error';
  const detail = names?.subcodes[subcode];
  return `${detail ? `${name}/${detail}` : name} (${code}/${subcode})`;
}
