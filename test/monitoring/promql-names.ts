/** Which metrics and labels a PromQL expression names: enough of its syntax for the rules and the dashboard, both of which promtool has parsed. */

/** Metric names with the labels that are asked of each; labels of `by`, `on` and the like with no metric. */
export interface NamedInExpression {
  readonly metrics: ReadonlyMap<string, ReadonlySet<string>>;
  readonly grouped: ReadonlySet<string>;
}

const GROUPING = /\b(?:by|without|on|ignoring|group_left|group_right)\s*\(([^)]*)\)/g;
const SELECTOR = /\b([a-zA-Z_][a-zA-Z0-9_]*)(?!\s*\()\b(?:\{([^}]*)\})?/g;
const WORDS = new Set(['and', 'or', 'unless', 'bool', 'offset', 'by', 'without', 'on', 'ignoring', 'inf', 'nan']);

export function namesIn(expression: string): NamedInExpression {
  const grouped = new Set<string>();
  const bare = expression
    .replaceAll(GROUPING, (_, labels: string) => {
      for (const label of labels.split(',')) if (label.trim() !== '') grouped.add(label.trim());
      return ' ';
    })
    .replaceAll(/\[[^\]]*\]/g, ' ');
  const metrics = new Map<string, Set<string>>();
  const strings = /"(?:[^"\\]|\\.)*"/g;
  for (const [, name = '', matchers = ''] of bare.replaceAll(strings, '""').matchAll(SELECTOR)) {
    if (WORDS.has(name)) continue;
    const labels = metrics.get(name) ?? new Set<string>();
    metrics.set(name, labels);
    for (const [, label] of matchers.matchAll(/([a-zA-Z_][a-zA-Z0-9_]*)\s*(?:=~|!~|!=|=)/g)) labels.add(label!);
  }
  return { metrics, grouped };
}
