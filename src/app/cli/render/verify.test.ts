import { describe, expect, it } from 'vitest';
import { planLab } from '../../lab/plan.js';
import { parseTopology } from '../../lab/read-topology.js';
import { failuresOf } from '../../verify/failures.js';
import { predict } from '../../verify/predict.js';
import { seenAsPredicted } from '../../verify/seen-state.fixture.js';
import { verify } from '../../verify/verify.js';
import { whatIf } from '../../verify/what-if.js';
import { plainPaint } from './paint.js';
import { renderPrediction, renderVerification, renderWhatIf } from './verify.js';

const plan = planLab(parseTopology('name: small\nspines: 2\nleaves: 2\n').topology!);
const screen = { paint: plainPaint, width: 100 };
const failed = failuresOf(plan, ['leaf1:spine2']).links;

describe('heddle verify', () => {
  it('prints the matrix of each leaf as it was seen, marks what differs, and tells it', () => {
    const expected = predict(plan);
    const state = seenAsPredicted(expected);
    const leaf = state.routers.get('leaf2')!;
    leaf.routes[0]!.paths[0]!.colour = null;
    const lines = renderVerification({ verification: verify(expected, state), state, done: [] }, screen);
    expect(lines.slice(8)).toEqual([
      'leaf2',
      'PREFIX           COLOUR   to-spine1  to-spine2',
      '                          1 green    2 blue',
      'fc00:1:1:1::/64  1 green  ● (1) ✗    ○',
      'fc00:1:1:2::/64  2 blue   ○          ● (1)',
      '',
      '1 difference from what is expected (4 routers, 4 prefixes):',
      '  leaf2 fc00:1:1:1::/64: colour missing via to-spine1, expected 1; likely: the peer strips opaque communities: ' +
        'spine1 (heddle) has the colour itself, so look at send-colour and export policies there',
    ]);
  });

  it('says what was taken as failed when all is as expected', () => {
    const expected = predict(plan, failed);
    const state = seenAsPredicted(expected);
    const report = { verification: verify(expected, state), state, done: ['probes sent to 4 prefixes'] };
    expect(renderVerification(report, screen).slice(-2)).toEqual([
      'probes sent to 4 prefixes',
      'all as expected with leaf1:spine2 down: 4 routers, 4 prefixes',
    ]);
  });

  it('shows what moves, loads before and after, and who is cut off', () => {
    const lines = renderWhatIf(whatIf(predict(plan), predict(plan, failed)), screen);
    expect(lines).toContain('  leaf2 fc00:1:1:2::/64 (2 blue): to-spine2 -> to-spine1');
    expect(lines).toContain('LINK               UP  AFTER  DOWN  AFTER');
    expect(lines).toContain('leaf1:spine1        1      2     1      2');
    expect(lines).toContain('leaf1:spine2 down   1      0     1      0');
    expect(lines.at(-1)).toBe('nobody is cut off');
    const alone = failuresOf(plan, ['leaf1:host1']).links;
    expect(renderWhatIf(whatIf(predict(plan), predict(plan, alone)), screen)).toContain(
      'host2 cannot reach host1 (dropped at leaf2): colour 1, 2',
    );
  });

  it('shows the model of a fabric that nothing is wrong with', () => {
    expect(renderPrediction(predict(plan), screen)).toContain('fc00:2:1:2::/64  2 blue   ○          ● (1)');
  });
});
