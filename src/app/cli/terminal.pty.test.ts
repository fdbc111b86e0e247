/** Colours, widths and paging on a terminal that there is: a pseudo-terminal of script(1) around bin/heddle, which asks a daemon that is played here. */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HANDLERS, NEIGHBOR } from '../../edge/control/samples.fixture.js';
import type { RouteSummary } from '../../edge/control/schema.js';
import { type ControlServer, serveControl } from '../../edge/control/server.js';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const ESCAPE = '\u001b[';

/** Longer than a line. */
const WHY = 'a sentence that goes on and on '.repeat(8).trim();
const ROUTES = Array.from(
  { length: 40 },
  (_, index): RouteSummary => ({
    prefix: `fc00:1:1:${index.toString(16)}::/64`,
    ...{ family: 'ipv6-unicast', colour: null, origin: 65102, decidedBy: null, fib: 'installed' },
    ...{ preferred: ['to-spine1'], fallback: [], asPath: '65001 65102', aigp: null, paths: 1, local: false },
  }),
);

describe('on a terminal', () => {
  let directory: string;
  let server: ControlServer;
  const socket = () => join(directory, 'leaf1.sock');

  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), 'heddle-pty-'));
    server = await serveControl({
      path: socket(),
      handlers: { ...HANDLERS, routes: () => ROUTES, neighbor: () => [{ ...NEIGHBOR, why: WHY }] },
    });
  });
  afterAll(async () => {
    await server.close();
    rmSync(directory, { recursive: true });
  });

  interface Way {
    readonly env?: Readonly<Record<string, string>>;
    readonly columns?: number;
    readonly rows?: number;
    /** No terminal, a pipe. */
    readonly piped?: true;
  }

  /** What appears, with line ends of one kind. */
  function shown(words: string, { env = {}, columns = 200, rows = 20, piped }: Way = {}): Promise<string> {
    const command = `${process.execPath} bin/heddle ${words} --socket ${socket()}`;
    const terminal = ['script', '-qec', `stty cols ${columns} rows ${rows}; ${command}`, '/dev/null'];
    const [program = '', ...parameters] = piped ? ['sh', '-c', command] : terminal;
    const { PAGER: _, NO_COLOR: __, LESS: ___, ...inherited } = process.env;
    const child = spawn(program, parameters, {
      cwd: root,
      env: { ...inherited, TERM: 'xterm', ...env },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    return new Promise((resolve) => {
      let text = '';
      child.stdout.setEncoding('utf8').on('data', (piece: string) => {
        text += piece;
      });
      child.once('close', () => resolve(text.replaceAll('\r\n', '\n')));
    });
  }

  it('has colours, and none in a pipe, with NO_COLOR or TERM=dumb, or where --color says never', async () => {
    expect(await shown('show summary')).toContain(ESCAPE);
    expect(await shown('show summary', { piped: true })).not.toContain(ESCAPE);
    expect(await shown('show summary', { env: { NO_COLOR: '1' } })).not.toContain(ESCAPE);
    expect(await shown('show summary', { env: { TERM: 'dumb' } })).not.toContain(ESCAPE);
    expect(await shown('show summary --color never')).not.toContain(ESCAPE);
    expect(await shown('--color always show summary', { piped: true, env: { NO_COLOR: '1' } })).toContain(ESCAPE);
  });

  it('pages what is longer than the terminal, and nothing else', async () => {
    const env = { PAGER: `sed 's/^/paged: /'` };
    const paged = await shown('show routes', { env });
    expect(paged.match(/^paged: /gm)?.length).toBeGreaterThan(40);
    expect(await shown('show routes --no-pager', { env })).not.toContain('paged: ');
    expect(await shown('show routes', { env, rows: 200 })).not.toContain('paged: ');
    expect(await shown('show routes', { env, piped: true })).not.toContain('paged: ');
    expect(await shown('show routes', { env: { PAGER: 'cat' } })).toContain('fc00:1:1:27::/64');
  });

  it('says it when the pager is not there, and prints; a pager that is left early is no error', async () => {
    const lost = await shown('show routes', { env: { PAGER: 'no-such-pager' } });
    expect(lost).toContain('PAGER is no-such-pager, and no-such-pager is not there: nothing is paged');
    expect(lost).toContain('fc00:1:1:27::/64');
    const early = await shown('show routes; echo ended with $?', { env: { PAGER: 'head -n 2' } });
    expect(early).not.toContain('fc00:1:1:27::/64');
    expect(early).not.toContain('EPIPE');
  });

  it('is as wide as the terminal', async () => {
    const lines = (await shown('show neighbors to-spine1 --color never', { columns: 60, rows: 200 })).split('\n');
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(60);
    const wide = await shown('show neighbors to-spine1 --color never', { columns: 500, rows: 200 });
    expect(Math.max(...wide.split('\n').map((line) => line.length))).toBeGreaterThan(60);
  });
});
