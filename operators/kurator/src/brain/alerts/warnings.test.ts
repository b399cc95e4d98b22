import { describe, expect, it } from 'vitest';
import { freshHistory } from '../incident/history.ts';
import { freshPerception, type Perception, perceive } from '../perception/perception.ts';
import { serviceSpec } from '../spec-defaults.ts';
import { day } from '../time.ts';
import { warn } from './warnings.ts';

const spec = serviceSpec({ name: 'web', checks: [{ name: 'https', through: 'service' }] });

function seen(certificateExpiresAt: number): Perception {
  const result = {
    target: 'service',
    check: 'https',
    outcome: 'healthy' as const,
    at: 1,
    latencyMs: 1,
    certificateExpiresAt,
  };
  return perceive(spec, freshPerception, { results: [result], samples: [], instances: [] });
}

describe('a certificate that ends', () => {
  it('is warned of once for each threshold, and anew after it was renewed', () => {
    let history = freshHistory(0);
    const titles: string[] = [];
    for (let now = 0; now < 80 * day; now += day / 4) {
      const ends = now < 29.5 * day ? 30 * day : 90 * day;
      const said = warn(spec, seen(ends), history, now);
      history = said.history;
      titles.push(...said.warnings.map(({ title }) => title));
    }
    expect(titles.map((title) => title.replace('web: its certificate ends in ', ''))).toEqual([
      '14 days',
      '7 days',
      '24 h',
      '14 days',
    ]);
    expect(Object.keys(history.warned).length).toBeLessThanOrEqual(1);
  });
});
