import { expect, it } from 'vitest';
import { unknownNames } from './known-names.js';

it('names and labels that nobody exports are found', () => {
  expect(unknownNames('sum by (le, reason) (rate(heddle_bgp_session_drops_total{instance="x"}[5m]))')).toEqual([]);
  expect(unknownNames('heddle_bgp_session_drops')).toEqual(['nobody exports heddle_bgp_session_drops']);
  expect(unknownNames('heddle_bgp_peer_up{colour="1"}')).toEqual(['heddle_bgp_peer_up has no label colour']);
  expect(unknownNames('sum by (state) (heddle_bgp_peer_up)', ['port'])).toEqual([
    'no metric here has the label state',
    'no metric here has the label port',
  ]);
});
