import { describe, expect, it } from 'vitest';
import { policy } from '../../core/policy/policy.fixture.js';
import type { SessionOptions } from '../../core/policy/session-options.js';
import { link } from '../../core/speaker/plain-config.js';
import { optionViews } from './option-view.js';

const view = (options: SessionOptions) => optionViews(link('eth0', { options }));

describe('the options of a session', () => {
  it('are none where the configuration says nothing', () => {
    expect(optionViews(link('eth0'))).toEqual([]);
  });

  it.each<[SessionOptions, string]>([
    [{ localAs: { asn: 65009, prependReceived: true, replaceAs: false } }, 'local-as 65009'],
    [{ localAs: { asn: 65009, prependReceived: false, replaceAs: true } }, 'local-as 65009 no-prepend replace-as'],
    [{ allowAsIn: 2 }, 'allow-as-in 2'],
    [{ enforceFirstAs: false }, 'enforce-first-as false'],
    [{ asOverride: true }, 'as-override'],
    [{ removePrivateAs: 'private-paths' }, 'remove-private-as'],
    [{ removePrivateAs: 'replace' }, 'remove-private-as replace'],
    [{ acceptCommunities: [] }, 'accept-communities none'],
    [{ sendCommunities: ['standard', 'large'] }, 'send-communities standard large'],
    [{ nextHop: 'self-always' }, 'next-hop-self force'],
    [{ nextHop: 'unchanged' }, 'next-hop-unchanged'],
    [{ reflectorClient: true }, 'route-reflector-client'],
  ])('%o', (options, expected) => {
    expect(view(options)).toEqual([expected]);
  });

  it('name the policies of a default route', () => {
    expect(optionViews(link('eth0', { defaultOriginate: {} }))).toEqual(['default-originate']);
    const named = { policy: [policy('dflt')] };
    expect(optionViews(link('eth0', { defaultOriginate: named }))).toEqual(['default-originate dflt']);
  });
});
