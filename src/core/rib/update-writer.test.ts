import { expect, it } from 'vitest';
import { originatedAttributes } from '../policy/dpf-policy.js';
import { everybodyBut } from './audience.js';
import { ExportScratch } from './export-scratch.js';
import type { LoggedMessage } from './message-log.js';
import { LOCAL_AS, linkLocalOf, Neighbour, prefix, settle } from './rib.fixture.js';
import { Rib } from './rib.js';
import { UpdateWriter } from './update-writer.js';

it('says of each message which prefixes are in it', () => {
  const rib = new Rib({ localAs: LOCAL_AS });
  const texts = Array.from({ length: 1000 }, (_, i) => `2001:db8:${(i + 1).toString(16)}::/64`);
  for (const text of texts) rib.originate(prefix(text), originatedAttributes(1));
  const ids = Uint32Array.from(texts, (text) => rib.find(prefix(text))!);
  settle(rib);
  const messages: LoggedMessage[] = [];
  const capabilities = {
    families: ['ipv6-unicast' as const],
    fourOctetAs: true,
    extendedMessage: false,
    extendedNextHop: [],
    linkLocalNextHop: true,
  };
  const writer = new UpdateWriter({ rib, capabilities, scratch: new ExportScratch() }, (message) =>
    messages.push(message),
  );
  const attribute = rib.pathAttribute(rib.bestPath(ids[0]!)!);
  const audience = everybodyBut(1);
  const run = { attribute, audience, ipv6: true, ids, count: 1000 };
  writer.write(run, { 'ipv6-unicast': linkLocalOf(1) });
  writer.write({ ...run, attribute: undefined }, {});

  // 1000 prefixes of 9 octets: two full messages and the rest, each way.
  expect(messages).toHaveLength(6);
  const neighbour = new Neighbour();
  for (const [i, message] of messages.entries()) {
    const before = new Set(neighbour.routes.keys());
    neighbour.take(message.bytes);
    const after = new Set(neighbour.routes.keys());
    const [larger, smaller] = i < 3 ? [after, before] : [before, after];
    const changed = [...larger].filter((text) => !smaller.has(text));
    expect(Array.from(message.routes, (id) => texts[id])).toEqual(changed);
    expect(message.nextHopOffset === 0).toBe(i >= 3);
  }
  expect(neighbour.routes.size).toBe(0);
});
