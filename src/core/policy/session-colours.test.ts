/** Which routes a session of a colour carries, and how a prefix is tagged on it. */
import { describe, expect, it } from 'vitest';
import { colourCommunity, colourOf } from '../wire/bgp/colour.js';
import { originatedAttributes } from './dpf-policy.js';
import type { ExportContext } from './export-context.js';
import { exportAttributes } from './export-policy.js';

function onSession(colour: number | undefined, changes: Partial<ExportContext> = {}): ExportContext {
  const context = { localAs: 65101, role: 'leaf' as const, external: true, sendColour: true, aigp: true };
  const values = { aigpOrigin: 0n, aigpStep: 1n, sessionColours: true, ...changes };
  return { ...context, ...values, ...(colour === undefined ? {} : { colour }) };
}

const sent = (context: ExportContext, colour?: number, backup?: readonly number[]) => {
  const attributes = exportAttributes({ attributes: originatedAttributes(colour, backup), source: 'local' }, context);
  return attributes && { colour: colourOf(attributes), aigp: attributes.aigp?.metric };
};

describe('a prefix of our own in session mode', () => {
  it('goes out on the session of its colour with AIGP, and on no session of another colour', () => {
    expect(sent(onSession(1), 1)).toEqual({ colour: 1, aigp: 0n });
    expect(sent(onSession(2), 1)).toBeUndefined();
  });

  it('goes out on the sessions of its backup colours too, in their colour and without AIGP', () => {
    expect(sent(onSession(1), 1, [2, 3])).toEqual({ colour: 1, aigp: 0n });
    expect(sent(onSession(2), 1, [2, 3])).toEqual({ colour: 2, aigp: undefined });
    expect(sent(onSession(3), 1, [2, 3])).toEqual({ colour: 3, aigp: undefined });
    expect(sent(onSession(4), 1, [2, 3])).toBeUndefined();
  });

  it('goes out on a session without a colour whatever its own', () => {
    expect(sent(onSession(undefined), 1, [2])).toEqual({ colour: 1, aigp: undefined });
  });

  it('goes out everywhere when it has no colour', () => {
    for (const session of [1, undefined])
      expect(sent(onSession(session))).toEqual({ colour: undefined, aigp: undefined });
  });

  it('never tells what its backup colours are', () => {
    const route = { attributes: originatedAttributes(1, [2, 3]), source: 'local' as const };
    for (const session of [1, 2, undefined])
      expect(exportAttributes(route, onSession(session))).not.toHaveProperty('backupColours');
  });

  it('keeps the communities that are no colour when it is tagged with a backup colour', () => {
    const rt = { type: 0, subtype: 2, value: Uint8Array.of(0, 1, 0, 0, 0, 2) };
    const attributes = { ...originatedAttributes(1, [2]), extendedCommunities: [rt, colourCommunity(1)] };
    const exported = exportAttributes({ attributes, source: 'local' }, onSession(2));
    expect(exported?.extendedCommunities).toEqual([rt, colourCommunity(2)]);
  });
});

describe('a learned route in session mode', () => {
  const learned = (colour: number) => ({ attributes: originatedAttributes(colour), source: 'external' as const });

  it('is passed on by a spine on sessions of its colour and on those without one', () => {
    expect(exportAttributes(learned(2), onSession(2, { role: 'spine' }))).toBeDefined();
    expect(exportAttributes(learned(2), onSession(undefined, { role: 'spine' }))).toBeDefined();
    expect(exportAttributes(learned(2), onSession(1, { role: 'spine' }))).toBeUndefined();
  });

  it('is passed on whatever its colour in policy mode', () => {
    const context = onSession(1, { role: 'spine', sessionColours: false });
    expect(exportAttributes(learned(2), context)).toBeDefined();
  });
});
