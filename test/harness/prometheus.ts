/** A Prometheus in a network namespace of its own, that reads the numbers of routers over socat from their control sockets. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { tryRun } from '../../src/app/lab/command.js';
import { createNamespace, deleteNamespace } from './netns.js';

const FIRST_PORT = 9179;
const API = '127.0.0.1:9090';

export interface FiringAlert {
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}

export interface PrometheusOptions {
  readonly namespace: string;
  /** Control sockets by the name that is to be the instance. */
  readonly routers: Readonly<Record<string, string>>;
  readonly rules: string;
}

/** Why it cannot be run; `undefined` when it can. */
export function prometheusUnusable(): string | undefined {
  const missing = ['prometheus', 'socat'].filter((name) => !isThere(name));
  return missing.length === 0 ? undefined : `no ${missing.join(', no ')}: apt-get install prometheus socat`;
}

function isThere(program: string): boolean {
  try {
    execFileSync('which', [program], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

export class Prometheus {
  readonly #directory = mkdtempSync(join(tmpdir(), 'heddle-prometheus-'));
  readonly #children: ChildProcess[] = [];

  constructor(private readonly options: PrometheusOptions) {
    const { namespace, routers, rules } = options;
    createNamespace(namespace);
    const sockets = Object.entries(routers);
    sockets.forEach(([, socket], number) => {
      this.#spawn('socat', [
        `TCP-LISTEN:${FIRST_PORT + number},bind=127.0.0.1,fork,reuseaddr`,
        `UNIX-CONNECT:${socket}`,
      ]);
    });
    const targets = sockets.map(([instance], number) => ({
      ...{ targets: [`127.0.0.1:${FIRST_PORT + number}`], labels: { instance } },
    }));
    const config = {
      global: { scrape_interval: '1s', scrape_timeout: '1s', evaluation_interval: '1s' },
      rule_files: ['rules.yml'],
      scrape_configs: [{ job_name: 'heddle', static_configs: targets }],
    };
    writeFileSync(join(this.#directory, 'rules.yml'), rules);
    writeFileSync(join(this.#directory, 'prometheus.yml'), stringify(config));
    this.#spawn('prometheus', [
      `--config.file=${join(this.#directory, 'prometheus.yml')}`,
      `--storage.tsdb.path=${join(this.#directory, 'data')}`,
      `--web.listen-address=${API}`,
      '--log.level=error',
    ]);
  }

  /** Values of an instant query, by the text of their labels but the name; empty while it does not answer. */
  async query(expression: string): Promise<Readonly<Record<string, string>>> {
    const { result = [] } = await this.#get<{ result?: { metric: Record<string, string>; value: [number, string] }[] }>(
      `query?query=${encodeURIComponent(expression)}`,
    );
    return Object.fromEntries(
      result.map(({ metric: { __name__, job, ...labels }, value }) => [Object.values(labels).join(' '), value[1]]),
    );
  }

  async firing(): Promise<readonly FiringAlert[]> {
    const { alerts = [] } = await this.#get<{ alerts?: (FiringAlert & { state: string })[] }>('alerts');
    return alerts.filter(({ state }) => state === 'firing').map(({ labels, annotations }) => ({ labels, annotations }));
  }

  async stop(): Promise<void> {
    for (const child of this.#children) {
      const ended = new Promise((resolve) => child.once('exit', resolve));
      if (child.exitCode === null && child.kill()) await ended;
    }
    deleteNamespace(this.options.namespace);
    rmSync(this.#directory, { recursive: true, force: true });
  }

  #spawn(program: string, words: readonly string[]): void {
    const all = ['netns', 'exec', this.options.namespace, program, ...words];
    this.#children.push(spawn('ip', all, { stdio: ['ignore', 'ignore', 'inherit'] }));
  }

  async #get<Data>(path: string): Promise<Partial<Data>> {
    const fetched = 'fetch(process.argv[1]).then((r) => r.text()).then(console.log, () => console.log("{}"))';
    const { stdout } = await tryRun('ip', [
      ...['netns', 'exec', this.options.namespace, process.execPath, '-e', fetched, `http://${API}/api/v1/${path}`],
    ]);
    const answer: unknown = stdout.startsWith('{') ? JSON.parse(stdout) : {};
    return (answer as { data?: Data }).data ?? {};
  }
}
