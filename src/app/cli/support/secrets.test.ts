import { describe, expect, it } from 'vitest';
import { cleanConfig, Scrubber } from './secrets.js';

const CONFIG = `# a leaf; the old password: hunter2hunter2
name: leaf1
fabric:
  up1: { password: "warp \\"and\\" weft" }
  up2:
    tcp-ao: { id: 7, password: loom'shuttle }
  up3: { password: &shared reed-and-comb }
  up4: { password: *shared }
  up5:
    password: |
      first line of it
      second line of it
control:
  token: tok-1234567890
  tokens: [tok-a-123456, tok-b-123456]
  api-key: { value: key-material-1 }
advertise: [{ prefix: "fc00::/64" }]   # fc00::/64 is tok-1234567890
`;

const SECRETS = [
  ...['hunter2hunter2', 'warp "and" weft', 'warp \\"and\\" weft', "loom'shuttle", 'reed-and-comb', 'first line of it'],
  ...['second line of it', 'tok-1234567890', 'tok-a-123456', 'tok-b-123456', 'key-material-1'],
];

describe('cleanConfig', () => {
  const clean = cleanConfig(CONFIG)!;

  it.each(SECRETS)('leaves nothing of %s', (secret) => {
    expect(clean.text).not.toContain(secret);
  });

  it('leaves the rest, comments too', () => {
    expect(clean.text).toContain('# a leaf; the old password: <removed>');
    expect(clean.text).toContain('tcp-ao: { id: 7, password: <removed> }');
    expect(clean.text).toContain('prefix: "fc00::/64"');
  });

  it.each(['a: [', 'just words', '', '- a list'])('does not take %j for a configuration', (text) => {
    expect(cleanConfig(text)).toBeUndefined();
  });
});

describe('Scrubber', () => {
  it.each([
    ['"password": "warp"', '"password": <removed>'],
    ['key-id: 7, tcp-password=warp rest', 'key-id: 7, tcp-password=<removed> rest'],
    ['Authorization: Bearer abcdef.123456', 'Authorization: Bearer <removed>'],
    ['https://me:warp@example.net/x', 'https://<removed>@example.net/x'],
    ['-----BEGIN EC PRIVATE KEY-----\nabc\n-----END EC PRIVATE KEY-----\nrest', '<removed>\nrest'],
    ['-----BEGIN PRIVATE KEY-----\nabc', '<removed>'],
    ['tcp ESTAB md5keys:fe80::1/128=warp rest', 'tcp ESTAB md5key:<removed> rest'],
    ['neighbor fe80::1 password of 8 octets', 'neighbor fe80::1 password of 8 octets'],
    ['fib.entries: 7', 'fib.entries: 7'],
  ])('%j', (text, expected) => {
    expect(new Scrubber([]).scrub(text)).toBe(expected);
  });

  it('finds what it was told of in any spelling, the longer one first', () => {
    const scrubber = new Scrubber(['warp', 'warp "2"', 'a', 'two words.*']);
    expect(scrubber.scrub('said warp \\"2\\" and warp "2"; a cat; two%20words.*; two words.x')).toBe(
      'said <removed> and <removed>; a cat; <removed>; two words.x',
    );
  });
});
