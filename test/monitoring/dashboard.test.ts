/** monitoring/heddle.dashboard.json: as Grafana imports it, over numbers that are exported, in expressions that Prometheus understands. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { z } from 'zod';
import { unknownNames } from './known-names.js';
import { promtool, promtoolUnusable } from './promtool.js';

const DATASOURCE = z.object({ type: z.literal('prometheus'), uid: z.literal(`\${datasource}`) });
/** Of 24 columns. */
const place = z.object({ x: z.int().min(0), y: z.int().min(0), w: z.int().min(1).max(24), h: z.int().min(1) });
const row = z.object({
  ...{ id: z.int().positive(), type: z.literal('row'), title: z.string().min(1), gridPos: place },
  ...{ collapsed: z.literal(false), panels: z.tuple([]) },
});
const panel = z.object({
  id: z.int().positive(),
  type: z.enum(['timeseries', 'stat', 'table', 'state-timeline']),
  title: z.string().min(1),
  gridPos: place,
  datasource: DATASOURCE,
  fieldConfig: z.object({ defaults: z.object({}), overrides: z.array(z.unknown()) }),
  options: z.object({}),
  targets: z
    .array(
      z.object({
        ...{ refId: z.string().regex(/^[A-Z]$/), datasource: DATASOURCE, expr: z.string().min(1) },
        ...{ legendFormat: z.string(), range: z.boolean(), instant: z.boolean() },
      }),
    )
    .min(1),
});
const dashboard = z.object({
  uid: z.literal('heddle'),
  title: z.literal('heddle'),
  schemaVersion: z.int().min(39),
  tags: z.array(z.string()),
  time: z.object({ from: z.string(), to: z.string() }),
  annotations: z.object({ list: z.array(z.object({ name: z.string(), expr: z.string().optional() })) }),
  templating: z.object({ list: z.array(z.object({ name: z.string(), type: z.enum(['datasource', 'query']) })) }),
  panels: z.array(z.discriminatedUnion('type', [row, panel])),
});

const { panels, templating, annotations } = dashboard.parse(
  JSON.parse(readFileSync('monitoring/heddle.dashboard.json', 'utf8')),
);
const targets = panels.flatMap((one) =>
  one.type === 'row' ? [] : one.targets.map((target) => ({ title: one.title, ...target })),
);
const expressions = [...targets.map(({ expr }) => expr), ...annotations.list.flatMap(({ expr }) => expr ?? [])];
/** As Grafana fills them in. */
const filled = (expression: string) =>
  expression.replaceAll('$__rate_interval', '5m').replaceAll('$instance', 'leaf1|leaf2');

describe('the dashboard', () => {
  it('has its panels beside each other', () => {
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
    const taken = new Map<string, string>();
    for (const { title, gridPos } of panels) {
      expect(gridPos.x + gridPos.w, title).toBeLessThanOrEqual(24);
      for (let x = gridPos.x; x < gridPos.x + gridPos.w; x++)
        for (let y = gridPos.y; y < gridPos.y + gridPos.h; y++) {
          expect(taken.get(`${x},${y}`), title).toBeUndefined();
          taken.set(`${x},${y}`, title);
        }
    }
  });

  it('begins with a row, and has those of a fabric', () => {
    expect(panels[0]!.type).toBe('row');
    expect(panels.filter(({ type }) => type === 'row').map(({ title }) => title)).toEqual([
      ...[
        'Now',
        'Sessions',
        'Colours, uplinks, fallback',
        'Routes and the kernel',
        'Load balancing and the eBPF plane',
      ],
      'Process',
    ]);
  });

  it('asks for the routers that are chosen, by variables that are there', () => {
    expect(templating.list.map(({ name }) => name)).toEqual(['datasource', 'instance']);
    for (const expression of expressions) {
      const variables = [...expression.matchAll(/\$([a-zA-Z_]+)/g)].map(([, name]) => name);
      for (const name of variables) expect(['instance', '__rate_interval'], expression).toContain(name);
      if (!expression.includes('ALERTS')) expect(variables, expression).toContain('instance');
    }
  });

  it.each(targets)('$title: names and labels of $expr are exported', ({ expr, legendFormat }) => {
    const told = [...legendFormat.matchAll(/\{\{([^}]*)\}\}/g)].map(([, label]) => label!);
    expect(unknownNames(filled(expr), told)).toEqual([]);
  });

  it.skipIf(promtoolUnusable() !== undefined)('has expressions that promtool understands', () => {
    const rules = expressions.map((expression, number) => ({
      record: `dashboard:${number}`,
      expr: filled(expression),
    }));
    const file = stringify({ groups: [{ name: 'dashboard', rules }] });
    const { ok, said } = promtool(['check', 'rules', 'rules.yml'], { 'rules.yml': file });
    expect(ok, said).toBe(true);
    expect(said).toContain(`${expressions.length} rules found`);
  });
});
