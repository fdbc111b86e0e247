import { describe, expect, it } from 'vitest';
import fc from '../../../test/harness/properties.js';
import { encodeKeepalive } from '../../core/wire/bgp/keepalive.js';
import { concat } from '../../core/wire/bgp/octets.js';
import { encodeRouteRefresh } from '../../core/wire/bgp/route-refresh.js';
import { BgpStream, type BgpStreamOutput } from './bgp-stream.js';

const KEEPALIVE = encodeKeepalive();
const REFRESH = encodeRouteRefresh({ afi: 2, safi: 1, subtype: 0 });
const GARBAGE = Uint8Array.of(1, 2, 0xff, 3);

function read(...pieces: readonly Uint8Array[]): string[] {
  const stream = new BgpStream();
  return [...pieces.flatMap((piece) => stream.push(piece)), ...stream.interrupt()].map(text);
}

function text(output: BgpStreamOutput): string {
  return output.kind === 'message' ? `message ${output.bytes.length}` : `skipped ${output.octets}`;
}

function withLength(length: number): Uint8Array {
  const message = Uint8Array.from(KEEPALIVE);
  message.set([length >> 8, length & 255], 16);
  return message;
}

describe('a stream of messages', () => {
  it.each<[string, Uint8Array[], string[]]>([
    ['messages in one piece', [concat([KEEPALIVE, REFRESH])], ['message 19', 'message 23']],
    ['a message in two pieces', [REFRESH.subarray(0, 17), REFRESH.subarray(17)], ['message 23']],
    ['a beginning in the middle', [REFRESH.subarray(20), KEEPALIVE], ['skipped 3', 'message 19']],
    ['an octet of ones before the marker', [Uint8Array.of(0xff), KEEPALIVE], ['skipped 1', 'message 19']],
    ['garbage between messages', [KEEPALIVE, GARBAGE, KEEPALIVE], ['message 19', 'skipped 4', 'message 19']],
    ['a length that is too short', [withLength(18), KEEPALIVE], ['skipped 19', 'message 19']],
    ['a length of 65535', [withLength(65535), KEEPALIVE], ['skipped 19', 'message 19']],
    ['an end inside a message', [KEEPALIVE, REFRESH.subarray(0, 20)], ['message 19', 'skipped 20']],
    ['nothing', [], []],
  ])('with %s', (_name, pieces, expected) => {
    expect(read(...pieces)).toEqual(expected);
  });

  it('goes on after an interruption', () => {
    const stream = new BgpStream();
    const outputs = [...stream.push(REFRESH.subarray(0, 10)), ...stream.interrupt(), ...stream.push(KEEPALIVE)];
    expect(outputs.map(text)).toEqual(['skipped 10', 'message 19']);
  });

  it('does not depend on how the octets are cut', () => {
    const whole = concat([KEEPALIVE, GARBAGE, REFRESH, withLength(7), KEEPALIVE]);
    fc.assert(
      fc.property(fc.array(fc.nat(whole.length), { maxLength: 12 }), (cuts) => {
        const at = [0, ...cuts.sort((a, b) => a - b), whole.length];
        const pieces = at.slice(1).map((end, index) => whole.subarray(at[index], end));
        expect(read(...pieces)).toEqual(read(whole));
      }),
    );
  });
});
