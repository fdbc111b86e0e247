import { describe, expect, it } from 'vitest';
import { LOSSLESS_CLASS } from '../network/traffic-classes.js';
import { subflows } from './subflows.js';

const cut = subflows(4, 1000, (flow, _, plane) => ({
  source: flow.source,
  destination: flow.destination,
  sourceAddress: flow.source * 4 + plane,
  destinationAddress: flow.destination * 4 + plane,
  words: [0, 0, 0, 0],
  serviceClass: LOSSLESS_CLASS,
}));
const pieces = (octets: number, index: number) =>
  cut({ source: 0, destination: 5, octets, start: 0 }, index).map(({ ends, octets: piece }) => [
    ends.sourceAddress,
    piece,
  ]);

describe('subflows', () => {
  it('are one a plane, equal, the last with what is over', () => {
    expect(pieces(40_003, 7)).toEqual([
      [0, 10_000],
      [1, 10_000],
      [2, 10_000],
      [3, 10_003],
    ]);
  });

  it('are fewer for short messages, which take the planes in turn', () => {
    expect(pieces(2500, 3)).toEqual([
      [3, 1250],
      [0, 1250],
    ]);
    expect([0, 1, 2, 3, 4].map((index) => pieces(10, index))).toEqual([0, 1, 2, 3, 0].map((plane) => [[plane, 10]]));
  });
});
