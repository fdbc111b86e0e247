/** Every input of the corpus still does what it must. */
import { describe, expect, it } from 'vitest';
import { Rib } from '../core/rib/rib.js';
import { corpusUpdates, octetsOf } from './corpus.js';
import { Finds } from './finds.js';
import { DUE_NAMES, Rfc7606Judge } from './rfc7606-judge.js';
import { LOCAL_AS, ribPeer, UPDATE_SESSIONS } from './update-sessions.js';
import { UpdateTarget } from './update-target.js';

describe('an UPDATE of the corpus', () => {
  it.each(corpusUpdates())('$name ($source): $due', ({ session: name, body, due, routes, subcode }) => {
    const place = UPDATE_SESSIONS.findIndex((session) => session.name === name);
    const octets = octetsOf(body);
    const { context } = UPDATE_SESSIONS[place]!;
    expect(DUE_NAMES[new Rfc7606Judge().judge(octets, context).due]).toBe(due);
    const rib = new Rib({ localAs: LOCAL_AS });
    const peer = rib.addPeer(ribPeer(UPDATE_SESSIONS[place]!, place));
    const result = rib.receiveUpdate(peer, octets);
    expect(result?.kind === 'error' ? result.subcode : undefined).toBe(subcode);
    expect(rib.counters(peer).paths).toBe(routes);
    const finds = new Finds();
    const target = new UpdateTarget(finds);
    target.receive(place, octets, undefined);
    target.settle();
    expect([...finds.found.values()]).toEqual([]);
  });
});
