/** `heddle config`: what goes where, and how it ends. */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../../../', import.meta.url));

function heddle(input: string, ...words: string[]) {
  return spawnSync(process.execPath, ['bin/heddle', 'config', ...words], { cwd: root, encoding: 'utf8', input });
}

const JUNOS = 'set protocols bgp group G dynamic-neighbor N peer-auto-discovery interface et-0/0/0.0\n';

describe('heddle config', () => {
  it('ends with 0 when all is translated, from standard input too', () => {
    const { stdout, stderr, status } = heddle(
      JUNOS,
      'from-junos',
      '-',
      '--interface',
      'et-0/0/0.0=swp1',
      '--role',
      'spine',
    );
    expect([stderr, status]).toEqual(['', 0]);
    expect(stdout).toContain('role: spine');
    expect(stdout).toContain('swp1:');
  });

  it('ends with 1 when something is left, and names it on standard error and in the file', () => {
    const { stdout, stderr, status } = heddle('router bgp 65101\nrouter isis 1\n', 'from-frr', '-');
    expect(status).toBe(1);
    expect(stderr).toBe('-: line 2: router isis 1: heddle does not do this\n-: 1 line left, 0 mistakes to correct\n');
    expect(stdout).toContain('# Not translated:\n# line 2: router isis 1: heddle does not do this\n');
  });

  it('says what check will refuse', () => {
    const { stderr, status } = heddle('router bgp 23456\nneighbor up1 interface remote-as external\n', 'from-frr', '-');
    expect(status).toBe(1);
    expect(stderr).toContain('heddle check will refuse line');
  });

  it.each([
    [['from-frr', '/nowhere'], '', 'heddle: /nowhere: no such file\n'],
    [['from-frr', '/'], '', 'heddle: /: cannot be read (EISDIR)\n'],
    [['from-junos', '-'], '\0\u0001', 'heddle: -: it is no text: a binary file, or another encoding than UTF-8\n'],
    [
      ['from-junos', '-'],
      'protocols { bgp {',
      'heddle: -: line 1: the brace of bgp is never closed: the file is cut off\n',
    ],
    [['from-frr', '-'], 'hello', 'heddle: -: there is no router bgp in it\n'],
  ])('%j of %j ends with 2', (words, input, message) => {
    const { stderr, status, stdout } = heddle(input, ...words);
    expect([stderr, status, stdout]).toEqual([message, 2, '']);
  });

  it('answers in JSON', () => {
    const { stdout } = heddle('router bgp 65101\nrouter isis 1\n', 'from-frr', '-', '--json');
    expect(JSON.parse(stdout)).toMatchObject({
      left: [{ line: 2, text: 'router isis 1', why: 'heddle does not do this' }],
      problems: [],
    });
  });
});
