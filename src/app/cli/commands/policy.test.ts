/** `heddle policy test` as an operator runs it. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { buildProgram } from '../program.js';

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
`;

const folder = mkdtempSync(join(tmpdir(), 'heddle-policy-'));
const file = join(folder, 'leaf1.yaml');
beforeAll(() => writeFileSync(file, CONFIG));
afterAll(() => rmSync(folder, { recursive: true }));

function run(...options: readonly string[]): string {
  const written: string[] = [];
  const spy = vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    written.push(String(text));
    return true;
  });
  try {
    buildProgram().parse(['node', 'heddle', 'policy', 'test', file, ...options]);
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
      'no neighbor to-spin1 in the file; there is to-spine1, or any address',
    );
    expect(run(...ROUTE, '--neighbor', 'fe80::1%to-spine1')).toContain('yes  interface is to-spine1');
  });

  it('says which term rejects', () => {
    expect(run(...ROUTE, '--as-path', '1 65009 {2,3}')).toContain('rejected by policy drain term 1');
  });

  it('says what becomes of a route that no term decides', () => {
    expect(run(...ROUTE)).toContain(
      'no term decides: accepted on a fabric interface (the DPF role), rejected elsewhere',
    );
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
