import { describe, expect, it } from 'vitest';
import { addedUp, metricsIn, namedIn } from './metrics.ts';

const text = `# HELP web_repairs_total Repairs
# TYPE web_repairs_total counter
web_repairs_total{cause="crash {odd}"} 2
web_repairs_total{cause="hang"} 1 1700000000000
# TYPE web_scalings_total counter
# TYPE web_seconds histogram
web_seconds_bucket{le="+Inf"} 4
up 1
`;

describe('metrics', () => {
  it('are added up by name; a counter that has not counted is there with nothing', () => {
    expect(Object.fromEntries(metricsIn(text))).toEqual({
      web_repairs_total: 3,
      web_scalings_total: 0,
      web_seconds_bucket: 4,
      up: 1,
    });
  });

  it('of several pods are added up', () => {
    expect(addedUp([metricsIn(text), metricsIn('up 1\n'), metricsIn('')]).get('up')).toBe(2);
  });

  it('are found in an expression by whole words', () => {
    const names = metricsIn(text).keys();
    expect(namedIn('rate(web_repairs_total[5m]) > 0 and my_up == 1', names)).toEqual(['web_repairs_total']);
  });
});
