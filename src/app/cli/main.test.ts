/** Command lines as an operator types them: what is printed where, and the exit code. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { ControlCommands } from '../../edge/control/commands.js';
import type { ControlEvent } from '../../edge/control/events.js';
import { MEASUREMENTS } from '../../edge/control/samples.fixture.js';
import type { ControlHandlers, FibDifference, Summary } from '../../edge/control/schema.js';
import { serveControl } from '../../edge/control/server.js';
import { CommandError } from './exit-codes.js';
import { buildProgram } from './program.js';
import { report } from './report.js';

const examples = fileURLToPath(new URL('../../../examples/', import.meta.url));

let directory: string;
let out: string;
let err: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'heddle-cli-'));
  out = '';
  err = '';
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    out += text;
    return true;
  });
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
    err += text;
    return true;
  });
});

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
  rmSync(directory, { recursive: true });
});

async function heddle(...words: string[]): Promise<number> {
  try {
    await (await buildProgram(words[0])).parseAsync(['node', 'heddle', ...words]);
    return 0;
  } catch (error) {
    return report(error);
  }
}

// Loaded before the tests: their time limits are not for that.
await buildProgram();

describe('check', () => {
  it('says what a good file means', async () => {
    expect(await heddle('check', join(examples, 'leaf1.yaml'), join(examples, 'spine1.yaml'))).toBe(0);
    expect(out).toBe(
      `${examples}leaf1.yaml: ok: leaf leaf1, AS 65101, router id 10.1.0.1, 4 fabric interfaces, 5 prefixes\n` +
        `${examples}spine1.yaml: ok: spine spine1, AS 65001, router id 10.0.0.1, 2 fabric interfaces, 0 prefixes\n`,
    );
    expect(err).toBe('');
  });

  it('reports every mistake, and ends with 2', async () => {
    const file = join(directory, 'bad.yaml');
    writeFileSync(file, 'name: a\nrole: leef\nas: 1\nfabirc: {}\n');
    expect(await heddle('check', file, join(directory, 'missing.yaml'))).toBe(2);
    expect(err).toBe(
      `${file}:2:7: role: expected leaf or spine, found "leef"; did you mean leaf?\n` +
        `${file}:4:1: fabirc: unknown key; did you mean fabric?\n` +
        `${directory}/missing.yaml: no such file\n`,
    );
    expect(out).toBe('');
  });

  it('passes warnings on to standard error', async () => {
    const file = join(directory, 'lonely.yaml');
    writeFileSync(file, 'name: a\nrole: leaf\nas: 1\nfabric: {}\n');
    expect(await heddle('check', file)).toBe(0);
    expect(out).toBe(`${file}: ok: leaf a, AS 1, router id 0.0.0.1, 0 fabric interfaces, 0 prefixes\n`);
    expect(err).toBe(`${file}:4:9: warning: fabric: no interface: there will be no neighbour\n`);
  });

  it('warns of what only the kernel can tell where the file will run', async () => {
    const file = join(directory, 'signed.yaml');
    writeFileSync(file, 'name: a\nrole: spine\nas: 1\nfabric:\n  up: { tcp-ao: { id: 1, password: abc } }\n');
    expect(await heddle('check', file)).toBe(0);
    expect(err).toBe(`${file}: warning: tcp-ao (up) needs Linux 6.7 or newer with CONFIG_TCP_AO where it runs\n`);
  });

  it('says the same in JSON, with the place of each mistake', async () => {
    const bad = join(directory, 'bad.yaml');
    writeFileSync(bad, 'name: a\nrole: leaf\nas: 1\nfabirc: {}\nfabric: {}\n');
    const good = join(examples, 'leaf1.yaml');
    const missing = join(directory, 'missing.yaml');
    expect(await heddle('check', '--json', good, bad, missing)).toBe(2);
    expect(err).toBe('');
    expect(JSON.parse(out)).toEqual([
      { file: good, ok: true, meaning: expect.stringContaining('leaf leaf1, AS 65101'), problems: [] },
      {
        ...{ file: bad, ok: false, meaning: null },
        problems: [{ severity: 'error', line: 4, column: 1, message: 'fabirc: unknown key; did you mean fabric?' }],
      },
      {
        ...{ file: missing, ok: false, meaning: null },
        problems: [{ severity: 'error', line: 1, column: 1, message: `${missing}: no such file` }],
      },
    ]);
  });

  it('prints the JSON Schema', async () => {
    expect(await heddle('check', '--schema')).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ title: 'heddle configuration' });
  });

  it('needs a file', async () => {
    expect(await heddle('check')).toBe(2);
    expect(err).toBe('heddle: check needs a FILE (or --schema)\n');
  });
});

describe('show', () => {
  const summary: Summary = {
    apiVersion: 1,
    name: 'leaf1',
    version: '0.1.0',
    pid: 1,
    role: 'leaf',
    as: 65101,
    routerId: '10.1.0.1',
    families: [],
    dpfMode: 'policy',
    uptimeMs: 0,
    neighbors: { up: 0, total: 0 },
    routes: 0,
    paths: 0,
    fib: { installed: 0, pending: 0, failed: 0, written: { nextHops: 4, groups: 5, routes: 1006 } },
    startup: { linkUpToRoutesMs: null, convergedAt: null, waitsFor: [] },
    monitoring: { bmp: [], mrt: null },
  };
  const asked: unknown[] = [];
  const notes: string[] = [];
  const happening: ControlEvent[] = [];
  const differences: FibDifference[] = [];
  const handlers: ControlHandlers = {
    measurements: () => MEASUREMENTS,
    summary: () => summary,
    neighbors: () => [],
    neighbor: () => [],
    routes: (family) => {
      asked.push(family);
      return [];
    },
    route: () => undefined,
    fib: () => [],
    fibNotes: () => notes,
    fibDifferences: async () => ({ same: { routes: 4, groups: 2, nextHops: 2 }, differences }),
    fabric: () => ({ uplinks: [], rows: [] }),
    dlb: () => ({ mode: 'off', plainGroups: null, links: [], groups: [], plane: null }),
    planePrefixes: () => [],
    watch: (listener) => {
      for (const event of happening) listener(event);
      return () => undefined;
    },
    interfaces: () => [],
    mrt: () => [Uint8Array.of(1, 2), Uint8Array.of(3)],
  };

  async function withDaemon(work: (socket: string) => Promise<void>): Promise<void> {
    const socket = join(directory, 'leaf1.sock');
    const server = await serveControl({ path: socket, handlers });
    await work(socket).finally(() => server.close());
  }

  it.each([
    [['summary'], 'leaf1  leaf  AS 65101  router id 10.1.0.1'],
    [['neighbors'], 'no fabric interface and no neighbor is configured'],
    [['neighbours'], 'no fabric interface and no neighbor is configured'],
    [['routes', '--limit', '5'], 'no route'],
    [['fib'], 'no route is meant for the kernel'],
    [['fib', '--diff'], 'the kernel has what is wanted: 4 routes, 2 groups, 2 next hops'],
    [['fabric'], 'no fabric interface is configured'],
    [['interfaces'], 'no interface is configured'],
    [['dlb'], 'mode off'],
    [['dlb', '--prefixes'], 'no prefix is forwarded by an eBPF plane'],
    [['bfd'], 'no neighbour has BFD'],
  ])('%j', async (words, first) => {
    await withDaemon(async (socket) => {
      expect(await heddle('show', ...words, '--socket', socket)).toBe(0);
      expect(out.split('\n')[0]).toBe(first);
      expect(err).toBe('');
    });
  });

  it('says in JSON what a command did, where that is asked for', async () => {
    const commands: ControlCommands = {
      neighbor: () => ({ neighbours: ['fe80::1%to-spine1'] }),
      reload: async () => ({ changes: ['fabric.to-spine1: changed'], warnings: ['a warning'] }),
    };
    const socket = join(directory, 'commanded.sock');
    const server = await serveControl({ path: socket, handlers, commands });
    expect(await heddle('neighbor', 'to-spine1', 'reset', '--json', '--socket', socket)).toBe(0);
    expect(JSON.parse(out)).toEqual({ command: 'reset', neighbors: ['fe80::1%to-spine1'] });
    out = '';
    expect(await heddle('reload', '--json', '--socket', socket)).toBe(0);
    expect(JSON.parse(out)).toEqual({ changes: ['fabric.to-spine1: changed'], warnings: ['a warning'] });
    expect(err).toBe('');
    await server.close();
  });

  it('watches what changes, and ends after as many events as are asked for', async () => {
    const session = { kind: 'session', at: '2026-01-02T03:04:05.678Z', neighbor: 'fe80::1%to-spine1' } as const;
    happening.push({ ...session, from: 'open-confirm', to: 'established', reason: null });
    happening.push({ ...session, from: 'established', to: 'idle', reason: 'hold timer expired' });
    await withDaemon(async (socket) => {
      expect(await heddle('watch', '--count', '2', '--socket', socket)).toBe(0);
      expect(out).toBe(
        '03:04:05.678  session       fe80::1%to-spine1  open-confirm -> established\n' +
          '03:04:05.678  session       fe80::1%to-spine1  established -> idle  hold timer expired\n',
      );
      out = '';
      expect(await heddle('watch', '--count', '1', '--json', '--only', 'session', '--socket', socket)).toBe(0);
      expect(JSON.parse(out)).toEqual(happening[0]);
    });
    happening.splice(0);
  });

  it('refuses to watch what there is not', async () => {
    expect(await heddle('watch', '--only', 'session,weather')).toBe(2);
    expect(err).toContain('weather is none of session, best-path, fib, link-quality, move.');
    expect(await heddle('watch', '--socket', '/nowhere.sock')).toBe(1);
    expect(err).toContain('no daemon at /nowhere.sock');
  });

  it('takes the socket from the environment, and prints JSON', async () => {
    await withDaemon(async (socket) => {
      vi.stubEnv('HEDDLE_SOCKET', socket);
      expect(await heddle('show', 'summary', '--json')).toBe(0);
      expect(JSON.parse(out)).toEqual(summary);
    });
  });

  it('ends fib --diff with 1 when there is a difference, and says no more than that', async () => {
    const nothing = { id: null, wanted: null, kernel: null, foreign: null, advice: null };
    const cause = { cause: 'leftover', why: 'leftover of ours: it is deleted', inFlight: false } as const;
    differences.push({ ...nothing, ...cause, object: 'route', prefix: 'fc00::/64', metric: 20 });
    await withDaemon(async (socket) => {
      expect(await heddle('show', 'fib', '--diff', '--socket', socket)).toBe(1);
      expect(out).toContain('fc00::/64 metric 20');
      expect(err).toBe('');
      expect(await heddle('show', 'fib', '--diff', '--json', '--socket', socket)).toBe(1);
    });
    differences.pop();
  });

  it('ends fib --diff with 2 when nobody can tell', async () => {
    expect(await heddle('show', 'fib', '--diff', '--socket', '/nowhere.sock')).toBe(2);
    expect(err).toBe('heddle: no daemon at /nowhere.sock (is heddle running?)\n');
  });

  it('says below the table of fib what concerns all of it', async () => {
    notes.push('plain next-hop groups: load balancing assigns flows');
    await withDaemon(async (socket) => {
      expect(await heddle('show', 'fib', '--socket', socket)).toBe(0);
      expect(out).toBe('no route is meant for the kernel\n\nplain next-hop groups: load balancing assigns flows\n');
    });
    notes.pop();
  });

  it('passes the family on', async () => {
    await withDaemon(async (socket) => {
      expect(await heddle('show', 'routes', '--family', 'ipv4', '--socket', socket)).toBe(0);
      expect(asked.at(-1)).toBe('ipv4-unicast');
    });
  });

  it.each([
    [['route', 'fc00::/64'], 'heddle: no route fc00::/64\n'],
    [['neighbors', 'eth9'], 'heddle: no neighbor eth9\n'],
  ])('%j that is not there ends with 1', async (words, message) => {
    await withDaemon(async (socket) => {
      expect(await heddle('show', ...words, '--socket', socket)).toBe(1);
      expect(err).toBe(message);
    });
  });

  it('ends with 1 when no daemon is there', async () => {
    expect(await heddle('show', 'summary', '--socket', '/nowhere.sock')).toBe(1);
    expect(err).toBe('heddle: no daemon at /nowhere.sock (is heddle running?)\n');
  });

  it.each([
    [['--family', 'ipx'], "error: option '--family <FAMILY>' argument 'ipx' is invalid. It is ipv4 or ipv6.\n"],
    [['--limit', '0'], "error: option '--limit <COUNT>' argument '0' is invalid. It is a number from 1 on.\n"],
    [['--lmit', '1'], "error: unknown option '--lmit'\n(Did you mean --limit?)\n"],
  ])('refuses routes %j with 2', async (words, message) => {
    expect(await heddle('show', 'routes', ...words)).toBe(2);
    expect(err).toBe(message);
  });
});

describe('help', () => {
  it.each([
    ['run', 'heddle run leaf1.yaml'],
    ['check', 'heddle check leaf1.yaml'],
  ])('%s --help has examples', async (command, example) => {
    expect(await heddle(command, '--help')).toBe(0);
    expect(out).toContain(example);
    expect(out).toContain('Exit codes: 0 done');
  });

  it.each(['summary', 'neighbors', 'routes', 'route', 'fib', 'dlb', 'fabric', 'interfaces'])(
    'show %s --help has examples',
    async (resource) => {
      expect(await heddle('show', resource, '--help')).toBe(0);
      expect(out).toContain(`Examples:\n  heddle show ${resource}`);
    },
  );

  it('suggests a command', async () => {
    expect(await heddle('chek')).toBe(2);
    expect(err).toBe("error: unknown command 'chek'\n(Did you mean check?)\n");
  });
});

describe('report', () => {
  it.each([
    [new CommandError('no way', 2), 2, 'heddle: no way\n'],
    [new Error('plain words'), 1, 'heddle: plain words\n'],
    [new TypeError('x is undefined'), 1, 'heddle: unexpected: x is undefined (HEDDLE_DEBUG=1 shows where)\n'],
    ['thrown text', 1, 'heddle: unexpected: thrown text (HEDDLE_DEBUG=1 shows where)\n'],
  ])('%s', (error, code, line) => {
    expect(report(error)).toBe(code);
    expect(err).toBe(line);
  });

  it('adds the stack when asked', () => {
    vi.stubEnv('HEDDLE_DEBUG', '1');
    report(new Error('plain words'));
    expect(err).toContain('main.test.ts');
  });
});
