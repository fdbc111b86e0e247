/** A monitoring station for tests: what BMP messages (RFC 7854) say, read without any of the code that writes them. */

export interface BmpRecord {
  readonly type: 'routes' | 'statistics' | 'down' | 'up' | 'initiation' | 'termination';
  /** Peer type and flags; -1 in messages without a peer. */
  readonly peerType: number;
  readonly flags: number;
  readonly peerAs: number;
  readonly identifier: number;
  /** After the headers. */
  readonly payload: Uint8Array;
}

const TYPES = ['routes', 'statistics', 'down', 'up', 'initiation', 'termination'] as const;

/** Of what came so far: without a message at the end that is not all there yet. */
export function readBmpSoFar(octets: Uint8Array): BmpRecord[] {
  const view = new DataView(octets.buffer, octets.byteOffset, octets.byteLength);
  let end = 0;
  while (end + 6 <= octets.length && end + view.getUint32(end + 1) <= octets.length) end += view.getUint32(end + 1);
  return readBmp(octets.subarray(0, end));
}

/** Throws at the first octet that is not BMP version 3. */
export function readBmp(octets: Uint8Array): BmpRecord[] {
  const view = new DataView(octets.buffer, octets.byteOffset, octets.byteLength);
  const records: BmpRecord[] = [];
  for (let at = 0; at < octets.length; ) {
    if (view.getUint8(at) !== 3) throw new Error(`no BMP message at ${at}`);
    const end = at + view.getUint32(at + 1);
    const type = TYPES[view.getUint8(at + 5)];
    if (type === undefined || end > octets.length) throw new Error(`no whole BMP message at ${at}`);
    const perPeer = type !== 'initiation' && type !== 'termination';
    records.push({
      type,
      peerType: perPeer ? view.getUint8(at + 6) : -1,
      flags: perPeer ? view.getUint8(at + 7) : -1,
      peerAs: perPeer ? view.getUint32(at + 32) : 0,
      identifier: perPeer ? view.getUint32(at + 36) : 0,
      payload: octets.subarray(at + (perPeer ? 48 : 6), end),
    });
    at = end;
  }
  return records;
}
