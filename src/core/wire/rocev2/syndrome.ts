/** The octet in which an acknowledgement says how it went (InfiniBand Architecture 1.4, section 9.7.5.1.1, tables 45 to 47). */

export type Syndrome =
  | { readonly kind: 'ack'; readonly credits: number }
  | { readonly kind: 'receiver-not-ready'; readonly timer: number }
  | { readonly kind: 'nak'; readonly code: number }
  | { readonly kind: 'reserved'; readonly octet: number };

export const NAK_CODE = {
  sequenceError: 0,
  invalidRequest: 1,
  remoteAccessError: 2,
  remoteOperationalError: 3,
} as const;

/** Credits of a responder that limits nothing. */
export const UNLIMITED_CREDITS = 31;

const NAK_NAMES = ['PSN sequence error', 'invalid request', 'remote access error', 'remote operational error'];

export function nakName(code: number): string {
  return NAK_NAMES[code] ?? `NAK code ${code}`;
}

export function decodeSyndrome(octet: number): Syndrome {
  const value = octet & 0x1f;
  if (octet >> 5 === 0) return { kind: 'ack', credits: value };
  if (octet >> 5 === 1) return { kind: 'receiver-not-ready', timer: value };
  if (octet >> 5 === 3) return { kind: 'nak', code: value };
  return { kind: 'reserved', octet };
}

export function encodeSyndrome(syndrome: Syndrome): number {
  switch (syndrome.kind) {
    case 'ack':
      return syndrome.credits & 0x1f;
    case 'receiver-not-ready':
      return 0x20 | (syndrome.timer & 0x1f);
    case 'nak':
      return 0x60 | (syndrome.code & 0x1f);
    case 'reserved':
      return syndrome.octet;
  }
}
