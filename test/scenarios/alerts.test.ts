/** A real Prometheus with the alert rules over real daemons: numbers arrive, a link breaks, alerts fire and say so, and are over after. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse, stringify } from 'yaml';
import { tearDown } from '../../src/app/lab/build.js';
import { tryRun } from '../../src/app/lab/command.js';
import { controlSocket, type Lab, namespaceOf, PACKAGE_ROOT } from '../../src/app/lab/lab.js';
import { parseExposition } from '../../src/edge/control/metrics/exposition.fixture.js';
import { labUnusable, startLab } from '../harness/lab.js';
import { ip } from '../harness/netns.js';
import { Prometheus, prometheusUnusable } from '../harness/prometheus.js';
import { everyMetric } from '../monitoring/metric-names.js';
import { namesIn } from '../monitoring/promql-names.js';
import { promtool } from '../monitoring/promtool.js';
import { scrape } from '../monitoring/scrape.js';

const ROUTERS = ['leaf1', 'leaf2', 'spine1', 'spine2'];
const RULES = readFileSync('monitoring/heddle.rules.yml', 'utf8');
/** What a router without an eBPF plane, BMP station and MRT file does not tell. */
const ELSEWHERE = /^heddle_(ebpf|bmp|mrt)_/;

const unusable = labUnusable({ peers: false }) ?? prometheusUnusable();
if (unusable) console.log(`skipped: ${unusable}`);

