/** `heddle replay` as it is typed: what is printed, and what ends it. */
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { main } from '../../src/app/cli/main.js';

function capture(name: string): string {
  return fileURLToPath(new URL(`../../pcaps/${name}.pcap`, import.meta.url));
}

let output: string;
let errors: string;
beforeEach(() => {
  output = '';
  errors = '';
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    output += text;
    return true;
  });
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
    errors += text;
    return true;
  });
});
afterEach(() => {
  vi.restoreAllMocks();
});

function replay(...args: string[]): Promise<number> {
  return main(['node', 'heddle', 'replay', ...args]);
}

it('prints the messages and what each receiver chose', async () => {
  expect(await replay(capture('a2-frr-bird-spine'))).toBe(0);
  const lines = output.split('\n');
  expect(lines[0]).toMatch(/^FRAME +TIME +SOURCE +DESTINATION +KIND +WHAT$/);
  expect(lines.find((line) => line.includes('fc00:1:1:2::/64') && line.includes('update'))).toMatch(
    /fe80::\S+ +fe80::\S+ +update +fc00:1:1:2::\/64 {2}AS path 65101 {2}next hop fe80::\S+ {2}colour 2 {2}AIGP 0$/,
  );
  expect(output).toContain('End-of-RIB ipv6-unicast');
  expect(output).toMatch(/received by 10\.1\.0\.1 {2}AS 65101/);
  expect(output).toMatch(/^fc00:2:1:2::\/64 +2 blue +10\.0\.0\.2 via fe80::\S+ +1 +only-path/m);
});

it('prints only the messages that are asked for, with their attributes', async () => {
  expect(await replay(capture('c1-frr-bird2'), '--messages', '--filter', 'update', '-v')).toBe(0);
  expect(output).toMatch(/^ +largeCommunities: /m);
  expect(output).not.toMatch(/keepalive|received by/);
});

it('unwraps the text of an administrative shutdown', async () => {
  await replay(capture('h3-notification-admin-shutdown'), '--filter', 'notification', '--messages');
  expect(output).toContain('Wartung: Fabric-Stufe 2 - 維護');
});

it('writes one JSON document', async () => {
  expect(await replay(capture('a1-frr-frr-unnumbered'), '--json', '--receiver', '10.1.0.1')).toBe(0);
  const document = z
    .object({
      captures: z.array(z.object({ format: z.string(), packets: z.int(), problems: z.array(z.unknown()) })),
      messages: z.array(z.looseObject({ frame: z.int(), time: z.string(), kind: z.string() })),
      receivers: z.array(z.looseObject({ name: z.string(), as: z.int(), prefixes: z.array(z.unknown()) })),
    })
    .parse(JSON.parse(output));
  expect(document.captures).toEqual([{ format: 'pcap', packets: 66, problems: [] }]);
  expect(document.messages).toHaveLength(49);
  expect(document.receivers.map(({ name, prefixes }) => [name, prefixes.length])).toEqual([['10.1.0.1', 12]]);
});

it.each<[string, string[], string]>([
  ['a missing file', ['/no/such.pcap'], 'heddle: /no/such.pcap: no such file\n'],
  [
    'a file that is no capture',
    [fileURLToPath(import.meta.url)],
    `heddle: ${fileURLToPath(import.meta.url)}: is a text file, not a pcap or pcapng capture\n`,
  ],
  ['an unknown kind', [capture('i-md5'), '--filter', 'updates'], 'heddle: --filter updates: no such kind; one of '],
  [
    'an unknown receiver',
    [capture('a1-frr-frr-unnumbered'), '--receiver', '10.9.9.9'],
    'heddle: --receiver 10.9.9.9: no such router received routes in this capture (10.1.0.1, 10.0.0.2 did)\n',
  ],
  ['a bad port', [capture('i-md5'), '--port', '0'], 'error: option '],
])('ends with one line and 2 for %s', async (_name, args, message) => {
  expect(await replay(...args)).toBe(2);
  expect(errors.startsWith(message)).toBe(true);
  expect(errors.trimEnd().split('\n')).toHaveLength(1);
  expect(output).toBe('');
});

it('finds BGP on another port only when told', async () => {
  await replay(capture('g-route-refresh'), '--messages', '--filter', 'bgp', '--port', '1179');
  expect(output).toBe('no message\n');
});
