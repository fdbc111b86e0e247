/** monitoring/heddle.rules.yml: alerts fire when they are to and not otherwise, name what is exported, and say what to do. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse, stringify } from 'yaml';
import { ALERT_CASES, type AlertCase } from './alert-cases.js';
import { unknownNames } from './known-names.js';
import { everyMetric, everyMetricText } from './metric-names.js';
import { promtool, promtoolUnusable } from './promtool.js';

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly for?: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}

const TEXT = readFileSync('monitoring/heddle.rules.yml', 'utf8');
const RULES = (parse(TEXT) as { groups: { rules: Rule[] }[] }).groups.flatMap(({ rules }) => rules);
const ruleOf = (alert: string) => RULES.find((rule) => rule.alert === alert)!;

const unusable = promtoolUnusable();
if (unusable) console.log(`skipped: ${unusable}`);

describe('alert rules', () => {
  it.each(RULES.map((rule) => [rule.alert, rule] as const))('%s names what is exported', (_, rule) => {
    expect(unknownNames(rule.expr)).toEqual([]);
  });

  it.each(RULES.map((rule) => [rule.alert, rule] as const))('%s says what is wrong and what to do', (_, rule) => {
    expect(['critical', 'warning', 'info']).toContain(rule.labels.severity);
    expect(Object.keys(rule.annotations).sort()).toEqual(['description', 'runbook_url', 'summary']);
    const [file, anchor] = rule.annotations.runbook_url!.split('#');
    expect(anchorsOf(file!)).toContain(anchor);
    const used = [
      ...Object.values(rule.annotations)
        .join(' ')
        .matchAll(/\$labels\.([a-z]+)/g),
    ].map(([, label]) => label);
    const labels = new Set([...Object.keys(caseOf(rule.alert).labels), 'instance']);
    for (const label of used) expect(labels, rule.alert).toContain(label);
  });

  it('are each tried, and listed in the docs with their severity', () => {
    expect(ALERT_CASES.map(({ alert }) => alert)).toEqual(RULES.map(({ alert }) => alert));
    const page = readFileSync('docs/metrics.md', 'utf8');
    const listed = [...page.matchAll(/^\| `(Heddle[A-Za-z]+)` \| (critical|warning|info) \|/gm)];
    expect(listed.map(([, alert, severity]) => `${alert} ${severity}`)).toEqual(
      RULES.map(({ alert, labels }) => `${alert} ${labels.severity}`),
    );
  });

  describe.skipIf(unusable)('by promtool', () => {
    it('are right', () => {
      expect(
        promtool(['check', 'rules', '--lint', 'all', '--lint-fatal', 'rules.yml'], { 'rules.yml': TEXT }),
      ).toMatchObject({
        ok: true,
      });
    });

    it('fire when they are to, and not otherwise', () => {
      const tests = stringify({
        rule_files: ['rules.yml'],
        evaluation_interval: '1m',
        tests: ALERT_CASES.flatMap(testsOf),
      });
      const { ok, said } = promtool(['test', 'rules', 'tests.yml'], { 'rules.yml': TEXT, 'tests.yml': tests });
      expect(ok, said).toBe(true);
    });

    it('go with the scrape configuration of the docs', () => {
      const page = readFileSync('docs/metrics.md', 'utf8');
      const [job] = /^ {4}- job_name: heddle\n(?: {6}.*\n)+/m.exec(page) ?? [];
      const config = `rule_files: [rules.yml]\nscrape_configs:\n${job}`;
      const files = { 'prometheus.yml': config, 'rules.yml': TEXT };
      const { ok, said } = promtool(['check', 'config', '--syntax-only', 'prometheus.yml'], files);
      expect(ok, said).toBe(true);
    });

    it('are over numbers whose names are as they should be', () => {
      const { ok, said } = promtool(['check', 'metrics'], {}, everyMetricText());
      expect(said).toBe('');
      expect(ok).toBe(true);
      expect(everyMetric().size).toBeGreaterThan(70);
    });
  });
});

function caseOf(alert: string): AlertCase {
  return ALERT_CASES.find((one) => one.alert === alert)!;
}

/** As GitHub makes them of headings. */
function anchorsOf(file: string): readonly string[] {
  const headings = [...readFileSync(file, 'utf8').matchAll(/^#+ (.+)$/gm)].map(([, heading]) => heading!);
  return headings.map((heading) =>
    heading
      .toLowerCase()
      .replaceAll(/[^a-z0-9 -]/g, '')
      .replaceAll(' ', '-'),
  );
}

function testsOf({ alert, fires, at, labels, quiet }: AlertCase): readonly unknown[] {
  const { severity } = ruleOf(alert).labels;
  const text = Object.entries({ ...labels, severity }).map(([name, value]) => `${name}="${value}"`);
  const firing = `ALERTS{alertname="${alert}",alertstate="firing",${text.join(',')}}`;
  const expr = `ALERTS{alertname="${alert}",alertstate="firing"}`;
  const look = (minutes: number, isFiring: boolean) => ({
    ...{ expr, eval_time: `${minutes}m` },
    exp_samples: isFiring ? [{ labels: firing, value: 1 }] : [],
  });
  const one = (series: AlertCase['fires'], looks: readonly unknown[]) => ({
    interval: '1m',
    input_series: Object.entries(series).map(([name, values]) => ({ series: name, values })),
    promql_expr_test: looks,
  });
  return [one(fires, [look(0, false), look(at, true)]), ...quiet.map((series) => one(series, [look(at, false)]))];
}
