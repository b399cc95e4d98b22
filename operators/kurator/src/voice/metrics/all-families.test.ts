import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { latenessBounds } from '../../senses/checks/scheduler/statistics.ts';
import { latenessSamples, metricFamilies } from './all-families.ts';
import type { Measured } from './family.ts';

// Nothing is read before somebody scrapes.
const families = metricFamilies({} as Measured);
const reference = join(import.meta.dirname, '..', '..', '..', '..', '..', 'docs', 'reference', 'healer-metrics.md');

describe('the metrics', () => {
  it('are those of docs/reference/healer-metrics.md', async () => {
    const lines = (await readFile(reference, 'utf8')).split('\n').filter((line) => line.startsWith('| `kurator_'));
    const rows = families.map(({ name, type, labels, help }) =>
      `| \`${name}\` | ${type} | ${labels.map((label) => `\`${label}\``).join(', ')} | ${help} |`.replaceAll('  ', ' '),
    );
    expect(lines).toEqual(rows);
  });

  it('have names as Prometheus wants them', () => {
    const names = families.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    for (const { name, type } of families) {
      expect(name).toMatch(/^kurator_[a-z_]+$/);
      expect(name.endsWith('_total')).toBe(type === 'counter');
    }
  });

  it('name services and channels only where there is one line for each', () => {
    const perObject = families.filter(({ labels }) => labels.includes('service') || labels.includes('channel'));
    expect(perObject.map(({ type }) => type)).not.toContain('histogram');
  });
});

describe('lateness', () => {
  it('is counted as Prometheus does: each bucket with all below it', () => {
    const counts = latenessBounds.map(() => 1);
    const samples = latenessSamples(counts);
    const buckets = samples.filter(({ suffix }) => suffix === '_bucket').map(({ value }) => value);
    expect(buckets).toEqual(buckets.toSorted((a, b) => a - b));
    expect(buckets.at(-1)).toBe(latenessBounds.length);
    expect(samples.find(({ suffix }) => suffix === '_count')?.value).toBe(latenessBounds.length);
  });
});
