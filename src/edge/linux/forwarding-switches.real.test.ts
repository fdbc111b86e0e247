import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createNamespace, deleteNamespace, inNamespace, ip, namespacesUnusable } from '../../../test/harness/netns.js';
import { setForwardingSwitches } from './forwarding-switches.js';

const NAMESPACE = `fb-switches-${process.pid}`;
const unusable = namespacesUnusable();
if (unusable) console.log(`skipped: ${unusable}`);

describe.skipIf(unusable)('setForwardingSwitches', () => {
  const messages: string[] = [];
  const log = { write: ({ message }: { message: string }) => void messages.push(message) };
  const run = (manage: boolean) => inNamespace(NAMESPACE, () => setForwardingSwitches(log, manage));
  const switchOf = (name: string) => ip('netns', 'exec', NAMESPACE, 'sysctl', '-n', name).trim();

  beforeAll(() => {
    createNamespace(NAMESPACE);
    ip('netns', 'exec', NAMESPACE, 'sysctl', '-qw', 'net.ipv4.ip_forward=0');
  });
  afterAll(() => deleteNamespace(NAMESPACE));

  it('refuses, and changes nothing, when it may not set what is wrong', () => {
    expect(() => run(false)).toThrow(
      'net.ipv4.ip_forward must be 1 (the host would not forward IPv4); net.ipv6.fib_multipath_hash_policy must be 1',
    );
    expect(switchOf('net.ipv4.ip_forward')).toBe('0');
    expect(messages).toEqual([]);
  });

  it('puts back what it set', () => {
    inNamespace(NAMESPACE, () => setForwardingSwitches({ write: () => {} }, true)());
    expect(switchOf('net.ipv4.ip_forward')).toBe('0');
    expect(switchOf('net.ipv6.conf.all.forwarding')).toBe('0');
    expect(switchOf('net.ipv6.fib_multipath_hash_policy')).toBe('0');
  });

  it('sets what is wrong, says so once, and is content then', () => {
    run(true);
    expect(messages).toContain('net.ipv4.ip_forward set to 1');
    expect(switchOf('net.ipv4.ip_forward')).toBe('1');
    expect(switchOf('net.ipv6.conf.all.forwarding')).toBe('1');
    expect(switchOf('net.ipv6.fib_multipath_hash_policy')).toBe('1');
    expect(switchOf('net.ipv4.fib_multipath_hash_policy')).toBe('1');
    const said = messages.length;
    run(true);
    run(false);
    expect(messages).toHaveLength(said);
  });
});
