// What deploy/monitoring asks Prometheus for must be there: each query is read with Prometheus' own grammar, and held
// against the metrics that the healer has.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { dashboard } from '../../../test/support/monitoring/dashboard.ts';
import { readQuery } from '../../../test/support/monitoring/promql.ts';
import { metricFamilies } from './all-families.ts';
import type { Measured } from './family.ts';

const folder = join(import.meta.dirname, '..', '..', '..', '..', '..', 'deploy', 'monitoring');
const labelsOf = new Map<string, readonly string[]>(
  metricFamilies({} as Measured).flatMap(({ name, type, labels }) =>
    type === 'histogram'
      ? ['_bucket', '_sum', '_count'].map((suffix) => [`${name}${suffix}`, [...labels, 'le']] as const)
      : [[name, labels] as const],
  ),
);

/** Everything that the query asks for is there; gives the labels that its result may have. */
function check(query: string): string[] {
  // Grafana puts a length of time in their place.
  const { metrics, grouping } = readQuery(query.replaceAll(/\$__\w+/g, '5m'));
  expect(metrics.size, query).toBeGreaterThan(0);
  const known = [...metrics.keys()].flatMap((metric) => {
    expect([...labelsOf.keys()], query).toContain(metric);
    return labelsOf.get(metric) ?? [];
  });
  for (const [metric, labels] of metrics) {
    for (const label of labels) expect(labelsOf.get(metric), query).toContain(label);
  }
  for (const label of grouping) expect(known, query).toContain(label);
  return grouping.length > 0 ? [...grouping] : known;
}

describe('the dashboard', () => {
  interface Target {
    expr: string;
    legendFormat: string;
  }
  interface Described {
    panels: { title: string; targets?: Target[]; gridPos: { x: number; y: number; w: number; h: number } }[];
    templating: { list: { definition?: string }[] };
  }
  const { panels, templating } = dashboard() as Described;
  const targets = panels.flatMap(({ title, targets = [] }) => targets.map((target) => [title, target] as const));

  it('is deploy/monitoring/grafana-dashboard.json', async () => {
    await expect(`${JSON.stringify(dashboard(), undefined, 2)}\n`).toMatchFileSnapshot(
      join(folder, 'grafana-dashboard.json'),
    );
  });

  it.each(targets)('asks for what is there: %s', (_, { expr, legendFormat }) => {
    const labels = check(expr);
    for (const [, label] of legendFormat.matchAll(/\{\{(\w+)\}\}/g)) expect(labels).toContain(label);
  });

  it('chooses by labels that are there', () => {
    const definitions = templating.list.flatMap(({ definition }) => definition ?? []);
    expect(definitions).toHaveLength(2);
    for (const definition of definitions) {
      const [, selector = '', label = ''] = /^label_values\((.*), (\w+)\)$/.exec(definition) ?? [];
      expect(check(selector)).toContain(label);
    }
  });

  it('shows every metric of the healer', () => {
    const shown = targets.map(([, { expr }]) => expr).join(' ');
    expect([...labelsOf.keys()].filter((name) => !/_(sum|count)$/.test(name) && !shown.includes(name))).toEqual([]);
  });

  it('lays no panel over another', () => {
    const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
      Array.from({ length: w * h }, (_, index) => `${x + (index % w)} ${y + Math.floor(index / w)}`),
    );
    expect(new Set(cells).size).toBe(cells.length);
    expect(panels.every(({ gridPos: { x, w } }) => x + w <= 24)).toBe(true);
  });
});

interface Rule {
  alert: string;
  expr: string;
  for?: string;
  labels: Record<string, string>;
  annotations: Record<string, string>;
}

describe('the alert rules', async () => {
  const text = await readFile(join(folder, 'prometheus-rules.yaml'), 'utf8');
  const { groups } = parse(text) as { groups: { name: string; rules: Rule[] }[] };
  const rules = groups.flatMap((group) => group.rules);

  it.each(rules.map((rule) => [rule.alert, rule] as const))('ask for what is there: %s', (_, rule) => {
    const labels = check(rule.expr);
    const { summary = '', description = '' } = rule.annotations;
    expect(summary).not.toBe('');
    expect(description).not.toBe('');
    expect(rule.labels.severity).toMatch(/^(critical|warning|info)$/);
    expect(rule.for ?? '1m').toMatch(/^\d+[smhd]$/);
    for (const [, label] of `${summary} ${description}`.matchAll(/\$labels\.(\w+)/g)) expect(labels).toContain(label);
  });

  it('have each a name of its own', () => {
    const names = rules.map(({ alert }) => alert);
    expect(new Set(names).size).toBe(names.length);
    expect(names).toEqual(
      expect.arrayContaining(['KuratorHealerGone', 'KuratorIncidentHandedOver', 'KuratorAlertSinkFailing']),
    );
  });
});

it('knows a query that is wrong', () => {
  expect(() => readQuery('sum by (le (rate(kurator_checks[5m]))')).toThrow('not PromQL');
  expect(() => check('sum(kurator_no_such_metric)')).toThrow();
  expect(() => check('sum by (pod) (kurator_checks)')).toThrow();
});
