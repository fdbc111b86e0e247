import { describe, expect, it } from 'vitest';
import { editDistance, suggest } from './suggestion.js';

describe('editDistance', () => {
  it.each([
    ['', '', 0],
    ['fabric', 'fabric', 0],
    ['fabirc', 'fabric', 1],
    ['prefx', 'prefix', 1],
    ['timer', 'timers', 1],
    ['hots', 'hosts', 1],
    ['abc', '', 3],
  ])('%s and %s are %i edits apart', (a, b, distance) => {
    expect(editDistance(a, b)).toBe(distance);
  });
});

describe('suggest', () => {
  const known = ['as', 'router-id', 'fabric', 'hosts', 'families', 'accept-remote-as'];
  it.each([
    ['fabirc', 'fabric'],
    ['Router_ID', 'router-id'],
    ['local-as', 'as'],
    ['remote-as', 'accept-remote-as'],
    ['family', 'families'],
    ['sa', 'as'],
    ['router', 'router-id'],
    ['fam', 'families'],
    ['asx', 'as'],
    ['ospf', undefined],
  ])('%s is %s', (word, meant) => {
    expect(suggest(word, known)).toBe(meant);
  });

  it.each([
    ['local-preference', 'local-pref'],
    ['route-map', 'import'],
    ['comm', 'communities'],
    ['prefix-list', 'prefixes'],
    ['nexthop', 'next-hop'],
    ['ne', undefined],
  ])('%s of other routers is %s', (word, meant) => {
    expect(suggest(word, ['local-pref', 'import', 'export', 'communities', 'prefixes', 'next-hop'])).toBe(meant);
  });

  it('offers no synonym that does not belong there', () => {
    expect(suggest('remote-as', ['prefix', 'colour'])).toBeUndefined();
  });
});
