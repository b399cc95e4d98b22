import { describe, expect, it } from 'vitest';
import { figures } from './figures.ts';
import { type ClosedIncident, freshHistory, type History } from './incident/history.ts';
import { hour, minute, second } from './time.ts';

const closed = (startedAt: number, change: Partial<ClosedIncident> = {}): ClosedIncident => ({
  id: 'web#1',
  startedAt,
  confirmedAt: startedAt + 20 * second,
  recoveredAt: startedAt + 80 * second,
  closedAt: startedAt + 10 * minute,
  repairs: 1,
  downMs: 36 * second,
  degradedMs: 36 * second,
  end: 'recovered',
  ...change,
});

const history = (...incidents: ClosedIncident[]): History => ({ ...freshHistory(0), closed: incidents });

describe('figures', () => {
  it('are those of a service without a fault', () => {
    expect(figures(freshHistory(0), { from: 0, to: hour })).toEqual({
      incidents: 0,
      healedByThemselves: 0,
      repairs: 0,
      availability: 1,
      fullHealth: 1,
    });
  });

  it('are means over confirmed faults, and shares of the time watched', () => {
    const two = history(closed(minute), closed(30 * minute, { recoveredAt: 30 * minute + 40 * second, repairs: 0 }));
    expect(figures(two, { from: 0, to: hour })).toEqual({
      incidents: 2,
      healedByThemselves: 1,
      repairs: 1,
      meanTimeToDetect: 20 * second,
      meanTimeToRecover: minute,
      availability: 1 - 72 / 3600,
      fullHealth: 1 - 144 / 3600,
    });
  });

  it('do not count what was dismissed, nor what began at another time', () => {
    const { confirmedAt: _, recoveredAt: __, ...dismissed } = closed(minute, { end: 'dismissed' });
    expect(figures(history(dismissed, closed(2 * hour)), { from: 0, to: hour }).incidents).toBe(0);
  });

  it('do not hold the time before it was watched against a service', () => {
    const late = { ...history(closed(50 * minute)), since: 48 * minute };
    expect(figures(late, { from: 0, to: hour }).availability).toBeCloseTo(1 - 36 / 720);
  });
});
