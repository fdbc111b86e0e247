/** `heddle policy test` as an operator runs it. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command } from 'commander';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { register } from './policy.js';

const CONFIG = `name: leaf1
role: leaf
as: 65101
prefix-lists: { gpu: "fc00::/16 ge 64 le 64" }
policies:
  tag:
    - name: gpu
      match: { prefixes: gpu, aigp: present }
      set: { local-pref: 200, communities: { add: "65000:1" } }
  drain:
    - { match: { as-path: _65009_ }, action: reject }
    - { match: { interface: to-spine1 }, set: { colour: blue, aigp: 7 }, action: accept }
fabric:
  to-spine1: { colour: 1, import: [tag, drain] }
neighbors:
  192.0.2.1: { remote-as: 65200, import: drain, export: drain }
  192.0.2.2: { remote-as: internal }
  192.0.2.3: { remote-as: [internal, 65300], import: drain, export: drain }
`;

const folder = mkdtempSync(join(tmpdir(), 'heddle-policy-'));
const file = join(folder, 'leaf1.yaml');
beforeAll(() => writeFileSync(file, CONFIG));
afterAll(() => rmSync(folder, { recursive: true }));

function program(): Command {
  const heddle = new Command('heddle').exitOverride();
  register(heddle);
  return heddle;
}

function run(...options: readonly string[]): string {
  const written: string[] = [];
  const spy = vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    written.push(String(text));
    return true;
  });
  try {
    program().parse(['node', 'heddle', 'policy', 'test', file, ...options]);
  } finally {
    spy.mockRestore();
  }
  return written.join('');
}

const ROUTE = ['--policy', 'tag', '--policy', 'drain', '--prefix', 'fc00:1:1:1::/64'];

describe('heddle policy test', () => {
  it('shows each term, what was set, and which one decided', () => {
    const output = run(...ROUTE, '--aigp', '1', '--as-path', '65001 65101', '--neighbor', 'to-spine1', '--colour', '1');
    expect(output.split('\n').slice(0, 15)).toEqual([
      'import of fc00:1:1:1::/64',
      '  tag term gpu: matches',
      '    yes  prefix in gpu',
      '    yes  AIGP is present',
      '    set  add communities 65000:1, local-pref 200',
      '    then next',
      '  drain term 1: does not match',
      '    no   AS path matches _65009_',
      '  drain term 2: matches',
      '    yes  interface is to-spine1',
      '    set  colour 2, AIGP 7',
      '    then accept',
      'accepted by policy drain term 2',
      '  AS path      65001 65101',
      '  origin       igp',
    ]);
    expect(output).toContain('communities  65000:1 color:00:2  (was color:00:1)');
  });

  it('wants a policy, and a neighbour that there is', () => {
    expect(() => run('--prefix', 'fc00:1:1:1::/64')).toThrow(/--policy NAME/);
    expect(() => run(...ROUTE, '--neighbor', 'to-spin1')).toThrow(
      'no neighbor to-spin1 in the file; there is to-spine1, 192.0.2.1, 192.0.2.2, 192.0.2.3',
    );
    expect(run(...ROUTE, '--neighbor', 'fe80::1%to-spine1')).toContain('yes  interface is to-spine1');
  });

  it('takes AS numbers as asdot', () => {
    expect(run(...ROUTE, '--as-path', '1.10 {65101.1,7}')).toContain('AS path      65546 {4266459137,7}');
    expect(() => run(...ROUTE, '--as-path', '1.65536')).toThrow();
  });

  it('says which term rejects', () => {
    expect(run(...ROUTE, '--as-path', '1 65009 {2,3}')).toContain('rejected by policy drain term 1');
  });

  it.each([
    [[], 'accepted on a fabric interface (the DPF role), rejected from external neighbours (RFC 8212)', null],
    [['--neighbor', 'to-spine1'], 'accepted (the DPF role of a fabric interface)', 'accept'],
    [['--neighbor', 'fe80::1'], 'accepted (the DPF role of a fabric interface)', 'accept'],
    [['--neighbor', '192.0.2.1'], 'rejected (RFC 8212: an external neighbour, and no term accepts)', 'reject'],
    [['--neighbor', '192.0.2.2'], 'accepted (inside the AS no policy is needed)', 'accept'],
    [['--neighbor', '192.0.2.3'], 'rejected when the neighbour is in another AS (RFC 8212), accepted when', null],
  ])('says what becomes of a route that no term decides: %j', (neighbor, verdict, outcome) => {
    const undecided = ['--policy', 'tag', '--prefix', 'fc00:1:1:1::/64', ...neighbor];
    expect(run(...undecided)).toContain(`no term decides: ${verdict}`);
    expect(run(...undecided).includes('AS path')).toBe(outcome !== 'reject');
    expect(JSON.parse(run(...undecided, '--json'))).toMatchObject({ decision: null, outcome });
  });

  it.each(['192.0.2.77', '2001:db8::1', 'fe80::1%eth9'])('knows nobody of the name %s', (name) => {
    expect(() => run(...ROUTE, '--neighbor', name)).toThrow(
      `no neighbor ${name} in the file; there is to-spine1, 192.0.2.1, 192.0.2.2, 192.0.2.3`,
    );
  });

  it('shows defaults as they are written', () => {
    const help = program()
      .commands.find((command) => command.name() === 'policy')
      ?.commands.find((command) => command.name() === 'test')
      ?.helpInformation();
    expect(help).toMatch(/--origin <O> +igp, egp or incomplete \(default: igp\)/);
    expect(help).not.toContain('[]');
  });

  it('answers in JSON too', () => {
    const answer: unknown = JSON.parse(run(...ROUTE, '--export', '--neighbor', 'to-spine1', '--json'));
    expect(answer).toMatchObject({
      direction: 'export',
      decision: 'accept',
      decidedBy: { policy: 'drain', term: '2' },
      terms: [{ matched: false, set: [] }, { matched: false }, { matched: true, set: ['colour 2', 'AIGP 7'] }],
      after: { AIGP: '7' },
    });
  });

  it.each([
    [['--policy', 'darin', '--prefix', 'fc00::/64'], 'no policy darin in the file; there is tag, drain'],
    [[...ROUTE, '--import', '--export'], 'choose one of --import and --export'],
  ])('refuses %j', (options, message) => {
    expect(() => run(...options)).toThrow(message);
  });
});
