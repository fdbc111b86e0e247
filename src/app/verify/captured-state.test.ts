/** The capture of a leaf with BIRD spines, which loses spine 2 at its end (pcaps/m-dpf-four-uplinks.md), against the model of its fabric. */
import { describe, expect, it } from 'vitest';
import { readCaptureFile } from '../../edge/record/read-capture-file.js';
import { planLab } from '../lab/plan.js';
import { parseTopology } from '../lab/read-topology.js';
import { replayReceivers } from '../replay/receivers.js';
import { replayFiles } from '../replay/replay-files.js';
import { capturedState } from './captured-state.js';
import { grouped, sentence } from './difference.js';
import { predict } from './predict.js';
import { readRoutes } from './route-differences.js';

const capture = readCaptureFile('pcaps/m-dpf-four-uplinks.pcap');
if (typeof capture === 'string') throw new Error(capture);
const receivers = replayReceivers(replayFiles([capture], { port: 179 }));

function held(...lines: readonly string[]) {
  const { topology } = parseTopology(['name: captured', ...lines].join('\n'));
  const captured = capturedState(predict(planLab(topology!)), receivers);
  return { ...captured, told: grouped(readRoutes(captured.prediction, captured.state).differences).map(sentence) };
}

const BIRD = 'implementations: { spines: bird3 }';

describe('what captures show', () => {
  it('is as expected of the sessions that live to its end, in both directions', () => {
    const { told, sessions, strangers, state } = held('spines: 4', 'leaves: 2', BIRD);
    expect({ told, sessions, strangers }).toEqual({ told: [], sessions: 6, strangers: [] });
    expect([...state.routers.values()].filter(({ silent }) => silent === null).map(({ node }) => node)).toEqual([
      'spine1',
      'spine2',
      'spine3',
      'spine4',
      'leaf2',
    ]);
  });

  it('differs from a fabric that has other colours, or whose spines pass none on', () => {
    expect(held('spines: 4', 'leaves: 2', 'colours: [2, 1, 3, 4]', BIRD).told.length).toBeGreaterThan(0);
    const { told } = held('spines: 4', 'leaves: 2', 'implementations: { spines: frr }');
    expect(told).toContain(
      'leaf2 fc00:1:1:1::/64 (and 3 more): colour 1 via to-spine3, expected none; likely: spine3 is not to send colours here ' +
        '(send-colour, or an export filter)',
    );
  });

  it('names who is not of the topology, and prefixes that it does not have', () => {
    const { told, strangers } = held('spines: 3', 'leaves: 2', BIRD);
    expect(strangers).toEqual(['10.0.0.4']);
    expect(told).toContain(
      'leaf2 fc00:1:1:4::/64: a prefix that the topology does not have, via to-spine1, to-spine3; likely: a router there originates it',
    );
  });
});