describe.skipIf(unusable)('numbers and alerts of a fabric', () => {
  let lab: Lab;
  let prometheus: Prometheus;
  const socket = (router: string) => controlSocket(lab, router);
  const heddle = (...words: string[]) =>
    tryRun(process.execPath, [join(PACKAGE_ROOT, 'bin', 'heddle'), ...words, '--socket', socket('leaf1')]);
  const editLeaf1 = (change: (text: string) => string) => {
    const file = join(lab.directory, 'leaf1.yaml');
    writeFileSync(file, change(readFileSync(file, 'utf8')));
  };
  /** Those of a router, with what else is in their labels. */
  const firing = async (router = 'leaf1') => {
    const alerts = await prometheus.firing();
    return alerts
      .filter(({ labels }) => labels.instance === router)
      .map(({ labels: { alertname, instance, job, severity, ...labels } }) =>
        [alertname, ...Object.values(labels)].join(' '),
      )
      .sort();
  };

  beforeAll(async () => {
    lab = await startLab('name: watched\nspines: 2\nleaves: 2\n');
    editLeaf1((text) => {
      const config: { fabric: Record<string, Record<string, unknown>> } = parse(text);
      const link = config.fabric['to-spine2']!;
      config.fabric['to-spine2'] = { ...link, bfd: {}, 'max-prefixes': { ipv6: { limit: 100 } } };
      return stringify(config);
    });
    const reloaded = await heddle('reload');
    expect(reloaded.status, reloaded.stderr).toBe(0);
    prometheus = new Prometheus({
      namespace: 'heddle-watched-prometheus',
      routers: Object.fromEntries(ROUTERS.map((name) => [name, socket(name)])),
      // Nobody wants to wait for minutes.
      rules: RULES.replaceAll(/for: \S+/g, 'for: 2s'),
    });
  });
  afterAll(async () => {
    await prometheus?.stop();
    if (lab) await tearDown(lab);
  });

  it('are well-formed, and no others than the page lists', async () => {
    const listed = everyMetric();
    for (const router of ROUTERS) {
      const text = await scrape(socket(router));
      expect(promtool(['check', 'metrics'], {}, text)).toEqual({ ok: true, said: '' });
      for (const [name, { type, labels }] of parseExposition(text)) {
        expect(listed.get(name)?.type, name).toBe(type);
        for (const label of labels) expect(listed.get(name)!.labels, name).toContain(label);
      }
    }
  });

  it('are what rules and dashboard ask for', async () => {
    const told = parseExposition(await scrape(socket('leaf1')));
    const dashboard = JSON.parse(readFileSync('monitoring/heddle.dashboard.json', 'utf8')) as {
      panels: { targets?: { expr: string }[] }[];
    };
    const expressions = [
      ...(parse(RULES) as { groups: { rules: { expr: string }[] }[] }).groups.flatMap(({ rules }) => rules),
      ...dashboard.panels.flatMap(({ targets = [] }) => targets),
    ].map(({ expr }) => expr.replaceAll('$__rate_interval', '5m'));
    const asked = new Set(expressions.flatMap((expression) => [...namesIn(expression).metrics.keys()]));
    const ours = [...asked].filter((name) => /^(heddle|nodejs|process)_/.test(name) && !ELSEWHERE.test(name));
    expect(ours.length).toBeGreaterThan(30);
    for (const name of ours) expect([...told.keys()]).toContain(name.replace(/_(bucket|count|sum)$/, ''));
  });

  it('reach Prometheus, and KEEPALIVEs are counted', async () => {
    await expect
      .poll(() => prometheus.query('up{job="heddle"}'))
      .toEqual({ leaf1: '1', leaf2: '1', spine1: '1', spine2: '1' });
    const late = () => prometheus.query('heddle_bgp_keepalive_lateness_seconds_count{instance="leaf1"} > bool 0');
    await expect.poll(late).toEqual({ leaf1: '1' });
  });

  it('fire when a link breaks, say why, and are over when it is mended', async () => {
    ip('-n', namespaceOf(lab, 'spine1'), 'link', 'set', 'to-leaf1', 'down');
    await expect.poll(() => firing()).toContain('HeddleUplinkLost 1 to-spine1 no-carrier');
    await expect.poll(() => firing()).toContain('HeddlePrefixOnFallback 1');
    await expect.poll(() => firing()).toContain('HeddleHalfOfUplinksLost');
    await expect.poll(() => firing('leaf2')).toContain('HeddlePrefixOnFallback 1');
    expect(await firing('leaf2')).not.toContain('HeddleHalfOfUplinksLost');
    expect(await firing()).not.toContain('HeddlePrefixOnFallback 2');
    const lost = (await prometheus.firing()).find(
      ({ labels }) => labels.alertname === 'HeddleUplinkLost' && labels.instance === 'leaf1',
    );
    expect(lost?.annotations).toMatchObject({
      summary: 'leaf1 has nobody at to-spine1: no-carrier',
      runbook_url: 'docs/operating-guide.md#link-down',
    });
    ip('-n', namespaceOf(lab, 'spine1'), 'link', 'set', 'to-leaf1', 'up');
    const linkAlerts = async () => (await firing()).filter((alert) => /Uplink|Fallback/.test(alert));
    await expect.poll(linkAlerts).toEqual([]);
  });

  it('fire when the kernel was changed by others, and when a reload is refused', async () => {
    const [route] = ip('-n', namespaceOf(lab, 'leaf1'), '-6', 'route', 'show', 'metric', '20').split(' ');
    ip('-n', namespaceOf(lab, 'leaf1'), '-6', 'route', 'del', route!, 'metric', '20');
    await expect.poll(() => firing()).toContain('HeddleFibChangedByOthers route-deleted');
    editLeaf1((text) => text.replace(/^as: /m, 'az: '));
    expect((await heddle('reload')).status).toBe(2);
    await expect.poll(() => firing()).toContain('HeddleReloadFailed');
    editLeaf1((text) => text.replace(/^az: /m, 'as: '));
    expect((await heddle('reload')).status).toBe(0);
    await expect.poll(() => firing()).not.toContain('HeddleReloadFailed');
  });

  it('fire when a daemon does not answer, and are over when it does', async () => {
    const pid = Number.parseInt(readFileSync(join(lab.directory, 'leaf2.pid'), 'utf8'), 10);
    process.kill(pid, 'SIGSTOP');
    try {
      await expect.poll(() => firing('leaf2')).toContain('HeddleDown');
    } finally {
      process.kill(pid, 'SIGCONT');
    }
    await expect.poll(() => firing('leaf2')).not.toContain('HeddleDown');
  });
});
